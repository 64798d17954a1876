// SPDX-License-Identifier: Apache-2.0
//
// src/audit/cholesky.hpp - verification's own factorisation: loops over rows, no LAPACK.
#pragma once

#include <vector>

#include "mercer/base/types.hpp"

namespace mercer {

class Context;

namespace audit {

/// Factors the symmetric matrix with lower triangle `matrix` as L L'; L overwrites that triangle.
/// False if a pivot is not positive. Throws Interrupted.
[[nodiscard]] bool factor(MatrixView<double> matrix, Context& context);

/// L^-1 b.
[[nodiscard]] std::vector<double> solve_factor(MatrixView<const double> factor,
                                               std::vector<double> b);

/// Trace of (L L')^-1: the sum of squares of the entries of L^-1. Throws Interrupted.
[[nodiscard]] double inverse_trace(MatrixView<const double> factor, Context& context);

}  // namespace audit

}  // namespace mercer
