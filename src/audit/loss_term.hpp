// SPDX-License-Identifier: Apache-2.0
//
// src/audit/loss_term.hpp - what one row adds to the primal and the dual value of a problem.
#pragma once

#include <algorithm>
#include <cmath>

#include "audit/recompute.hpp"
#include "mercer/base/types.hpp"

namespace mercer {

/// The loss of a row beside its conjugate at a multiplier.
struct LossTerm {
    double z;  ///< f + b
    double value;
    double conjugate;
    double slope;  ///< the largest within the rounding of f
    double error;  ///< that rounding
};

/// The term of row i at the multiplier a; all rows have a cost.
template <typename LossType>
[[nodiscard]] LossTerm loss_term(const LossType& loss, const ProblemRows& rows, std::size_t i,
                                 double b, double a) {
    LossTerm out{};
    out.z = rows.f[i] + b;
    out.error = kValueRounding * rows.magnitude[i];
    const Interval domain = loss.conjugate_domain(rows.y[i]);
    const double u = std::min(std::max(-a / rows.c[i], domain.lower), domain.upper);
    out.value = rows.c[i] * loss.value(rows.y[i], out.z);
    out.conjugate = rows.c[i] * loss.conjugate(rows.y[i], u);
    out.slope = std::max(std::abs(loss.derivative(rows.y[i], out.z - out.error)),
                         std::abs(loss.derivative(rows.y[i], out.z + out.error)));
    return out;
}

}  // namespace mercer
