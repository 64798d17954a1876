// SPDX-License-Identifier: Apache-2.0
//
// mercer/solvers/softmax.hpp - the joint logistic problem of many classes: solve and certify.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/problems/softmax.hpp"
#include "mercer/solvers/registry.hpp"
#include "mercer/solvers/solve.hpp"

namespace mercer {

class Context;

using SoftmaxSolver = SolverEntry<SoftmaxProblem, Solution>;

/// The solvers of the joint problem.
[[nodiscard]] std::span<const SoftmaxSolver> softmax_table();

/// The solver that `auto` takes for this number of rows and bytes.
[[nodiscard]] const SoftmaxSolver& usual_softmax_solver(index_t rows, index_t memory_left);

/// Solves to the tolerances of the options (neither: a relative gap of kSmoothGapTolerance); their
/// keeper and cache are not used. The solution has an intercept per class, which sum to 0, and one
/// certificate. `auto` continues with L-BFGS if rounding stops Newton's method short of the goal. Never throws because it did not converge. Throws
/// InvalidArgument for a malformed problem or an unknown solver, ResourceError for memory.
[[nodiscard]] Solution solve_softmax(const SoftmaxProblem& problem, const SolveOptions& options,
                                     Context& context);

}  // namespace mercer
