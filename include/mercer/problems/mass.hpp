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

/// True when sum |beta| is below the mass, which only a tube allows.
/// Both the mass and the sum are rounded.
[[nodiscard]] inline bool within_mass(std::span<const double> beta, double mass) {
    constexpr double kBelow = 1.0 - 1e-12;
    return absolute_sum(beta) <= kBelow * mass;
}

/// Sums of |beta| on the two sides of a tube.
template <typename Real>
struct SideSums {
    Real above = 0.0;  ///< of the positive coefficients
    Real below = 0.0;

    [[nodiscard]] Real total() const { return above + below; }
    /// The largest total after one coefficient has been moved to make both sides equal.
    [[nodiscard]] Real balanced() const { return 2.0 * (above > below ? above : below); }
};

template <typename Real = double>
[[nodiscard]] SideSums<Real> side_sums(std::span<const double> beta) {
    SideSums<Real> out;
    for (const double value : beta) {
        if (value != 0.0) {
            (value > 0.0 ? out.above : out.below) += std::abs(value);
        }
    }
    return out;
}

/// Share of the mass below which coefficients of an open tube are not scaled up to it. The rest has
/// a price: its part of the mass times the width.
inline constexpr double kUsesMass = 1.0 - 1e-9;

}  // namespace mercer
