// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/active_set_solver.hpp - solves and certifies a problem by the active set method.
#pragma once

#include "mercer/problems/problem.hpp"
#include "mercer/solvers/solve.hpp"

namespace mercer {

class Context;

struct ActiveSetRun {
    Solution solution;
    bool settled = false;  ///< no row violates by more than rounding explains
};

/// Runs from options.start (in the dual set; empty: zero) to full double precision, with at most
/// `work` multiplications.
[[nodiscard]] ActiveSetRun run_active_set(const Problem& problem, const SolveOptions& options,
                                          double work, Context& context);

/// The same, limited only by options.max_iterations.
[[nodiscard]] Solution solve_by_active_set(const Problem& problem, const SolveOptions& options,
                                           Context& context);

}  // namespace mercer
