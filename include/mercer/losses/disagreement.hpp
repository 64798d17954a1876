// SPDX-License-Identifier: Apache-2.0
//
// mercer/losses/disagreement.hpp - 1 where y f <= 0: the rows a perceptron corrects.
#pragma once

#include "mercer/base/types.hpp"

namespace mercer {

/// y is -1 or +1. Unlike the 0-1 loss it also counts f = 0 when y = +1: a row on the boundary is on
/// neither side. Not convex; the sum over any rows is at least 0, which serves as its dual value.
struct DisagreementLoss {
    static constexpr const char* kName = "disagreement";

    [[nodiscard]] double value(double y, double f) const { return y * f > 0.0 ? 0.0 : 1.0; }
};

}  // namespace mercer
