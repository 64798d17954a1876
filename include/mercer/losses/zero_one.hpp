// SPDX-License-Identifier: Apache-2.0
//
// mercer/losses/zero_one.hpp - 1/2 |sgn f - y|: for evaluating classifiers, not for training.
#pragma once

#include <algorithm>
#include <cmath>

#include "mercer/base/types.hpp"

namespace mercer {

/// y is -1 or +1; sgn(0) = +1. Not convex, so it has no conjugate and no certificate.
struct ZeroOneLoss {
    static constexpr const char* kName = "zero-one";
    static constexpr bool kClassification = true;
    static constexpr bool kSurrogate = false;

    [[nodiscard]] double value(double y, double f) const {
        return (f >= 0.0) == (y > 0.0) ? 0.0 : 1.0;
    }
};

}  // namespace mercer
