// SPDX-License-Identifier: Apache-2.0
//
// src/kernels/error_bound.hpp - what is known of an expression over all pairs of rows, and how the
// rules of the algebra carry it from their operands to the whole.
//
// Notation u  2^-53     gamma(m)  m u / (1 - m u): m roundings in a row
#pragma once

#include <limits>
#include <span>

#include "mercer/base/types.hpp"

namespace mercer::rounding {

inline constexpr double kU = 0x1.0p-53;
/// What underflows is lost.
inline constexpr double kTiny = std::numeric_limits<double>::min();
/// Beyond these squares and quotients leave the range of a double.
inline constexpr double kHuge = 1e290;
inline constexpr double kMinute = 1e-290;
/// Bounds are computed in double themselves: each is made this much wider.
inline constexpr double kWider = 1e-12;

[[nodiscard]] inline double gamma(double m) {
    return m * kU < 0.5 ? m * kU / (1.0 - m * kU) : kInfinity;
}

[[nodiscard]] double largest(Interval range);
/// Larger by more than the rounding of its ends; an end that is not a number becomes infinite.
[[nodiscard]] Interval widened(Interval range);
[[nodiscard]] Interval operator+(Interval a, Interval b);
[[nodiscard]] Interval operator*(Interval a, Interval b);
[[nodiscard]] Interval exp(Interval a);
/// a^exponent, an integer >= 0.
[[nodiscard]] Interval power(Interval a, double exponent);

/// What is known of an expression over all pairs of rows.
struct Bound {
    Interval range;      ///< of exact values
    double error = 0.0;  ///< of computed ones
    /// Lower bound of k(x, x), of rows other than zero when `vanishes`.
    double diagonal = -kInfinity;
    /// With a zero row the value is exactly 0, computed or not.
    bool vanishes = false;
    /// The error in units of sqrt(k(x,x) k(z,z)): what is left of it when the kernel is normalized.
    /// Infinite unless `definite`.
    double relative = kInfinity;
    /// |k(x,z)|^2 <= k(x,x) k(z,z) holds exactly.
    bool definite = false;
};

/// What underflow takes, in units of a diagonal value.
[[nodiscard]] inline double lost_of(double lost, double diagonal) {
    return diagonal > kMinute ? lost / diagonal : kInfinity;
}

/// factor k + constant, factor > 0.
[[nodiscard]] Bound affine(const Bound& x, double factor, double constant);
/// k^exponent, an integer >= 1.
[[nodiscard]] Bound raised(const Bound& x, double exponent);
[[nodiscard]] Bound exponential(const Bound& x);
[[nodiscard]] Bound tangent(const Bound& x);
/// Coefficients are >= 0, of ascending powers.
[[nodiscard]] Bound polynomial(std::span<const double> coefficients, const Bound& x);
[[nodiscard]] Bound sum(const Bound& a, const Bound& b);
[[nodiscard]] Bound product(const Bound& a, const Bound& b);
[[nodiscard]] Bound normalized(const Bound& x);
/// f(x) k(x, z) f(z), the computed f being what is meant.
[[nodiscard]] Bound scaled(const Bound& x, Interval f);
/// What came out as no number, 0 times infinity, says nothing.
[[nodiscard]] Bound settled(Bound bound);

}  // namespace mercer::rounding
