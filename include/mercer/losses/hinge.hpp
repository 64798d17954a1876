// SPDX-License-Identifier: Apache-2.0
//
// mercer/losses/hinge.hpp - max(0, margin - y f), the loss of the soft-margin machine.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "mercer/base/types.hpp"
#include "mercer/losses/facts.hpp"

namespace mercer {

/// y is -1 or +1.
struct HingeLoss {
    static constexpr const char* kName = "hinge";
    static constexpr bool kClassification = true;
    static constexpr bool kSurrogate = true;  ///< replaces the 0-1 loss in training
    static constexpr bool kSlope = false;
    static constexpr bool kPiecewiseQuadratic = true;
    static constexpr bool kBoxDual = true;
    static constexpr bool kFlatSide = true;
    static constexpr double kGreatestCurvature = 0.0;
    static constexpr Width kWidth = Width::margin;
    static constexpr bool kFreeWidth = true;

    double margin = 1.0;  ///< 1, or the margin that a nu-machine found

    [[nodiscard]] double value(double y, double f) const { return std::max(0.0, margin - y * f); }
    /// A subgradient in f; at the kink y f == margin 0, the one of least norm.
    [[nodiscard]] double derivative(double y, double f) const { return y * f < margin ? -y : 0.0; }
    [[nodiscard]] double curvature(double, double) const { return 0.0; }

    /// sup_f (u f - value(y, f)): margin y u on its domain, +inf off it.
    [[nodiscard]] double conjugate(double y, double u) const {
        const Interval domain = conjugate_domain(y);
        return domain.lower <= u && u <= domain.upper ? margin * y * u : kInfinity;
    }
    /// Where the conjugate is finite; this is the box of the dual problem.
    [[nodiscard]] Interval conjugate_domain(double y) const {
        return y > 0.0 ? Interval{-1.0, 0.0} : Interval{0.0, 1.0};
    }
    /// The f at which u is a subgradient of the loss.
    [[nodiscard]] Interval conjugate_subgradient(double y, double u) const {
        const double slope = -y * u;  // 0: beyond the margin, 1: inside it
        const double low = slope >= 1.0 ? -kInfinity : margin;
        const double high = slope <= 0.0 ? kInfinity : margin;
        return y > 0.0 ? Interval{low, high} : Interval{-high, -low};
    }

    /// c value(y, z) + c conjugate(y, -a / c) + a z, without the cancellation of its parts.
    template <typename Real>
    [[nodiscard]] Real young_gap(double y, Real z, double c, Real a) const {
        const Real slack = Real(margin) - y * z;
        const Real size = y * a;
        return slack >= 0.0 ? (Real(c) - size) * slack : size * -slack;
    }

    [[nodiscard]] DualForm dual_form(double y) const { return {.linear = y * margin}; }
    [[nodiscard]] std::array<Jump, 1> kinks(double y, double f) const {
        return {{{y * margin - f, 1.0}}};
    }
    [[nodiscard]] std::array<Jump, 0> bends(double) const { return {}; }
    [[nodiscard]] double width() const { return margin; }
    [[nodiscard]] HingeLoss with_width(double width) const { return {width}; }
};

}  // namespace mercer
