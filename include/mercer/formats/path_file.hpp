// SPDX-License-Identifier: Apache-2.0
//
// mercer/formats/path_file.hpp - a whole regularisation path as a file.
//
//     magic "MERCERPT" (8 bytes)   then like a checkpoint (checkpoint_file.hpp): version,
//     fingerprint
//     of the training data, options as text, pieces with their lengths, checksum
//
// The pieces are the rows on which the path was traced, their targets and weights, and the events.
// search/path.hpp writes, reads and documents them.
#pragma once

#include <string>

#include "mercer/base/result.hpp"
#include "mercer/formats/checkpoint_file.hpp"
#include "mercer/runtime/files.hpp"

namespace mercer {

class Context;

using PathFile = CheckpointFile;

/// Writes atomically. Throws ResourceError, and then leaves an existing file as it was.
void save_path_file(const PathFile& content, const std::string& path,
                    Files& files = system_files());

/// Reads the file and checks lengths and checksum. Throws DataError if it cannot be opened.
[[nodiscard]] Result<PathFile> load_path_file(const std::string& path, Context& context,
                                              Files& files = system_files());

/// True if the file starts with the magic of a path. Throws DataError if it cannot be opened.
[[nodiscard]] bool is_path_file(const std::string& path, Files& files = system_files());

}  // namespace mercer
