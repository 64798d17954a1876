// SPDX-License-Identifier: Apache-2.0
//
// cli/environment.hpp - all access to the environment: variables and terminals.
//
// The library never reads the environment; this is the only place in Mercer that does.
#pragma once

#include <optional>

namespace mercer::cli {

/// The first number of OMP_NUM_THREADS, if it is set and > 0.
[[nodiscard]] std::optional<int> threads_from_environment();

/// True if the file descriptor is a terminal with a movable cursor.
[[nodiscard]] bool is_terminal(int descriptor);

/// True if messages on that descriptor may have colour: a terminal, and NO_COLOR not set.
[[nodiscard]] bool wants_colour(int descriptor);

/// True if the character set of the locale is UTF-8.
[[nodiscard]] bool locale_is_utf8();

/// Columns of the terminal on that descriptor; 80 if it is not a terminal.
[[nodiscard]] int terminal_width(int descriptor);

}  // namespace mercer::cli
