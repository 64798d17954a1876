// SPDX-License-Identifier: Apache-2.0
//
// mercer/losses/modified_huber.hpp - 0, xi^2/2 or 2 (xi - 1) with xi = 1 - y f: a squared hinge
// with linear tail.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "mercer/base/types.hpp"
#include "mercer/losses/facts.hpp"

namespace mercer {

/// y is -1 or +1. Half of what scikit-learn calls modified_huber.
struct ModifiedHuberLoss {
    static constexpr const char* kName = "modified-huber";
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
        const double slack = 1.0 - y * f;
        if (slack <= 0.0) {
            return 0.0;
        }
        return slack < 2.0 ? 0.5 * slack * slack : 2.0 * (slack - 1.0);
    }
    [[nodiscard]] double derivative(double y, double f) const {
        return -y * std::clamp(1.0 - y * f, 0.0, 2.0);
    }
    [[nodiscard]] double curvature(double y, double f) const {
        const double slack = 1.0 - y * f;
        return slack > 0.0 && slack < 2.0 ? 1.0 : 0.0;
    }

    /// sup_f (u f - value(y, f)): finite for 0 <= -y u <= 2.
    [[nodiscard]] double conjugate(double y, double u) const {
        const Interval domain = conjugate_domain(y);
        return domain.lower <= u && u <= domain.upper ? u * (y + 0.5 * u) : kInfinity;
    }
    [[nodiscard]] Interval conjugate_domain(double y) const {
        return y > 0.0 ? Interval{-2.0, 0.0} : Interval{0.0, 2.0};
    }
    /// The f at which u is a subgradient of the loss.
    [[nodiscard]] Interval conjugate_subgradient(double y, double u) const {
        const double slope = -y * u;  // 0 .. 2
        const double low = slope >= 2.0 ? -kInfinity : 1.0 - slope;
        const double high = slope <= 0.0 ? kInfinity : 1.0 - slope;
        return y > 0.0 ? Interval{low, high} : Interval{-high, -low};
    }

    /// c value(y, z) + c conjugate(y, -a / c) + a z, without the cancellation of its parts.
    template <typename Real>
    [[nodiscard]] Real young_gap(double y, Real z, double c, Real a) const {
        const Real slack = Real(1.0) - y * z;
        const Real size = y * a;
        if (slack >= 2.0) {
            const Real room = Real(2.0 * c) - size;
            return room * ((slack - 2.0) + room / (2.0 * c));
        }
        if (slack >= 0.0) {
            const Real root = Real(c) * slack - size;
            return root * (root / (2.0 * c));
        }
        return size * (size / (2.0 * c)) + size * -slack;
    }

    [[nodiscard]] DualForm dual_form(double y) const { return {.linear = y, .ridge = 1.0}; }
    [[nodiscard]] std::array<Jump, 0> kinks(double, double) const { return {}; }
    [[nodiscard]] std::array<Jump, 2> bends(double) const { return {{{-1.0, 1.0}, {1.0, -1.0}}}; }
};

}  // namespace mercer
