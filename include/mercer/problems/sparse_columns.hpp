// SPDX-License-Identifier: Apache-2.0
//
// mercer/problems/sparse_columns.hpp - few of the columns themselves, and their proof.
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
    double l1 = 1.0;     ///< > 0, or 0 beside 1/2 |w|^2
    bool ridge = false;  ///< 1/2 |w|^2 is paid, too
    bool basis = false;  ///< beside 1/2 |w|^2: only columns that have a weight may have one
};

/// X. Throws InvalidArgument unless K = X X'.
[[nodiscard]] const LinearRows& columns_of(const SparseColumnProblem& problem);

/// Throws InvalidArgument naming the row or parameter unless the problem is well formed.
void require_well_formed(const SparseColumnProblem& problem);

/// The certificate of `w` with the best intercept for it.
///
/// The dual point is made of the slopes of the losses. Beside 1/2 |w|^2 it is feasible as it is,
/// and pays 1/2 max(0, |r_j| - l1)^2 for each column; otherwise it is scaled until |r_j| <= l1
/// (docs/adr/0024). Either way the gap is a sum of terms >= 0.
///
/// Cost: one product with X and one with X'. Throws InvalidArgument when `w` has the wrong length,
/// or the loss has no slope. Non-finite input gives a NaN gap.
[[nodiscard]] Certificate certify(const SparseColumnProblem& problem, std::span<const double> w,
                                  Context& context);

}  // namespace mercer
