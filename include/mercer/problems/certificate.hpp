// SPDX-License-Identifier: Apache-2.0
//
// mercer/problems/certificate.hpp - computes the certificate of coefficients.
//
// A certificate is computed from the problem and the coefficients alone, in double precision,
// by code that no solver calls while it iterates. A solver may be wrong; its certificate may not.
#pragma once

#include <span>

#include "mercer/losses/certificate.hpp"

namespace mercer {

class Context;
struct Problem;

/// The gap that a certificate should reach. If only rounding prevents it, the rows responsible are
/// recomputed in higher precision.
struct WantedGap {
    double relative = kNaN;  ///< relative to max(unit, |primal|); NaN: float64 is enough
    double unit = 1.0;
};

/// Computes the certificate of `beta` (length n), which is projected in place. Its gap is an upper
/// bound on the exact gap of these doubles, rounding included (docs/methods/certificate.md).
///
/// Cost: one Gram product with the non-zero coefficients, n loss and n conjugate evaluations.
/// Throws InvalidArgument when `beta` has the wrong length. Non-finite input gives a NaN gap.
[[nodiscard]] Certificate certify(const Problem& problem, std::span<double> beta, Context& context,
                                  const WantedGap& wanted = {});

/// The same when f = K beta has already been computed in float64 and `beta` is in the dual set.
[[nodiscard]] Certificate certify_values(const Problem& problem, std::span<const double> beta,
                                         std::span<const double> f);
[[nodiscard]] Certificate certify_values(const Problem& problem, std::span<const double> beta,
                                         std::span<const double> f, const WantedGap& wanted,
                                         Context& context);

}  // namespace mercer
