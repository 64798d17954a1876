// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/vectors.hpp - sums over vectors, in order.
#pragma once

#include <span>

namespace mercer {

[[nodiscard]] inline double dot(std::span<const double> a, std::span<const double> b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

}  // namespace mercer
