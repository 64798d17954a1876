// SPDX-License-Identifier: Apache-2.0
//
// src/kernels/argument_parser.hpp - the numbers in the parentheses of a kernel: (0.5, degree=3).
#pragma once

#include <vector>

#include "kernels/lookup.hpp"
#include "kernels/scanner.hpp"

namespace mercer {

/// One value for each parameter of the entry, in its order; the default value for those that are
/// not given. The parentheses may be missing. Throws ParseFailure.
[[nodiscard]] std::vector<double> parse_arguments(const CatalogueEntry& entry, Scanner& scanner);

}  // namespace mercer
