// SPDX-License-Identifier: Apache-2.0
//
// cli/printable.hpp - makes text from files safe for a terminal.
//
// Labels, column names and quoted input may contain any bytes, some of which control a terminal.
// They are shown in escaped form: control characters and bytes that are not UTF-8 as `\xNN`,
// control characters beyond ASCII and those that change the writing direction as `\uNNNN`.
// Everything else is unchanged.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/runtime/files.hpp"

namespace mercer::cli {

/// A word within a line: line ends and tabs are escaped, too.
[[nodiscard]] std::string printable(std::string_view word);
[[nodiscard]] std::vector<std::string> printable(const std::vector<std::string>& words);

/// Whole lines: line ends and tabs are unchanged.
[[nodiscard]] std::string printable_lines(std::string_view text);

/// An equivalent JSON text, without control characters that JSON itself permits.
[[nodiscard]] std::string printable_json(std::string_view text);

/// Starts a new version of `path`. If that is standard output and a terminal, the text is written
/// as printable_lines().
[[nodiscard]] std::unique_ptr<WriteFile> create_shown(const std::string& path, Files& files);

}  // namespace mercer::cli
