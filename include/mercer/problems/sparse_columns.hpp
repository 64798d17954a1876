// SPDX-License-Identifier: Apache-2.0
//
// mercer/problems/sparse_columns.hpp - linear models of few columns, and their certificate.
//
//     minimise over w, b:   l1 sum_j |w_j| + rho/2 |w|^2 + sum_i c_i loss(y_i, <w, x_i> + b)
//
// with rho = 0 or 1: the LASSO's form. With multipliers a of the rows and r = X'a the optimum has
// r_j - rho w_j = l1 sgn(w_j) where w_j is not 0 and |r_j| <= l1 elsewhere, a_i = -c_i loss'(z_i).
#pragma once

#include <span>

#include "mercer/problems/certificate.hpp"
#include "mercer/problems/problem.hpp"

namespace mercer {

class Context;

struct SparseColumnProblem {
    Problem risk;        ///< K = X X', targets, costs, loss with a slope, intercept
    double l1 = 1.0;     ///< > 0, or >= 0 if ridge
    bool ridge = false;  ///< true: 1/2 |w|^2 is part of the objective (rho = 1)
    bool basis = false;  ///< with ridge only; true: zero weights are fixed at zero
};

/// X. Throws InvalidArgument unless K = X X'.
[[nodiscard]] const LinearRows& columns_of(const SparseColumnProblem& problem);

/// Throws InvalidArgument naming the row or parameter unless the problem is well formed.
void require_well_formed(const SparseColumnProblem& problem);

/// The certificate of `w` with the best intercept for it.
///
/// The dual point is computed from the slopes of the losses. With 1/2 |w|^2 it is feasible as it
/// is, at the price 1/2 max(0, |r_j| - l1)^2 for each column; without, it is scaled until |r_j| <=
/// l1 (docs/adr/0024). In both cases the gap is a sum of terms >= 0.
///
/// Cost: one product with X and one with X'. Throws InvalidArgument when `w` has the wrong length,
/// or the loss has no slope. Non-finite input gives a NaN gap.
[[nodiscard]] Certificate certify(const SparseColumnProblem& problem, std::span<const double> w,
                                  Context& context);

}  // namespace mercer
