// SPDX-License-Identifier: Apache-2.0
//
// mercer/solvers/ridge_criterion.hpp - criteria of a ridge fit and their derivatives in K.
//
// With G = K + alpha W^-1, P its inverse (projected when there is an intercept) and beta = P y:
//
//     loo          (1/n) sum_i e_i^2,  e_i = beta_i / P_ii         every row left out once
//     gcv          n sum_i w_i r_i^2 / (alpha tr(W^-1 P))^2        generalised cross-validation
//     likelihood   1/2 (y'P y + log|G| + n log 2 pi)               -log p(y), y ~ N(b, G), best b
//
// Each is a smooth function of K and alpha: dP = -P dG P.
#pragma once

#include <span>
#include <string>

#include "mercer/base/types.hpp"

namespace mercer {

class Context;

enum class RidgeCriterion { loo, gcv, likelihood };

/// Parses the name of a criterion. Throws InvalidArgument naming the three criteria.
[[nodiscard]] RidgeCriterion ridge_criterion(const std::string& name);

/// The data of a fit other than K.
struct RidgeFit {
    std::span<const double> targets;
    std::span<const double> weights;  ///< > 0; empty: all 1
    double alpha = 1.0;
    bool intercept = true;
};

struct CriterionValue {
    double value = kInfinity;   ///< infinite when K + alpha is not positive definite to rounding
    double alpha_slope = kNaN;  ///< derivative by alpha
};

/// The criterion and its derivatives. `k` holds K (n x n, both triangles) and receives the
/// derivative by each of its entries, symmetric: a change D of K changes the value by
/// sum_ij k_ij D_ij. Cost: about three n x n matrix products; memory 2 n^2 in addition to K. Throws
/// InvalidArgument when lengths differ, ResourceError, Interrupted.
[[nodiscard]] CriterionValue evaluate_criterion(RidgeCriterion criterion, const RidgeFit& fit,
                                                MatrixView<double> k, Context& context);

}  // namespace mercer
