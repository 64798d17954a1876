// SPDX-License-Identifier: Apache-2.0
//
// mercer/problems/sparse.hpp - problems with a penalty on the coefficients, and their certificate.
//
//     minimise over beta, b:   l1 sum_j |beta_j| + rho/2 beta' K beta + sum_i c_i loss(y_i, z_i)
//
// with z = K beta + b and rho = 0 or 1. Most coefficients of a solution are 0. Unlike those of
// problem.hpp they are not the multipliers a of the rows; at the optimum, with r = K (a - rho
// beta),
//
//     r_j = l1 sgn(beta_j) where beta_j is not 0,   |r_j| <= l1 elsewhere,   a_i = -c_i loss'(z_i).
#pragma once

#include <span>

#include "mercer/base/types.hpp"
#include "mercer/problems/certificate.hpp"
#include "mercer/problems/problem.hpp"

namespace mercer {

class Context;

/// A problem with a penalty on the coefficients, instead of or in addition to 1/2 |f|^2.
struct SparseProblem {
    Problem risk;       ///< K, targets, costs, loss, intercept; no mass
    double l1 = 1.0;    ///< weight of the absolute values; > 0, or >= 0 if rkhs
    bool rkhs = false;  ///< true: 1/2 |f|^2 is part of the objective (rho = 1)

    [[nodiscard]] index_t size() const noexcept { return risk.size(); }
};

/// Throws InvalidArgument naming the row or parameter unless the problem is well formed: the loss
/// has a slope everywhere, or is the hinge without 1/2 |f|^2, which makes a linear programme.
void require_well_formed(const SparseProblem& problem);

/// The certificate of `beta` with the best intercept for it.
///
/// The dual point is computed from the slopes of the losses and scaled into the dual set, so that
/// the gap is a sum of terms >= 0 for any beta (docs/adr/0012). `kkt_violation` is the largest
/// violation of the conditions above in a row, `dual_infeasibility` how far the greatest |r_j| is
/// above l1. Without 1/2 |f|^2 the bound is exact for any kernel.
///
/// Cost: one Gram product with the non-zero coefficients and one with all multipliers. Throws
/// InvalidArgument when `beta` has the wrong length, or the loss has no slope. Non-finite input
/// gives a NaN gap.
[[nodiscard]] Certificate certify(const SparseProblem& problem, std::span<const double> beta,
                                  Context& context);

/// The same with a given dual point, which the hinge needs: `multipliers`, one per row, is
/// projected in place onto the dual set of the rows.
[[nodiscard]] Certificate certify(const SparseProblem& problem, std::span<const double> beta,
                                  std::span<double> multipliers, Context& context);

/// The factor by which the dual point scales r = K (a - rho beta): the best one that leaves no
/// entry above l1. `norm` is (a - rho beta)'r and `slope` a'r; they are used only if problem.rkhs.
[[nodiscard]] double dual_share(const SparseProblem& problem, double greatest, double slope,
                                double norm) noexcept;

}  // namespace mercer
