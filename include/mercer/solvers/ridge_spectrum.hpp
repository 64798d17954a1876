// SPDX-License-Identifier: Apache-2.0
//
// mercer/solvers/ridge_spectrum.hpp - one reduction of K to a band matrix for all values of alpha.
//
//     RidgeSpectrum spectrum(problem, context);          // n^3, once; problem.alpha is not used
//     for (double alpha : grid) spectrum.measure(alpha, folds, context);
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/compute/band_form.hpp"
#include "mercer/solvers/ridge.hpp"

namespace mercer {

/// Measures of one alpha without refitting. Residuals are y_i - f(x_i) - b of a fit without row i,
/// or without its fold; n x t, row-major.
struct RidgeMeasures {
    double alpha = kNaN;
    std::vector<double> leave_one_out;
    std::vector<double> left_out;        ///< by the folds given; empty without folds
    double degrees = kNaN;               ///< trace of the matrix from targets to fitted values
    std::vector<double> gcv;             ///< generalised cross-validation, one per target
    std::vector<double> log_likelihood;  ///< log p(y) of y ~ N(b, K + alpha W^-1), at the best b
};

/// W^1/2 K W^1/2 reduced to a band matrix by an orthogonal basis. After that the measures of one
/// alpha cost O(n^2), with folds O(n) per pair of rows of a fold.
class RidgeSpectrum {
public:
    /// Throws like solve_ridge, and when a weight is 0: leave such rows out first.
    RidgeSpectrum(const RidgeProblem& problem, Context& context);

    /// `folds` holds the row numbers of each fold; a row is in at most one. All measures are NaN if
    /// the rounding of K exceeds alpha. Throws InvalidArgument unless alpha > 0, and when K + alpha
    /// has no Cholesky factor and K is not known to be positive definite.
    [[nodiscard]] RidgeMeasures measure(double alpha, std::span<const std::vector<index_t>> folds,
                                        Context& context) const;

private:
    struct Inverse;
    [[nodiscard]] RidgeMeasures measure_regular(double alpha,
                                                std::span<const std::vector<index_t>> folds,
                                                Context& context) const;
    void leave_out(const Inverse& inverse, std::span<const index_t> fold, RidgeMeasures& out,
                   Context& context) const;
    void take_targets(const RidgeProblem& problem, Context& context);

    index_t rows_ = 0;
    index_t targets_ = 1;
    bool intercept_ = true;
    bool definite_ = true;      ///< K is positive semidefinite by its kernel
    std::vector<double> root_;  ///< square roots of the weights
    std::optional<BandForm> form_;
    std::vector<double> along_;      ///< products of basis vector e with target t, n x t
    std::vector<double> along_one_;  ///< products of basis vector e with the weighted ones
};

}  // namespace mercer
