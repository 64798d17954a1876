// SPDX-License-Identifier: Apache-2.0
//
// src/audit/loss_term.hpp - the contribution of one row to the primal and dual values of a problem.
#pragma once

#include <algorithm>
#include <cmath>

#include "audit/recompute.hpp"
#include "mercer/base/types.hpp"

namespace mercer {

/// The loss of a row, and its conjugate at a multiplier.
struct LossTerm {
    double z;  ///< f + b
    double value;
    double conjugate;
    double slope;  ///< largest absolute slope within the rounding of f
    double error;  ///< of f, by rounding
};

/// The term of row i at the multiplier a; requires positive costs.
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
