// SPDX-License-Identifier: Apache-2.0
//
// src/kernels/row_parser.hpp - the grammar of row functions.
#pragma once

#include <memory>

#include "kernels/scanner.hpp"
#include "mercer/kernels/row_function.hpp"

namespace mercer {

/// Reads a row function up to the first character that cannot continue it; throws ParseFailure.
[[nodiscard]] std::shared_ptr<const RowFunction> parse_row_function(Scanner& scanner);

}  // namespace mercer
