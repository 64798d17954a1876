// SPDX-License-Identifier: Apache-2.0
//
// mercer/solvers/ridge_criterion.hpp - what a ridge fit is judged by, and how that depends on K.
//
// With G = K + alpha W^-1, P its inverse (less its border when there is an intercept) and beta = P
// y:
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

/// The criterion of that name. Throws InvalidArgument naming the three there are.
[[nodiscard]] RidgeCriterion ridge_criterion(const std::string& name);

/// A fit's data beside K.
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
/// sum_ij k_ij D_ij. Cost: three products' worth of n^3; memory 2 n^2 beside K. Throws
/// InvalidArgument when lengths do not fit, ResourceError, Interrupted.
[[nodiscard]] CriterionValue evaluate_criterion(RidgeCriterion criterion, const RidgeFit& fit,
                                                MatrixView<double> k, Context& context);

}  // namespace mercer
