// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/ridge_system.hpp - what the direct and the iterative ridge solvers share.
#pragma once

#include "mercer/solvers/ridge.hpp"

namespace mercer {

/// Certifies every target of `out` with K from scratch, and keeps the projected coefficients and
/// the best intercepts. Sets status and certify_seconds.
void certify_ridge(const RidgeProblem& problem, RidgeSolution& out, Context& context);

/// Conjugate gradients, plain or with a float32 factor, and gradient descent.
[[nodiscard]] RidgeSolution solve_ridge_by_products(const RidgeProblem& problem,
                                                    const RidgeOptions& options, Context& context);

}  // namespace mercer
