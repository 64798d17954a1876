// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/column_newton.hpp - Newton's method for smooth losses in the weights of the columns.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mercer/problems/problem.hpp"
#include "mercer/solvers/kernel_newton.hpp"

namespace mercer {

class Context;
class LinearRows;

/// Whether Newton's method is cheaper in the columns than in the rows, and how it solves its
/// systems there.
struct ColumnForm {
    bool cheaper = false;
    bool direct = true;  ///< Cholesky of the d x d matrix; false: conjugate gradients
    std::string reason;  ///< for notes
};

/// Compares the cost of one step in which all rows have curvature, and the free memory. A kernel
/// that is not linear has no such form.
[[nodiscard]] ColumnForm column_form(const GramOperator& gram, Context& context);

/// kernel_newton() for a kernel c <x, z> in the variables w = c X'beta: the same steps and the same
/// stopping conditions. `state.beta` is the start, if any, and is not updated. `state.dual` belongs
/// to the point after the next step.
[[nodiscard]] SolveStatus column_newton(const Problem& problem, bool direct, NewtonState& state,
                                        index_t max_iterations, const NewtonWatch& watch,
                                        Context& context);

/// approximate_leave_one_out() in the columns, for a kernel c <x, z>: n d^2. Empty if the d x d
/// matrix has no factor in double precision.
[[nodiscard]] std::vector<double> column_leave_one_out(const Problem& problem,
                                                       std::span<const double> beta,
                                                       double intercept, Context& context);

/// k(x, x) - k(x)'(K + P^-1)^-1 k(x) of the given rows, for K = factor X X' and precisions P of the
/// rows X: x'(X'PX + 1/factor)^-1 x. Columns that X does not have are ignored.
[[nodiscard]] std::vector<double> column_variance(const LinearRows& rows, double factor,
                                                  std::span<const double> precisions,
                                                  const LinearRows& wanted, Context& context);

}  // namespace mercer
