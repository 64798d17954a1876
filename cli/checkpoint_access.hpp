// SPDX-License-Identifier: Apache-2.0
//
// cli/checkpoint_access.hpp - the checkpoint of a run: opened with a word, gone when the run is over.
#pragma once

#include <memory>
#include <string>

#include "mercer/fit/checkpoint.hpp"

namespace mercer::cli {

class Session;

/// The checkpoint asked for, if any; says where the run starts.
[[nodiscard]] std::unique_ptr<Checkpoint> open_checkpoint(Session& session,
                                                          const CheckpointOptions& options);

/// A checkpoint goes when the run is over; one that was stopped tells how to go on.
void close_checkpoint(Session& session, Checkpoint& checkpoint, const std::string& path,
                      bool stopped);

}  // namespace mercer::cli
