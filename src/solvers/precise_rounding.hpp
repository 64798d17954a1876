// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/precise_rounding.hpp - rounds coefficients of 113 bits to doubles.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/quad.hpp"
#include "mercer/operators/precise_values.hpp"
#include "mercer/problems/problem.hpp"
#include "solvers/precise_matrix.hpp"

namespace mercer {

/// The nearest doubles; coefficients that are negligible relative to the rounding of others are 0.
[[nodiscard]] std::vector<double> rounded(std::span<const Quad> beta, const PreciseMatrix& kernel);

struct TogetherOptions {
    const PreciseFeatures* columns = nullptr;  ///< Z with K = ZZ'; none or empty: K itself
    std::span<const double> held = {};  ///< values of rows held at a bound, NaN for the others
    bool by_size = false;               ///< the largest coefficient first, not that of largest norm
    bool with_sums = false;             ///< also compensate for errors of the sums
};

/// Doubles close to the coefficients whose errors nearly cancel in K beta: the coefficient of
/// largest norm is rounded first, and the remaining ones compensate for its error (Babai's nearest
/// plane, Combinatorica 6, 1986). Small columns Z are more accurate than K. Held rows are set to
/// their bound before all others; their errors, and those of coefficients that became 0, are
/// compensated for as well.
[[nodiscard]] std::vector<double> rounded_together(const Problem& problem,
                                                   std::span<const Quad> beta,
                                                   const PreciseMatrix& kernel,
                                                   const TogetherOptions& options = {});

}  // namespace mercer
