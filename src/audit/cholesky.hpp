// SPDX-License-Identifier: Apache-2.0
//
// src/audit/cholesky.hpp - a factorisation of verification's own: loops over rows, no LAPACK.
#pragma once

#include <vector>

#include "mercer/base/types.hpp"

namespace mercer {

class Context;

namespace audit {

/// Factors the symmetric matrix whose lower triangle is in `matrix` as L L', L over that triangle.
/// False when a pivot is not positive. Throws Interrupted.
[[nodiscard]] bool factor(MatrixView<double> matrix, Context& context);

/// L^-1 b.
[[nodiscard]] std::vector<double> solve_factor(MatrixView<const double> factor,
                                               std::vector<double> b);

/// Trace of (L L')^-1: the squares of the entries of L^-1, summed. Throws Interrupted.
[[nodiscard]] double inverse_trace(MatrixView<const double> factor, Context& context);

}  // namespace audit

}  // namespace mercer
