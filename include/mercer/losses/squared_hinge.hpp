// SPDX-License-Identifier: Apache-2.0
//
// mercer/losses/squared_hinge.hpp - 1/2 max(0, 1 - y f)^2, the loss of the L2 support vector
// machine.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "mercer/base/types.hpp"
#include "mercer/losses/facts.hpp"

namespace mercer {

/// y is -1 or +1.
struct SquaredHingeLoss {
    static constexpr const char* kName = "squared-hinge";
    static constexpr bool kClassification = true;
    static constexpr bool kSurrogate = true;  ///< replaces the 0-1 loss in training
    static constexpr bool kSlope = true;
    static constexpr bool kPiecewiseQuadratic = true;
    static constexpr bool kBoxDual = true;
    static constexpr bool kFlatSide = true;
    static constexpr double kGreatestCurvature = 1.0;
    static constexpr Width kWidth = Width::none;
    static constexpr bool kFreeWidth = false;

    [[nodiscard]] double value(double y, double f) const {
        const double slack = std::max(0.0, 1.0 - y * f);
        return 0.5 * slack * slack;
    }
    [[nodiscard]] double derivative(double y, double f) const {
        return -y * std::max(0.0, 1.0 - y * f);
    }
    [[nodiscard]] double curvature(double y, double f) const { return y * f < 1.0 ? 1.0 : 0.0; }

    /// sup_f (u f - value(y, f)): finite for y u <= 0.
    [[nodiscard]] double conjugate(double y, double u) const {
        return y * u <= 0.0 ? u * (y + 0.5 * u) : kInfinity;
    }
    [[nodiscard]] Interval conjugate_domain(double y) const {
        return y > 0.0 ? Interval{-kInfinity, 0.0} : Interval{0.0, kInfinity};
    }
    /// The f at which u is a subgradient of the loss.
    [[nodiscard]] Interval conjugate_subgradient(double y, double u) const {
        if (y * u < 0.0) {
            return {y + u, y + u};
        }
        return y > 0.0 ? Interval{1.0, kInfinity} : Interval{-kInfinity, -1.0};
    }

    /// c value(y, z) + c conjugate(y, -a / c) + a z, without the cancellation of its parts.
    template <typename Real>
    [[nodiscard]] Real young_gap(double y, Real z, double c, Real a) const {
        const Real slack = Real(1.0) - y * z;
        const Real size = y * a;
        if (slack >= 0.0) {
            const Real root = Real(c) * slack - size;
            return root * (root / (2.0 * c));
        }
        return size * (size / (2.0 * c)) + size * -slack;
    }

    [[nodiscard]] DualForm dual_form(double y) const { return {.linear = y, .ridge = 1.0}; }
    [[nodiscard]] std::array<Jump, 0> kinks(double, double) const { return {}; }
    [[nodiscard]] std::array<Jump, 1> bends(double y) const { return {{{y, -y}}}; }
};

}  // namespace mercer
