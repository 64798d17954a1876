// SPDX-License-Identifier: Apache-2.0
//
// mercer/problems/close_certificate.hpp - the certificate of a high-precision solution.
#pragma once

#include <span>

#include "mercer/problems/certificate.hpp"

namespace mercer {

/// Like certify(); if the gap misses `wanted`, the intercept and the width are chosen again from
/// K beta in 113 bits. Coefficients of a tube that leave mass unused are certified as they are.
/// Expensive: for the final coefficients, not for intermediate ones.
[[nodiscard]] Certificate certify_closely(const Problem& problem, std::span<double> beta,
                                          Context& context, const WantedGap& wanted);

}  // namespace mercer
