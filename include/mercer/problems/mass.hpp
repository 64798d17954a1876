// SPDX-License-Identifier: Apache-2.0
//
// mercer/problems/mass.hpp - the sum constraint of a problem whose width is free.
#pragma once

#include <cmath>
#include <numeric>
#include <span>

namespace mercer {

[[nodiscard]] inline double absolute_sum(std::span<const double> beta) {
    return std::accumulate(beta.begin(), beta.end(), 0.0,
                           [](double sum, double value) { return sum + std::abs(value); });
}

/// True when sum |beta| is below the mass, which only a tube of width 0 allows.
/// Both the mass and the sum are rounded.
[[nodiscard]] inline bool within_mass(std::span<const double> beta, double mass) {
    constexpr double kBelow = 1.0 - 1e-12;
    return absolute_sum(beta) <= kBelow * mass;
}

}  // namespace mercer
