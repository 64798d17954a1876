// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/dual_descent.hpp - dual coordinate descent for a box dual.
#pragma once

#include "mercer/problems/problem.hpp"
#include "mercer/solvers/registry.hpp"
#include "mercer/solvers/solve.hpp"

namespace mercer {

class Context;

/// True for a box dual without a free width.
[[nodiscard]] bool dual_descent_fits(const Problem& problem);

/// Runs until the goal is proved, `options.max_iterations` sweeps are done, or the remaining time
/// is expected to exceed `patience`, in seconds of typical_dual_descent_seconds().
[[nodiscard]] Solution solve_by_dual_descent(const Problem& problem, const SolveOptions& options,
                                             double patience, Context& context);

}  // namespace mercer
