// SPDX-License-Identifier: Apache-2.0
//
// cli/completion.hpp - shell completion scripts, generated from the command line definition.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace mercer::cli {

/// The script for `shell` (bash, zsh or fish) that completes commands, options and their values.
[[nodiscard]] std::string completion_script(const CLI::App& root, const std::string& shell);

}  // namespace mercer::cli
