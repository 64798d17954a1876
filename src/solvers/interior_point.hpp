// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/interior_point.hpp - a box dual through the inside of its box.
#pragma once

#include "mercer/problems/problem.hpp"
#include "mercer/solvers/registry.hpp"
#include "mercer/solvers/solve.hpp"

namespace mercer {

class Context;

/// Runs to the last digits that double precision gives, certified where the goal may be met; what
/// misses the goal is polished by the active set. options.start is not used. Throws ResourceError
/// when the matrix of a step does not fit the memory.
[[nodiscard]] Solution solve_by_interior_point(const Problem& problem, const SolveOptions& options,
                                               Context& context);

}  // namespace mercer
