// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/precise_rounding.hpp - coefficients of 113 bits as doubles.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/quad.hpp"
#include "mercer/operators/precise_values.hpp"
#include "mercer/problems/problem.hpp"
#include "solvers/precise_matrix.hpp"

namespace mercer {

/// The nearest doubles; those that are nothing beside the rounding of others are zero.
[[nodiscard]] std::vector<double> rounded(std::span<const Quad> beta, const PreciseMatrix& kernel);

struct TogetherOptions {
    const PreciseFeatures* columns = nullptr;  ///< Z with K = ZZ'; none or empty: K itself
    std::span<const double> held = {};  ///< values of rows that a bound holds, NaN for the others
    bool by_size = false;    ///< the largest coefficient first, not the one that counts most
    bool with_sums = false;  ///< make up for errors of the sums as well
};

/// Doubles near the coefficients whose errors nearly cancel in K beta: the one that counts most in it is
/// rounded first, and those that are left make up for its error (Babai's nearest plane, Combinatorica 6,
/// 1986). Small columns Z have digits that K has not. Rows that are held go to their bound before all others.
[[nodiscard]] std::vector<double> rounded_together(const Problem& problem,
                                                   std::span<const Quad> beta,
                                                   const PreciseMatrix& kernel,
                                                   const TogetherOptions& options = {});

}  // namespace mercer
