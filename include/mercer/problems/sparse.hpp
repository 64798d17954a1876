// SPDX-License-Identifier: Apache-2.0
//
// mercer/problems/sparse.hpp - problems that pay for the coefficients themselves, and their proof.
//
//     minimise over beta, b:   l1 sum_j |beta_j| + rho/2 beta' K beta + sum_i c_i loss(y_i, z_i)
//
// with z = K beta + b and rho = 0 or 1. Few coefficients are left. Unlike those of problem.hpp they
// are not the multipliers a of the rows; at the optimum, with r = K (a - rho beta),
//
//     r_j = l1 sgn(beta_j) where beta_j is not 0,   |r_j| <= l1 elsewhere,   a_i = -c_i loss'(z_i).
#pragma once

#include <span>

#include "mercer/base/types.hpp"
#include "mercer/problems/certificate.hpp"
#include "mercer/problems/problem.hpp"

namespace mercer {

class Context;

/// A problem with its penalty on the coefficients in place of, or beside, 1/2 |f|^2.
struct SparseProblem {
    Problem risk;       ///< K, targets, costs, loss, intercept; no mass
    double l1 = 1.0;    ///< weight of the absolute values; > 0, or 0 beside 1/2 |f|^2
    bool rkhs = false;  ///< 1/2 |f|^2 is paid, too

    [[nodiscard]] index_t size() const noexcept { return risk.size(); }
};

/// Throws InvalidArgument naming the row or parameter unless the problem is well formed: the loss
/// has a slope everywhere, or is the hinge without 1/2 |f|^2 beside it: a linear programme.
void require_well_formed(const SparseProblem& problem);

/// The certificate of `beta` with the best intercept for it.
///
/// The dual point is made of the slopes of the losses and scaled into the dual set, so that the gap
/// is a sum of terms >= 0 for any beta (docs/adr/0012). `kkt_violation` is the greatest distance of
/// a row from the conditions above, `dual_infeasibility` how far the greatest |r_j| is above l1.
/// Without 1/2 |f|^2 the bound is exact for any kernel.
///
/// Cost: one Gram product with the non-zero coefficients and one with all multipliers. Throws
/// InvalidArgument when `beta` has the wrong length, or the loss has no slope. Non-finite input
/// gives a NaN gap.
[[nodiscard]] Certificate certify(const SparseProblem& problem, std::span<const double> beta,
                                  Context& context);

/// The same with a dual point from elsewhere, as the hinge needs it: `multipliers`, one per row, is
/// moved into the dual set of the rows, and left there.
[[nodiscard]] Certificate certify(const SparseProblem& problem, std::span<const double> beta,
                                  std::span<double> multipliers, Context& context);

/// How much of K (a - rho beta) = r the dual point takes: the best share whose greatest entry is no
/// more than l1. `norm` is (a - rho beta)'r and `slope` a'r; they matter beside 1/2 |f|^2 only.
[[nodiscard]] double dual_share(const SparseProblem& problem, double greatest, double slope,
                                double norm) noexcept;

}  // namespace mercer
