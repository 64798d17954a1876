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

/// Computes the certificate of `beta` (length n), which is projected in place.
///
/// Cost: one Gram product with the non-zero coefficients, n loss and n conjugate evaluations.
/// Throws InvalidArgument when `beta` has the wrong length. Non-finite input gives a NaN gap.
[[nodiscard]] Certificate certify(const Problem& problem, std::span<double> beta, Context& context);

/// The same with f = K beta at hand, for `beta` in the dual set.
[[nodiscard]] Certificate certify_values(const Problem& problem, std::span<const double> beta,
                                         std::span<const double> f);

}  // namespace mercer
