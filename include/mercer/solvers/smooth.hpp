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

/// Names of the solvers here that fit the loss, the one `auto` takes first; empty when none does.
[[nodiscard]] std::vector<std::string> smooth_solvers(const Loss& loss);

/// True when Newton's matrix of so many rows takes no more than half of the free bytes; else a
/// smooth machine is solved by products.
[[nodiscard]] inline bool newton_matrix_fits(index_t rows, index_t free_bytes) noexcept {
    const auto n = static_cast<double>(rows);
    return 16.0 * n * n <= static_cast<double>(free_bytes);
}

/// True when Newton's method fits the loss, the kernel is c <x, z> and a step costs less in the
/// columns than in the rows: no matrix of the rows is made then.
[[nodiscard]] bool solved_in_columns(const Problem& problem, Context& context);

/// Solves to the tolerances asked for (neither: a relative gap of kSmoothGapTolerance). The
/// coefficients are the dual point of the last primal one, certified from scratch. Never throws
/// because it did not converge. Throws InvalidArgument for a malformed problem or a solver that
/// does not fit (the message names those that do), ResourceError when memory does not allow it.
[[nodiscard]] Solution solve_smooth(const Problem& problem, const SolveOptions& options,
                                    Context& context);

}  // namespace mercer
