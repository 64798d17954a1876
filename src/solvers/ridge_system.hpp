// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/ridge_system.hpp - functions shared by the direct and the iterative ridge solvers.
#pragma once

#include "mercer/problems/problem.hpp"
#include "mercer/solvers/ridge.hpp"
#include "solvers/column_newton.hpp"

namespace mercer {

/// One target as a problem: loss (f - y)^2, cost w / (2 alpha), or w when alpha is 0.
[[nodiscard]] Problem target_problem(const RidgeProblem& ridge, index_t target);

/// Certifies every target of `out` with K from scratch, and stores the projected coefficients and
/// the best intercepts in it. Sets status and certify_seconds.
void certify_ridge(const RidgeProblem& problem, RidgeSolution& out, Context& context);

/// Recomputes in higher precision the certificates that miss `wanted` only because of rounding.
void refine_certificates(const RidgeProblem& problem, const WantedGap& wanted, RidgeSolution& out,
                         Context& context);

/// Solves again, in 113 bits, the targets of a small problem that miss the goal in double
/// precision.
void finish_ridge_precisely(const RidgeProblem& problem, const RidgeOptions& options,
                            RidgeSolution& out, Context& context);

/// Conjugate gradients, plain or with a float32 factor, and gradient descent.
[[nodiscard]] RidgeSolution solve_ridge_by_products(const RidgeProblem& problem,
                                                    const RidgeOptions& options, Context& context);

/// The form in the columns; it is cheaper only if the kernel is c <x, z> and alpha > 0.
[[nodiscard]] ColumnForm ridge_column_form(const RidgeProblem& problem, Context& context);

/// A system of the columns. Leaving rows out needs the direct form.
[[nodiscard]] RidgeSolution solve_ridge_in_columns(const RidgeProblem& problem,
                                                   const ColumnForm& form, bool leave_one_out,
                                                   Context& context);

/// ridge_variance() in the columns.
[[nodiscard]] std::vector<double> ridge_variance_in_columns(const RidgeProblem& problem,
                                                            const NewRows& rows, Context& context);

}  // namespace mercer
