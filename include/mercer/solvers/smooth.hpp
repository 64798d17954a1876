// SPDX-License-Identifier: Apache-2.0
//
// mercer/solvers/smooth.hpp - machines with a smooth loss: choose a solver, run it, certify.
#pragma once

#include <string>
#include <vector>

#include "mercer/problems/problem.hpp"
#include "mercer/solvers/solve.hpp"

namespace mercer {

class Context;

inline constexpr double kSmoothGapTolerance = 1e-8;  ///< when no tolerance is given

/// Names of the smooth solvers that fit the loss, the choice of `auto` first; empty when none fits.
[[nodiscard]] std::vector<std::string> smooth_solvers(const Loss& loss);

/// True when Newton's matrix of this many rows takes at most half of the free bytes; otherwise a
/// smooth machine is solved by products with K.
[[nodiscard]] inline bool newton_matrix_fits(index_t rows, index_t free_bytes) noexcept {
    const auto n = static_cast<double>(rows);
    return 16.0 * n * n <= static_cast<double>(free_bytes);
}

/// True when Newton's method fits the loss, the kernel is c <x, z> and a step costs less in the
/// columns than in the rows: then no n x n matrix is computed.
[[nodiscard]] bool solved_in_columns(const Problem& problem, Context& context);

/// Solves to the requested tolerances (neither given: a relative gap of kSmoothGapTolerance). The
/// coefficients are the dual point of the last primal point, certified from scratch. Never throws
/// because it did not converge. Throws InvalidArgument for a malformed problem or a solver that
/// does not fit (the message names those that do), ResourceError for memory.
[[nodiscard]] Solution solve_smooth(const Problem& problem, const SolveOptions& options,
                                    Context& context);

}  // namespace mercer
