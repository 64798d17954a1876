// SPDX-License-Identifier: Apache-2.0
//
// cli/environment.hpp - everything the program asks of its environment: variables and terminals.
//
// The library never reads the environment; these are the only such questions in Mercer.
#pragma once

#include <optional>

namespace mercer::cli {

/// The first number of OMP_NUM_THREADS, when it is set to one > 0.
[[nodiscard]] std::optional<int> threads_from_environment();

/// True when the file descriptor is a terminal that can move its cursor.
[[nodiscard]] bool is_terminal(int descriptor);

/// True when messages on that descriptor may have colour: a terminal, and NO_COLOR not set.
[[nodiscard]] bool wants_colour(int descriptor);

/// True when the locale's characters are UTF-8.
[[nodiscard]] bool locale_is_utf8();

/// Columns of the terminal on that descriptor; 80 when it is none.
[[nodiscard]] int terminal_width(int descriptor);

}  // namespace mercer::cli
