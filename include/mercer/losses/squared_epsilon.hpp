// SPDX-License-Identifier: Apache-2.0
//
// mercer/losses/squared_epsilon.hpp - 1/2 max(0, |f - y| - epsilon)^2, the loss of the L2 support
// vector regression.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "mercer/base/types.hpp"
#include "mercer/losses/facts.hpp"

namespace mercer {

/// Zero inside the tube of half-width epsilon; epsilon = 0 is half the squared loss.
struct SquaredEpsilonLoss {
    static constexpr const char* kName = "squared-epsilon";
    static constexpr bool kClassification = false;
    static constexpr bool kSurrogate = false;
    static constexpr bool kSlope = true;
    static constexpr bool kPiecewiseQuadratic = true;
    static constexpr bool kBoxDual = true;
    static constexpr bool kFlatSide = true;
    static constexpr double kGreatestCurvature = 1.0;
    static constexpr Width kWidth = Width::tube;
    static constexpr bool kFreeWidth = false;

    double epsilon = 0.1;  ///< >= 0

    [[nodiscard]] double value(double y, double f) const {
        const double slack = std::max(0.0, std::abs(f - y) - epsilon);
        return 0.5 * slack * slack;
    }
    [[nodiscard]] double derivative(double y, double f) const {
        const double slack = std::max(0.0, std::abs(f - y) - epsilon);
        return f > y ? slack : -slack;
    }
    [[nodiscard]] double curvature(double y, double f) const {
        return std::abs(f - y) > epsilon ? 1.0 : 0.0;
    }

    /// sup_f (u f - value(y, f)).
    [[nodiscard]] double conjugate(double y, double u) const {
        return u * y + epsilon * std::abs(u) + 0.5 * u * u;
    }
    [[nodiscard]] Interval conjugate_domain(double) const { return {-kInfinity, kInfinity}; }
    /// The f at which u is a subgradient of the loss.
    [[nodiscard]] Interval conjugate_subgradient(double y, double u) const {
        if (u == 0.0) {
            return {y - epsilon, y + epsilon};
        }
        const double f = (u > 0.0 ? y + epsilon : y - epsilon) + u;
        return {f, f};
    }

    /// c value(y, z) + c conjugate(y, -a / c) + a z, without the cancellation of its parts.
    template <typename Real>
    [[nodiscard]] Real young_gap(double y, Real z, double c, Real a) const {
        const Real along = a >= 0.0 ? y - z : z - y;  // the residual on the side of a
        const Real size = a >= 0.0 ? a : -a;
        if (along > epsilon) {
            const Real root = Real(c) * (along - epsilon) - size;
            return root * (root / (2.0 * c));
        }
        const Real beyond = -along - epsilon;  // the other edge
        return size * (Real(epsilon) - along) + size * (size / (2.0 * c)) +
               (beyond > 0.0 ? Real(0.5 * c) * beyond * beyond : Real(0.0));
    }

    [[nodiscard]] DualForm dual_form(double y) const {
        return {.linear = y, .width = epsilon, .ridge = 1.0};
    }
    [[nodiscard]] std::array<Jump, 0> kinks(double, double) const { return {}; }
    [[nodiscard]] std::array<Jump, 2> bends(double y) const {
        return {{{y - epsilon, -1.0}, {y + epsilon, 1.0}}};
    }
    [[nodiscard]] double width() const { return epsilon; }
    [[nodiscard]] SquaredEpsilonLoss with_width(double width) const { return {width}; }
};

}  // namespace mercer
