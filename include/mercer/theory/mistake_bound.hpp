// SPDX-License-Identifier: Apache-2.0
//
// mercer/theory/mistake_bound.hpp - how many mistakes a perceptron can make on separable rows.
//
// With R = max |x_i| and B the least |w| that has y_i <w, x_i> >= 1 at every row (the homogeneous
// hard margin, reached at w*), the perceptron makes T <= R^2 B^2 mistakes (Novikoff, 1962). Each
// increases <w*, w> by at least 1 and |w|^2 by at most R^2, so after T of them
//
//     T <= <w*, w> <= B |w| <= B R sqrt(T).
//
// With an intercept the rows are x' = (1, x); with a kernel k the kernel is k + 1.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/kernels/kernel.hpp"

namespace mercer {

/// The two sides of the proof after one mistake.
struct ProofStep {
    index_t row = 0;            ///< where the mistake was made
    double product = kNaN;      ///< <w*, w>, at least the number of mistakes; NaN: w* not known
    double squared_norm = 0.0;  ///< |w|^2
    double limit = 0.0;         ///< T R^2, which |w|^2 does not exceed
};

/// The bound and its ingredients; NaN where unknown, for the reason given.
struct MistakeBound {
    index_t mistakes = 0;
    index_t passes = 0;         ///< over the rows; the last one may be incomplete
    double radius = kNaN;       ///< R
    double margin_norm = kNaN;  ///< B
    double bound = kNaN;        ///< R^2 B^2
    std::string reason;         ///< why B is not known; empty when it is
    std::vector<ProofStep> steps;
};

/// The kernel of the rows (1, x).
[[nodiscard]] Kernel embedded_kernel(const Kernel& kernel);

/// max |x_i| from k(x_i, x_i), of the rows (1, x_i) when there is an intercept. Throws
/// InvalidArgument when there is no row, or no diagonal value >= 0 of such rows.
[[nodiscard]] double radius_of(std::span<const double> diagonal, bool intercept);

/// |w| / min_i products_i for products_i = y_i <w, x_i>: the norm of w scaled so that the least
/// margin is 1. Never below B, and B itself at the hard margin. NaN unless every product is > 0.
[[nodiscard]] double margin_norm(std::span<const double> products, double squared_norm);

/// R^2 B^2.
[[nodiscard]] double mistake_bound(double radius, double margin_norm);

/// The two sides of the proof after every mistake. `rows` and `squared_norms` have one entry per
/// mistake; `margins` are y_i <w*, x_i> of the rows, scaled so that the least is 1; empty: unknown.
[[nodiscard]] std::vector<ProofStep> proof_steps(std::span<const index_t> rows,
                                                 std::span<const double> squared_norms,
                                                 std::span<const double> margins, double radius);

}  // namespace mercer
