// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/precise_interior_point.hpp - the optimum of a small problem in 113 bits, as doubles.
#pragma once

#include "mercer/problems/problem.hpp"
#include "mercer/solvers/solve.hpp"

namespace mercer {

class Context;

/// The last resort where double precision leads no further: solves the problem anew in 113 bits,
/// rounds the optimum, and takes it when it is proved to be better than `out`. Does nothing unless
/// `out` is stuck, the solver is ours to choose, and the problem is small. `standard` is the
/// relative gap to prove when the options ask for nothing.
void finish_precisely(const Problem& problem, const SolveOptions& options, double standard,
                      Solution& out, Context& context);

}  // namespace mercer
