// SPDX-License-Identifier: Apache-2.0
//
// mercer/theory/ridge_identity.hpp - ridge regression has equal primal and dual forms.
//
//     (P^-1 + B'R^-1 B)^-1 B'R^-1  =  P B'(B P B' + R)^-1
//
// B is m x d, P (d x d, prior of the weights) and R (m x m, noise of the targets) are symmetric
// positive definite. The left side solves a d x d system, the right side an m x m system; with
// P = I / lambda and R = I they are the primal and the dual form of ridge regression.
#pragma once

#include <vector>

#include "mercer/base/types.hpp"

namespace mercer {

class Context;

/// Both sides, d x m, row-major, and how far apart they are.
struct RidgeIdentity {
    index_t rows = 0;     ///< d
    index_t columns = 0;  ///< m
    std::vector<double> left;
    std::vector<double> right;
    double largest = 0.0;     ///< largest absolute entry of the right side
    double difference = 0.0;  ///< largest difference of an entry
    double rounding = 0.0;    ///< the difference that rounding can explain
    [[nodiscard]] bool holds() const noexcept { return difference <= rounding; }
};

/// Computes both sides, each by its own factorisations. Throws InvalidArgument when a shape is
/// wrong or P or R is not symmetric positive definite (naming the matrix), ResourceError when the m
/// x m matrices do not fit the budget.
[[nodiscard]] RidgeIdentity ridge_identity(MatrixView<const double> b, MatrixView<const double> p,
                                           MatrixView<const double> r, Context& context);

}  // namespace mercer
