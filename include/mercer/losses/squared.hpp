// SPDX-License-Identifier: Apache-2.0
//
// mercer/losses/squared.hpp - (f - y)^2, the loss of kernel ridge regression.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "mercer/base/types.hpp"

namespace mercer {

/// The full square, without the half: with cost C it adds 1/(2C) to the diagonal of K.
struct SquaredLoss {
    static constexpr const char* kName = "squared";
    static constexpr bool kClassification = false;
    /// Values of y f between which the curvature is the same: it is everywhere.
    static constexpr std::array<double, 0> kBends{};
    static constexpr bool kSurrogate = false;

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
};

}  // namespace mercer
