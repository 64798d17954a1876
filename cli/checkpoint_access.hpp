// SPDX-License-Identifier: Apache-2.0
//
// cli/checkpoint_access.hpp - the checkpoint of a run: announced, and removed at the end.
#pragma once

#include <memory>
#include <string>

#include "mercer/fit/checkpoint.hpp"

namespace mercer::cli {

class Session;

/// The requested checkpoint, if any; reports where the run starts.
[[nodiscard]] std::unique_ptr<Checkpoint> open_checkpoint(Session& session,
                                                          const CheckpointOptions& options);

/// Removes the checkpoint of a finished run; after a stop, prints how to continue.
void close_checkpoint(Session& session, Checkpoint& checkpoint, const std::string& path,
                      bool stopped);

}  // namespace mercer::cli
