// SPDX-License-Identifier: Apache-2.0
//
// src/kernels/error_bound.hpp - bounds of an expression over all pairs of rows, and the rules that
// derive them from the bounds of its operands.
//
// Notation u  2^-53     gamma(m)  m u / (1 - m u): m roundings in a row
#pragma once

#include <limits>
#include <span>

#include "mercer/base/types.hpp"

namespace mercer::rounding {

inline constexpr double kU = 0x1.0p-53;
/// Absolute error of an underflow.
inline constexpr double kTiny = std::numeric_limits<double>::min();
/// Outside these limits squares and quotients leave the range of a double.
inline constexpr double kHuge = 1e290;
inline constexpr double kMinute = 1e-290;
/// Bounds are themselves computed in double: each is widened by this factor.
inline constexpr double kWider = 1e-12;

[[nodiscard]] inline double gamma(double m) {
    return m * kU < 0.5 ? m * kU / (1.0 - m * kU) : kInfinity;
}

[[nodiscard]] double largest(Interval range);
/// The interval, widened by more than the rounding of its ends; a NaN becomes infinite.
[[nodiscard]] Interval widened(Interval range);
[[nodiscard]] Interval operator+(Interval a, Interval b);
[[nodiscard]] Interval operator*(Interval a, Interval b);
[[nodiscard]] Interval exp(Interval a);
/// a^exponent, an integer >= 0.
[[nodiscard]] Interval power(Interval a, double exponent);

/// Bounds of an expression over all pairs of rows.
struct Bound {
    Interval range;      ///< of exact values
    double error = 0.0;  ///< of computed ones
    /// Lower bound of k(x, x), over nonzero rows when `vanishes`.
    double diagonal = -kInfinity;
    /// If one of the rows is zero, both the exact and the computed value are exactly 0.
    bool vanishes = false;
    /// The error in units of sqrt(k(x,x) k(z,z)): that of the normalized kernel. Infinite unless
    /// `definite`.
    double relative = kInfinity;
    /// |k(x,z)|^2 <= k(x,x) k(z,z) holds exactly.
    bool definite = false;
};

/// The error of an underflow, in units of a diagonal value.
[[nodiscard]] inline double lost_of(double lost, double diagonal) {
    return diagonal > kMinute ? lost / diagonal : kInfinity;
}

/// factor k + constant, factor > 0.
[[nodiscard]] Bound affine(const Bound& x, double factor, double constant);
/// k^exponent, an integer >= 1.
[[nodiscard]] Bound raised(const Bound& x, double exponent);
[[nodiscard]] Bound exponential(const Bound& x);
[[nodiscard]] Bound tangent(const Bound& x);
/// Coefficients >= 0, in ascending powers.
[[nodiscard]] Bound polynomial(std::span<const double> coefficients, const Bound& x);
[[nodiscard]] Bound sum(const Bound& a, const Bound& b);
[[nodiscard]] Bound product(const Bound& a, const Bound& b);
[[nodiscard]] Bound normalized(const Bound& x);
/// f(x) k(x, z) f(z), where the computed f counts as exact.
[[nodiscard]] Bound scaled(const Bound& x, Interval f);
/// Replaces NaN, from 0 times infinity, by bounds that claim nothing.
[[nodiscard]] Bound settled(Bound bound);

}  // namespace mercer::rounding
