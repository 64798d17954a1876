// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/slope_search.hpp - the exact line search of the Newton methods.
#pragma once

#include <cmath>

namespace mercer {

/// Derivative of a convex function along a line.
struct Slope {
    double value = 0.0;
    double rise = 0.0;   ///< second derivative
    double scale = 0.0;  ///< size of the terms, which decides what counts as zero
};

/// The full step is the minimum if the slope there is below this share of the first one.
inline constexpr double kFullStep = 1e-12;

/// The length at which the slope is zero, by Newton's method inside a bracket. `start` is the slope
/// at 0, which is negative.
template <typename SlopeAt>
[[nodiscard]] double root_of_slope(const Slope& start, const SlopeAt& slope_at) {
    constexpr int kSearchSteps = 100;
    double low = 0.0;
    double high = 1.0;
    Slope at_high = slope_at(high);
    if (std::abs(at_high.value) <= kFullStep * std::abs(start.value)) {
        return 1.0;
    }
    while (at_high.value < 0.0 && high < 1e6) {
        low = high;
        high *= 2.0;
        at_high = slope_at(high);
    }
    double length = low > 0.0 ? low : high;
    for (int k = 0; k < kSearchSteps; ++k) {
        const Slope here = slope_at(length);
        (here.value < 0.0 ? low : high) = length;
        if (std::abs(here.value) <= 1e-14 * here.scale) {
            break;
        }
        double next = here.rise > 0.0 ? length - here.value / here.rise : low;
        if (!(next > low && next < high)) {
            next = 0.5 * (low + high);
        }
        if (next == low || next == high || next == length) {
            break;
        }
        length = next;
    }
    return length;
}

}  // namespace mercer
