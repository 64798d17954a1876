// SPDX-License-Identifier: Apache-2.0
//
// mercer/losses/logistic.hpp - log(1 + exp(-y f)), the loss of kernel logistic regression.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "mercer/base/types.hpp"
#include "mercer/losses/facts.hpp"

namespace mercer {

/// y is -1 or +1. A surrogate: it is not 0 at f = y.
struct LogisticLoss {
    static constexpr const char* kName = "logistic";
    static constexpr bool kClassification = true;
    static constexpr bool kSurrogate = true;  ///< stands in for the 0-1 loss in training
    static constexpr bool kSlope = true;
    static constexpr bool kPiecewiseQuadratic = false;
    static constexpr bool kBoxDual = false;
    static constexpr bool kFlatSide = false;
    static constexpr double kGreatestCurvature = 0.25;
    static constexpr Width kWidth = Width::none;
    static constexpr bool kFreeWidth = false;

    /// 1 / (1 + exp(-z)) without overflow.
    [[nodiscard]] static double sigmoid(double z) {
        const double e = std::exp(-std::abs(z));
        return z >= 0.0 ? 1.0 / (1.0 + e) : e / (1.0 + e);
    }

    [[nodiscard]] double value(double y, double f) const {
        const double margin = y * f;
        return std::max(0.0, -margin) + std::log1p(std::exp(-std::abs(margin)));
    }
    [[nodiscard]] double derivative(double y, double f) const { return -y * sigmoid(-y * f); }
    [[nodiscard]] double curvature(double y, double f) const {
        return sigmoid(y * f) * sigmoid(-y * f);
    }

    /// sup_f (u f - value(y, f)) = p log p + (1 - p) log(1 - p), p = -y u in [0, 1], 0 log 0 = 0.
    [[nodiscard]] double conjugate(double y, double u) const {
        const double p = -y * u;
        if (!(p >= 0.0 && p <= 1.0)) {
            return kInfinity;
        }
        return (p > 0.0 ? p * std::log(p) : 0.0) + (p < 1.0 ? (1.0 - p) * std::log1p(-p) : 0.0);
    }
    [[nodiscard]] Interval conjugate_domain(double y) const {
        return y > 0.0 ? Interval{-1.0, 0.0} : Interval{0.0, 1.0};
    }
    /// The f at which u is a subgradient of the loss.
    [[nodiscard]] Interval conjugate_subgradient(double y, double u) const {
        const double p = -y * u;
        const double f = y * (std::log1p(-p) - std::log(p));  // +-inf at the ends of the domain
        return {f, f};
    }

    [[nodiscard]] std::array<Jump, 0> kinks(double, double) const { return {}; }
    [[nodiscard]] std::array<Jump, 0> bends(double) const { return {}; }
};

}  // namespace mercer
