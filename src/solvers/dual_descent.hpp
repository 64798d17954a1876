// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/dual_descent.hpp - a box dual, one coefficient at a time.
#pragma once

#include "mercer/problems/problem.hpp"
#include "mercer/solvers/registry.hpp"
#include "mercer/solvers/solve.hpp"

namespace mercer {

class Context;

/// True for a dual in a box without a free width.
[[nodiscard]] bool dual_descent_fits(const Problem& problem);

/// Steps until the goal is proved, `options.max_iterations` sweeps are done, or the steps are expected
/// to take longer than the caller has patience for.
///
/// `patience` is in seconds of typical_dual_descent_seconds().
[[nodiscard]] Solution solve_by_dual_descent(const Problem& problem, const SolveOptions& options,
                                             double patience, Context& context);

}  // namespace mercer
