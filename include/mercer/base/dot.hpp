// SPDX-License-Identifier: Apache-2.0
//
// mercer/base/dot.hpp - the inner product of two short vectors, summed in order.
#pragma once

#include <cstddef>
#include <span>

namespace mercer {

/// sum a_i b_i; `b` is as long as `a` or longer.
[[nodiscard]] inline double dot(std::span<const double> a, std::span<const double> b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

}  // namespace mercer
