// SPDX-License-Identifier: Apache-2.0
//
// src/problems/fenchel_term.hpp - what one row adds to a primal value, a dual value and their gap.
#pragma once

#include <algorithm>
#include <cmath>

#include "mercer/base/types.hpp"
#include "mercer/operators/gram_operator.hpp"

namespace mercer {

/// A sum that theory has at 0 or above, without what rounding took off it; NaN stays.
[[nodiscard]] inline double nonnegative(double value) {
    return std::isnan(value) ? value : std::max(0.0, value);
}

/// True when K is known to be positive semidefinite and is itself what the proof is about: only then
/// a dual value is a bound.
[[nodiscard]] inline bool proves(const GramOperator& gram) {
    return gram.is_definite() && gram.is_exact();
}

/// The loss of a row beside its conjugate at a multiplier (Fenchel and Young).
struct FenchelTerm {
    double value;      ///< c loss(y, z)
    double conjugate;  ///< c loss*(y, u)
    double u;          ///< -a / c, in the domain of the conjugate
    double gap;        ///< value + conjugate + a z; >= 0 but for rounding
};

/// The term of a row with target y, value z and cost c > 0 at the multiplier a.
template <typename LossType>
[[nodiscard]] FenchelTerm fenchel_term(const LossType& loss, double y, double z, double c,
                                       double a) {
    const Interval domain = loss.conjugate_domain(y);
    FenchelTerm out{};
    out.u = std::clamp(-a / c, domain.lower, domain.upper);
    out.value = c * loss.value(y, z);
    out.conjugate = c * loss.conjugate(y, out.u);
    out.gap = out.value + out.conjugate + a * z;
    return out;
}

}  // namespace mercer
