// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/polish.hpp - the last digits of a dual, by the active set from where a solver ended.
#pragma once

#include "mercer/problems/problem.hpp"
#include "mercer/solvers/solve.hpp"

namespace mercer {

class Context;

/// Problems of more rows are polished only when that is asked for.
inline constexpr index_t kMostPolished = 2000;

/// Goes on from `out` by at most `work` multiplications and takes what is proved to be better. True
/// when that is the end: no row violates by more than rounding, or a stop was asked for. Leaves
/// `out` alone for a loss without a box, or where the free columns of K do not fit the memory.
bool polish(const Problem& problem, const SolveOptions& options, double work, Solution& out,
            Context& context);

/// The polish that SolveOptions asks for, after any solver. Throws ResourceError when the free
/// columns of K do not fit.
void polish_as_asked(const Problem& problem, const SolveOptions& options, Solution& out,
                     Context& context);

}  // namespace mercer
