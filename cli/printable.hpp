// SPDX-License-Identifier: Apache-2.0
//
// cli/printable.hpp - text from files made fit for a terminal.
//
// Labels, column names and what a parser quotes may hold any bytes, and a terminal obeys some of
// them. What it would obey is shown instead: control characters and bytes that are not UTF-8 as
// `\xNN`, the control characters beyond ASCII and those that turn the direction of writing as
// `\uNNNN`. Everything else stays as it is.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/runtime/files.hpp"

namespace mercer::cli {

/// A word within a line: line ends and tabs are shown, too.
[[nodiscard]] std::string printable(std::string_view word);
[[nodiscard]] std::vector<std::string> printable(const std::vector<std::string>& words);

/// Whole lines: line ends and tabs stay.
[[nodiscard]] std::string printable_lines(std::string_view text);

/// A JSON text that means the same, without the characters that JSON itself lets through.
[[nodiscard]] std::string printable_json(std::string_view text);

/// Starts a new version of `path`. Where that is standard output and a terminal, what is written
/// is shown as printable_lines().
[[nodiscard]] std::unique_ptr<WriteFile> create_shown(const std::string& path, Files& files);

}  // namespace mercer::cli
