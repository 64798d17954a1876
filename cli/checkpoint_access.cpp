// SPDX-License-Identifier: Apache-2.0
//
// cli/checkpoint_access.cpp - messages about a checkpoint before and after a run.
#include "checkpoint_access.hpp"

#include <fmt/core.h>

#include "session.hpp"

namespace mercer::cli {

std::unique_ptr<Checkpoint> open_checkpoint(Session& session, const CheckpointOptions& options) {
    if (options.path.empty()) {
        return nullptr;
    }
    auto checkpoint = std::make_unique<Checkpoint>(options, session.context());
    if (checkpoint->found()) {
        session.say(fmt::format("{}: going on from here", options.path));
    } else if (options.resume) {
        session.say(
            fmt::format("{}: there is no checkpoint, starting from the beginning", options.path));
    } else if (system_files().exists(options.path)) {
        session.warn(fmt::format("{}: this run will replace it; --resume would go on from it",
                                 options.path));
    }
    return checkpoint;
}

void close_checkpoint(Session& session, Checkpoint& checkpoint, const std::string& path,
                      bool stopped) {
    const std::string failure = checkpoint.failure();
    if (!failure.empty()) {
        session.warn(
            fmt::format("the checkpoint could not be written, the run went on: {}", failure));
    }
    if (!stopped) {
        checkpoint.remove();
    } else if (failure.empty()) {
        session.say(fmt::format("--resume goes on from {}", path));
    }
}

}  // namespace mercer::cli
