// SPDX-License-Identifier: Apache-2.0
//
// mercer/problems/close_certificate.hpp - the certificate of an answer that more digits have found.
#pragma once

#include <span>

#include "mercer/problems/certificate.hpp"

namespace mercer {

/// certify() that chooses the intercept and the width once more, from K beta in 113 bits, where it
/// misses what is wanted. Dearer: for the last coefficients, not for those on the way.
[[nodiscard]] Certificate certify_closely(const Problem& problem, std::span<double> beta,
                                          Context& context, const WantedGap& wanted);

}  // namespace mercer
