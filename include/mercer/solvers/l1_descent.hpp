// SPDX-License-Identifier: Apache-2.0
//
// mercer/solvers/l1_descent.hpp - sparse coefficients by coordinate descent on the l1 primal.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mercer/problems/sparse.hpp"
#include "mercer/problems/sparse_columns.hpp"
#include "mercer/solvers/registry.hpp"
#include "mercer/solvers/solve.hpp"

namespace mercer {

class Context;

using SparseSolver = SolverEntry<SparseProblem, Solution>;

/// The solvers for a penalty on the coefficients: one for each kind of loss.
[[nodiscard]] std::span<const SparseSolver> sparse_table();

/// Names of the solvers that fit the loss.
[[nodiscard]] std::vector<std::string> sparse_solvers(const Loss& loss);

/// Solves to the requested tolerances (neither given: a relative gap of kSmoothGapTolerance); the
/// options' keeper, unit and precision are not used. `beta` of the solution holds zeros for rows
/// that are not needed. Never throws because it did not converge. Throws InvalidArgument for a
/// malformed problem or an unknown solver, ResourceError when memory does not allow it.
[[nodiscard]] Solution solve_sparse(const SparseProblem& problem, const SolveOptions& options,
                                    Context& context);

/// The same in the weights of the columns: `beta` of the solution has one for each column.
[[nodiscard]] Solution solve_sparse_columns(const SparseColumnProblem& problem,
                                            const SolveOptions& options, Context& context);

}  // namespace mercer
