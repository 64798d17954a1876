// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/precise_rounding.hpp - coefficients of 113 bits as doubles.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/quad.hpp"
#include "mercer/problems/problem.hpp"
#include "solvers/precise_matrix.hpp"

namespace mercer {

/// The nearest doubles; those that are nothing beside the rounding of others are zero.
[[nodiscard]] std::vector<double> rounded(std::span<const Quad> beta, const PreciseMatrix& kernel);

/// Doubles near the coefficients whose errors nearly cancel in K beta: the one that counts most in it
/// is rounded first, and those that are left make up for its error (Babai's nearest plane,
/// Combinatorica 6, 1986). The sums are as good as rounding makes them.
[[nodiscard]] std::vector<double> rounded_together(const Problem& problem,
                                                   std::span<const Quad> beta,
                                                   const PreciseMatrix& kernel);

}  // namespace mercer
