// SPDX-License-Identifier: Apache-2.0
//
// src/losses/certificate.cpp - the gap in units of the primal value.
#include "mercer/losses/certificate.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {

double computed_gap(const Certificate& certificate) noexcept {
    return certificate.gap - certificate.rounding;
}

double relative_gap(const Certificate& certificate) noexcept {
    return certificate.gap / std::max(1.0, std::abs(certificate.primal));
}

}  // namespace mercer
