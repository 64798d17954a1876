// SPDX-License-Identifier: Apache-2.0
//
// mercer/losses/squared.hpp - (f - y)^2, the loss of kernel ridge regression.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "mercer/base/types.hpp"
#include "mercer/losses/facts.hpp"

namespace mercer {

/// The full square, without the half: with cost C it adds 1/(2C) to the diagonal of K.
struct SquaredLoss {
    static constexpr const char* kName = "squared";
    static constexpr bool kClassification = false;
    static constexpr bool kSurrogate = false;
    static constexpr bool kSlope = true;
    static constexpr bool kPiecewiseQuadratic = true;
    static constexpr bool kBoxDual = true;
    static constexpr bool kFlatSide = false;
    static constexpr double kGreatestCurvature = 2.0;
    static constexpr Width kWidth = Width::none;
    static constexpr bool kFreeWidth = false;

    [[nodiscard]] double value(double y, double f) const { return (f - y) * (f - y); }
    [[nodiscard]] double derivative(double y, double f) const { return 2.0 * (f - y); }
    [[nodiscard]] double curvature(double, double) const { return 2.0; }

    /// sup_f (u f - value(y, f)).
    [[nodiscard]] double conjugate(double y, double u) const { return u * (y + 0.25 * u); }
    [[nodiscard]] Interval conjugate_domain(double) const { return {}; }
    /// The f at which u is a subgradient of the loss.
    [[nodiscard]] Interval conjugate_subgradient(double y, double u) const {
        return {y + 0.5 * u, y + 0.5 * u};
    }

    /// c value(y, z) + c conjugate(y, -a / c) + a z, without the cancellation of its parts.
    template <typename Real>
    [[nodiscard]] Real young_gap(double y, Real z, double c, Real a) const {
        const Real root = Real(2.0 * c) * (z - y) + a;
        return root * (root / (4.0 * c));
    }

    [[nodiscard]] DualForm dual_form(double y) const { return {.linear = y, .ridge = 0.5}; }
    [[nodiscard]] std::array<Jump, 0> kinks(double, double) const { return {}; }
    [[nodiscard]] std::array<Jump, 0> bends(double) const { return {}; }
};

}  // namespace mercer
