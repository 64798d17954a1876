// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/precise_interior_point.hpp - the optimum of a small problem in 113 bits, as doubles.
#pragma once

#include "mercer/problems/problem.hpp"
#include "mercer/solvers/solve.hpp"

namespace mercer {

class Context;

/// The last resort when double precision does not suffice: solves the problem again in 113 bits,
/// rounds the optimum, and replaces `out` if the certificate is better. Does nothing unless the
/// status of `out` is reduced, the solver is automatic, and the problem is small. `standard` is the
/// gap tolerance if the options set none.
void finish_precisely(const Problem& problem, const SolveOptions& options, double standard,
                      Solution& out, Context& context);

}  // namespace mercer
