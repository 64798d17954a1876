// SPDX-License-Identifier: Apache-2.0
//
// mercer/formats/path_file.hpp - a whole path of machines as a file.
//
//     magic "MERCERPT" (8 bytes)   then as a checkpoint (checkpoint_file.hpp): version, fingerprint
//     of the training data, options as text, pieces with their lengths, checksum
//
// The pieces are the rows the path was traced on, their targets and weights, and the events: what
// each means is told in search/path.hpp, which writes and reads them.
#pragma once

#include <string>

#include "mercer/base/result.hpp"
#include "mercer/formats/checkpoint_file.hpp"
#include "mercer/runtime/files.hpp"

namespace mercer {

class Context;

using PathFile = CheckpointFile;

/// Writes atomically. Throws ResourceError; the old file then stands.
void save_path_file(const PathFile& content, const std::string& path,
                    Files& files = system_files());

/// Reads and checks lengths and checksum. Throws DataError when the file cannot be opened.
[[nodiscard]] Result<PathFile> load_path_file(const std::string& path, Context& context,
                                              Files& files = system_files());

/// True when the file starts as a path does. Throws DataError when it cannot be opened.
[[nodiscard]] bool is_path_file(const std::string& path, Files& files = system_files());

}  // namespace mercer
