// SPDX-License-Identifier: Apache-2.0
//
// mercer/base/roundoff.hpp - the constants of error bounds (Higham, Accuracy and Stability, ch. 3).
#pragma once

namespace mercer {

/// u: an operation in double has a relative error of at most this.
inline constexpr double kRoundoff = 0x1p-53;

/// 2 u: the distance from 1 to the next double.
inline constexpr double kEpsilon = 2.0 * kRoundoff;

/// The unit roundoff u of a floating-point type.
[[nodiscard]] constexpr double roundoff(double) noexcept { return kRoundoff; }

/// gamma_m = m u / (1 - m u): the relative error of m operations in a row; infinite when m u >= 1.
[[nodiscard]] constexpr double rounding_of(double operations) noexcept {
    const double share = operations * kRoundoff;
    return share < 1.0 ? share / (1.0 - share) : __builtin_huge_val();
}

/// Bound on the error of CompensatedSum apart from that of its last rounding, in units of the sum of
/// the absolute values (Higham, section 4.3).
[[nodiscard]] constexpr double compensated_rounding(double terms) noexcept {
    return 2.0 * rounding_of(terms + 2.0) * rounding_of(terms + 2.0);
}

}  // namespace mercer
