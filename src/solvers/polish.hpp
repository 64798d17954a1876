// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/polish.hpp - the last digits of a dual that coordinate steps cannot reach.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "mercer/problems/problem.hpp"

namespace mercer {

/// Problems of more rows are not polished: 32 MB of K, and as much for a factor.
inline constexpr index_t kMostPolished = 2000;

/// The coefficients of the optimum, found from `beta` in the dual set by at most `work`
/// multiplications. Nothing for too many rows, too little memory, a loss without a box, a free tube
/// that closes, or when the work was not enough.
[[nodiscard]] std::optional<std::vector<double>> polished(const Problem& problem,
                                                          std::span<const double> beta, double work,
                                                          Context& context);

}  // namespace mercer
