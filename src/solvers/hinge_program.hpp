// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/hinge_program.hpp - the hinge loss with an l1 penalty as a linear programme.
#pragma once

#include "mercer/problems/sparse.hpp"
#include "mercer/solvers/solve.hpp"

namespace mercer {

class Context;

/// Solves a well-formed problem with the hinge loss and without 1/2 |f|^2. The solution has
/// multipliers. Throws ResourceError when the programme does not fit or CLP is missing.
[[nodiscard]] Solution solve_hinge_program(const SparseProblem& problem,
                                           const SolveOptions& options, Context& context);

}  // namespace mercer
