// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/interior_point.hpp - interior-point method for a box dual.
#pragma once

#include "mercer/problems/problem.hpp"
#include "mercer/solvers/registry.hpp"
#include "mercer/solvers/solve.hpp"

namespace mercer {

class Context;

/// Runs to full double precision and certifies points that may meet the goal; a solution that
/// misses it is polished by the active set. options.start is not used. Throws ResourceError when
/// the matrix of a step does not fit the budget.
[[nodiscard]] Solution solve_by_interior_point(const Problem& problem, const SolveOptions& options,
                                               Context& context);

}  // namespace mercer
