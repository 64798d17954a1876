// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/active_set_solver.hpp - a problem by its active set, with its certificate.
#pragma once

#include "mercer/problems/problem.hpp"
#include "mercer/solvers/solve.hpp"

namespace mercer {

class Context;

inline constexpr const char* kActiveSet = "active-set";

/// Solves to the last digits that double precision gives, from options.start in the dual set.
[[nodiscard]] Solution solve_by_active_set(const Problem& problem, const SolveOptions& options,
                                           Context& context);

}  // namespace mercer
