// SPDX-License-Identifier: Apache-2.0
//
// mercer/losses/absolute.hpp - |f - y|, the loss of median regression.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "mercer/base/types.hpp"
#include "mercer/losses/facts.hpp"

namespace mercer {

/// Least absolute deviations.
struct AbsoluteLoss {
    static constexpr const char* kName = "absolute";
    static constexpr bool kClassification = false;
    static constexpr bool kSurrogate = false;
    static constexpr bool kSlope = false;
    static constexpr bool kPiecewiseQuadratic = true;
    static constexpr bool kBoxDual = true;
    static constexpr bool kFlatSide = false;
    static constexpr double kGreatestCurvature = 0.0;
    static constexpr Width kWidth = Width::none;
    static constexpr bool kFreeWidth = false;

    [[nodiscard]] double value(double y, double f) const { return std::abs(f - y); }
    /// A subgradient in f; 0 at the kink.
    [[nodiscard]] double derivative(double y, double f) const {
        return f > y ? 1.0 : (f < y ? -1.0 : 0.0);
    }
    [[nodiscard]] double curvature(double, double) const { return 0.0; }

    /// sup_f (u f - value(y, f)): finite for |u| <= 1.
    [[nodiscard]] double conjugate(double y, double u) const {
        return std::abs(u) <= 1.0 ? u * y : kInfinity;
    }
    [[nodiscard]] Interval conjugate_domain(double) const { return {-1.0, 1.0}; }
    /// The f at which u is a subgradient of the loss.
    [[nodiscard]] Interval conjugate_subgradient(double y, double u) const {
        return {u <= -1.0 ? -kInfinity : y, u >= 1.0 ? kInfinity : y};
    }

    /// c value(y, z) + c conjugate(y, -a / c) + a z, without the cancellation of its parts.
    template <typename Real>
    [[nodiscard]] Real young_gap(double y, Real z, double c, Real a) const {
        const Real above = z - y;
        return above >= 0.0 ? (Real(c) + a) * above : (Real(c) - a) * -above;
    }

    [[nodiscard]] DualForm dual_form(double y) const { return {.linear = y}; }
    [[nodiscard]] std::array<Jump, 1> kinks(double y, double f) const { return {{{y - f, 2.0}}}; }
    [[nodiscard]] std::array<Jump, 0> bends(double) const { return {}; }
};

}  // namespace mercer
