// SPDX-License-Identifier: Apache-2.0
//
// src/problems/fenchel_term.hpp - what one row adds to a primal value, a dual value and their gap.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <variant>

#include "mercer/base/types.hpp"
#include "mercer/operators/gram_operator.hpp"
#include "mercer/problems/problem.hpp"

namespace mercer {

/// max(0, value), for a sum that is nonnegative except for rounding; NaN stays NaN.
[[nodiscard]] inline double nonnegative(double value) {
    return std::isnan(value) ? value : std::max(0.0, value);
}

/// True when K is positive semidefinite and exact, not approximated: only then is a dual value a
/// bound.
[[nodiscard]] inline bool proves(const GramOperator& gram) {
    return gram.is_definite() && gram.is_exact();
}

/// The loss of a row and its conjugate at a multiplier, and the Fenchel-Young gap of the two.
struct FenchelTerm {
    double value;      ///< c loss(y, z)
    double conjugate;  ///< c loss*(y, u)
    double u;          ///< -a / c, in the domain of the conjugate
    double gap;        ///< value + conjugate + a z; >= 0 except for rounding
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

/// Calls use(term) for every row of the risk with a positive cost, at the multipliers t a, and
/// returns the row that adds most to the gap; -1: there is none.
template <typename Use>
index_t for_each_fenchel_term(const Problem& risk, std::span<const double> f, double intercept,
                              std::span<const double> a, double t, const Use& use) {
    index_t worst = -1;
    double most = -1.0;
    std::visit(
        [&](const auto& loss) {
            for (std::size_t i = 0; i < a.size(); ++i) {
                const double c = risk.costs[i];
                if (!(c > 0.0)) {
                    continue;
                }
                const FenchelTerm term =
                    fenchel_term(loss, risk.targets[i], f[i] + intercept, c, t * a[i]);
                use(term);
                if (nonnegative(term.gap) > most) {
                    most = nonnegative(term.gap);
                    worst = static_cast<index_t>(i);
                }
            }
        },
        risk.loss);
    return worst;
}

}  // namespace mercer
