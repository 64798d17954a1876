// SPDX-License-Identifier: Apache-2.0
//
// cli/text_file.hpp - a small text file as one string.
#pragma once

#include <string>

#include "mercer/runtime/files.hpp"

namespace mercer::cli {

/// The whole file. Throws what Files throws, and DataError when it is larger than 64 MiB: the
/// files read this way are settings, not data.
[[nodiscard]] std::string read_text_file(const std::string& path, Files& files);

/// Replaces `path` by `text`.
void write_text_file(const std::string& path, const std::string& text, Files& files);

}  // namespace mercer::cli
