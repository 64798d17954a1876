// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/polish.hpp - polishes a solver's answer by the active set method.
#pragma once

#include "mercer/problems/problem.hpp"
#include "mercer/solvers/solve.hpp"

namespace mercer {

class Context;

/// Larger problems are polished only on request.
inline constexpr index_t kMostPolished = 2000;

/// Continues from `out` with at most `work` multiplications and replaces it if the certificate is
/// better. True when nothing more can be done: no row violates by more than rounding, or a stop was
/// requested. Leaves `out` unchanged for a loss without a box dual, or if the free columns of K do
/// not fit the budget.
bool polish(const Problem& problem, const SolveOptions& options, double work, Solution& out,
            Context& context);

/// The polishing requested by SolveOptions, after any solver. Throws ResourceError when the free
/// columns of K do not fit.
void polish_as_asked(const Problem& problem, const SolveOptions& options, Solution& out,
                     Context& context);

}  // namespace mercer
