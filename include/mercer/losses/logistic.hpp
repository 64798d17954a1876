// SPDX-License-Identifier: Apache-2.0
//
// mercer/losses/logistic.hpp - log(1 + exp(-y f)), the loss of kernel logistic regression.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "mercer/base/roundoff.hpp"
#include "mercer/base/types.hpp"
#include "mercer/losses/facts.hpp"

namespace mercer {

/// y is -1 or +1. A surrogate: it is not 0 at f = y.
struct LogisticLoss {
    static constexpr const char* kName = "logistic";
    static constexpr bool kClassification = true;
    static constexpr bool kSurrogate = true;  ///< replaces the 0-1 loss in training
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

    /// c value(y, z) + c conjugate(y, -a / c) + a z = c KL(p || q), p = y a / c, q = sigmoid(-y z),
    /// plus a bound on its rounding error: never below the exact value at a double z.
    template <typename Real>
    [[nodiscard]] Real young_gap(double y, Real z, double c, Real a) const {
        using std::exp;
        using std::fabs;
        using std::log1p;
        const Real margin = y * z;
        const Real small = exp(-fabs(margin));
        const Real likely = Real(1.0) / (Real(1.0) + small);
        const Real unlikely = small / (Real(1.0) + small);
        const Real q = margin >= 0.0 ? unlikely : likely;
        const Real rest = margin >= 0.0 ? likely : unlikely;  // 1 - q
        const Real p = y * a / c;
        const Real other = (Real(c) - y * a) / c;  // 1 - p
        const Real more = margin >= 0.0 ? p - q : rest - other;
        const Real soft = log1p(small);
        const Real log_q = margin >= 0.0 ? -margin - soft : -soft;
        const Real log_rest = margin >= 0.0 ? -soft : margin - soft;
        const Real first = divergence(p, q, more, log_q);
        const Real second = divergence(other, rest, -more, log_rest);
        const Real sum = first + second;
        const Real u = roundoff(z);
        const Real rounding = Real(16.0) * u * (fabs(first) + fabs(second) + fabs(more) + u);
        return Real(c) * ((sum > 0.0 ? sum : Real(0.0)) + rounding);
    }

    [[nodiscard]] std::array<Jump, 0> kinks(double, double) const { return {}; }
    [[nodiscard]] std::array<Jump, 0> bends(double) const { return {}; }

private:
    /// p log(p / q), given `more` = p - q; accurate also when p and q are close.
    template <typename Real>
    [[nodiscard]] static Real divergence(Real p, Real q, Real more, Real log_q) {
        using std::fabs;
        using std::log;
        using std::log1p;
        if (!(p > 0.0)) {
            return Real(0.0);
        }
        return fabs(more) <= Real(0.5) * q ? p * log1p(more / q) : p * (log(p) - log_q);
    }
};

}  // namespace mercer
