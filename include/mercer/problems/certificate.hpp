// SPDX-License-Identifier: Apache-2.0
//
// mercer/problems/certificate.hpp - the certificate of coefficients, computed.
//
// A certificate is computed from the problem and the coefficients alone, in double precision,
// by code that no solver calls while it iterates. A solver may be wrong; its certificate may not.
#pragma once

#include <span>

#include "mercer/losses/certificate.hpp"

namespace mercer {

class Context;
struct Problem;

/// The gap that a certificate should reach; where only rounding keeps it from that, the rows it hangs
/// on are computed in higher precision.
struct WantedGap {
    double relative = kNaN;  ///< to max(unit, |primal|); NaN: the rounding of float64 stays
    double unit = 1.0;
};

/// Computes the certificate of `beta` (length n), which is projected in place. Its gap bounds the
/// exact one of these doubles, rounding included (docs/methods/certificate.md).
///
/// Cost: one Gram product with the non-zero coefficients, n loss and n conjugate evaluations.
/// Throws InvalidArgument when `beta` has the wrong length. Non-finite input gives a NaN gap.
[[nodiscard]] Certificate certify(const Problem& problem, std::span<double> beta, Context& context,
                                  const WantedGap& wanted = {});

/// The same with f = K beta at hand, from a product in float64, for `beta` in the dual set.
[[nodiscard]] Certificate certify_values(const Problem& problem, std::span<const double> beta,
                                         std::span<const double> f);
[[nodiscard]] Certificate certify_values(const Problem& problem, std::span<const double> beta,
                                         std::span<const double> f, const WantedGap& wanted,
                                         Context& context);

}  // namespace mercer
