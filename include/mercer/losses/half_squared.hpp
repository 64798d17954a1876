// SPDX-License-Identifier: Apache-2.0
//
// mercer/losses/half_squared.hpp - 1/2 (f - y)^2, the squared loss as textbooks on ridge regression
// write it.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "mercer/base/types.hpp"
#include "mercer/losses/facts.hpp"

namespace mercer {

/// With cost C it adds 1/C to the diagonal of K.
struct HalfSquaredLoss {
    static constexpr const char* kName = "half-squared";
    static constexpr bool kClassification = false;
    static constexpr bool kSurrogate = false;
    static constexpr bool kSlope = true;
    static constexpr bool kPiecewiseQuadratic = true;
    static constexpr bool kBoxDual = true;
    static constexpr bool kFlatSide = false;
    static constexpr double kGreatestCurvature = 1.0;
    static constexpr Width kWidth = Width::none;
    static constexpr bool kFreeWidth = false;

    [[nodiscard]] double value(double y, double f) const { return 0.5 * (f - y) * (f - y); }
    [[nodiscard]] double derivative(double y, double f) const { return f - y; }
    [[nodiscard]] double curvature(double, double) const { return 1.0; }

    /// sup_f (u f - value(y, f)).
    [[nodiscard]] double conjugate(double y, double u) const { return u * (y + 0.5 * u); }
    [[nodiscard]] Interval conjugate_domain(double) const { return {}; }
    /// The f at which u is a subgradient of the loss.
    [[nodiscard]] Interval conjugate_subgradient(double y, double u) const {
        return {y + u, y + u};
    }

    /// c value(y, z) + c conjugate(y, -a / c) + a z, without the cancellation of its parts.
    template <typename Real>
    [[nodiscard]] Real young_gap(double y, Real z, double c, Real a) const {
        const Real root = Real(c) * (z - y) + a;
        return root * (root / (2.0 * c));
    }

    [[nodiscard]] DualForm dual_form(double y) const { return {.linear = y, .ridge = 1.0}; }
    [[nodiscard]] std::array<Jump, 0> kinks(double, double) const { return {}; }
    [[nodiscard]] std::array<Jump, 0> bends(double) const { return {}; }
};

}  // namespace mercer
