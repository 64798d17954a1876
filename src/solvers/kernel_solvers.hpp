// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/kernel_solvers.hpp - the functions that the rows of kernel_table.cpp call.
#pragma once

#include <vector>

#include "mercer/solvers/optimise.hpp"
#include "mercer/solvers/registry.hpp"

namespace mercer {

/// The built-in rows of one form that fit the problem.
[[nodiscard]] std::vector<const KernelSolver*> kernel_solvers(const Problem& problem,
                                                              SolverForm form);

/// A first-order method of optimise.hpp.
using Optimiser = OptimiserResult (*)(Objective&, std::span<const double>, const OptimiserOptions&,
                                      Context&);

/// Newton's method in the rows or, for a linear kernel where that is cheaper, in the columns.
[[nodiscard]] Solution solve_by_newton(const Problem& problem, const SolveOptions& options,
                                       Context& context);

/// A first-order method in the RKHS: one product with K per step.
[[nodiscard]] Solution solve_by_descent(const Problem& problem, const SolveOptions& options,
                                        Optimiser method, Context& context);

/// The logistic dual by pairwise steps.
[[nodiscard]] Solution solve_by_logistic_smo(const Problem& problem, const SolveOptions& options,
                                             Context& context);

/// Runs a registered solver of the caller and certifies its result: project, certify and, as long
/// as that helps, run it again from there with a smaller tolerance.
[[nodiscard]] Solution solve_registered(const KernelSolver& row, const Problem& problem,
                                        const SolveOptions& options, Context& context);

/// Throws InvalidArgument unless options.start is empty or has `size` coefficients.
void require_start(const SolveOptions& options, index_t size);

}  // namespace mercer
