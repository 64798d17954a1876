// SPDX-License-Identifier: Apache-2.0
//
// mercer/losses/epsilon_insensitive.hpp - max(0, |f - y| - epsilon), the loss of support vector
// regression.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "mercer/base/types.hpp"
#include "mercer/losses/facts.hpp"

namespace mercer {

/// Zero inside the tube of half-width epsilon; epsilon = 0 is the absolute loss.
struct EpsilonInsensitiveLoss {
    static constexpr const char* kName = "epsilon";
    static constexpr bool kClassification = false;
    static constexpr bool kSurrogate = false;
    static constexpr bool kSlope = false;
    static constexpr bool kPiecewiseQuadratic = true;
    static constexpr bool kBoxDual = true;
    static constexpr bool kFlatSide = true;
    static constexpr double kGreatestCurvature = 0.0;
    static constexpr Width kWidth = Width::tube;
    static constexpr bool kFreeWidth = true;

    double epsilon = 0.1;  ///< >= 0

    [[nodiscard]] double value(double y, double f) const {
        return std::max(0.0, std::abs(f - y) - epsilon);
    }
    /// A subgradient in f; on the edge of the tube 0, the one of least norm.
    [[nodiscard]] double derivative(double y, double f) const {
        return f - y > epsilon ? 1.0 : (y - f > epsilon ? -1.0 : 0.0);
    }
    [[nodiscard]] double curvature(double, double) const { return 0.0; }

    /// sup_f (u f - value(y, f)): finite for |u| <= 1.
    [[nodiscard]] double conjugate(double y, double u) const {
        return std::abs(u) <= 1.0 ? u * y + epsilon * std::abs(u) : kInfinity;
    }
    [[nodiscard]] Interval conjugate_domain(double) const { return {-1.0, 1.0}; }
    /// The f at which u is a subgradient of the loss.
    [[nodiscard]] Interval conjugate_subgradient(double y, double u) const {
        if (u == 0.0) {
            return {y - epsilon, y + epsilon};
        }
        const double edge = u > 0.0 ? y + epsilon : y - epsilon;
        return {u <= -1.0 ? -kInfinity : edge, u >= 1.0 ? kInfinity : edge};
    }

    /// c value(y, z) + c conjugate(y, -a / c) + a z, without the cancellation of its parts.
    template <typename Real>
    [[nodiscard]] Real young_gap(double y, Real z, double c, Real a) const {
        const Real along = a >= 0.0 ? y - z : z - y;  // the residual on the side of a
        const Real size = a >= 0.0 ? a : -a;
        if (along > epsilon) {
            return (Real(c) - size) * (along - epsilon);
        }
        const Real beyond = -along - epsilon;  // the other edge
        return size * (Real(epsilon) - along) + (beyond > 0.0 ? Real(c) * beyond : Real(0.0));
    }

    [[nodiscard]] DualForm dual_form(double y) const { return {.linear = y, .width = epsilon}; }
    [[nodiscard]] std::array<Jump, 2> kinks(double y, double f) const {
        return {{{y - f - epsilon, 1.0}, {y - f + epsilon, 1.0}}};
    }
    [[nodiscard]] std::array<Jump, 0> bends(double) const { return {}; }
    [[nodiscard]] double width() const { return epsilon; }
    [[nodiscard]] EpsilonInsensitiveLoss with_width(double width) const { return {width}; }
};

}  // namespace mercer
