// SPDX-License-Identifier: Apache-2.0
//
// mercer/kernels/pairs.hpp - the numbers two rows give, from which every kernel is computed.
//
// Rows have n entries. Each primitive uses one accumulator, in ascending column order, with fused
// multiply-add where it says so: a faster path that does the same gives the same bits.
#pragma once

#include <cmath>

#include "mercer/base/types.hpp"

#if defined(__CUDACC__)
#define MERCER_HOST_DEVICE __host__ __device__
#else
#define MERCER_HOST_DEVICE
#endif

namespace mercer::formulas {

/// x'z.
MERCER_HOST_DEVICE inline double dot(const double* x, const double* z, index_t n) {
    double sum = 0.0;
    for (index_t i = 0; i < n; ++i) {
        sum = std::fma(x[i], z[i], sum);
    }
    return sum;
}

/// |x|^2.
MERCER_HOST_DEVICE inline double squared_norm(const double* x, index_t n) { return dot(x, x, n); }

/// |x - z|^2 from the differences: exactly 0 for equal rows, and safe from the cancellation that
/// |x|^2 + |z|^2 - 2 x'z suffers far from the origin.
MERCER_HOST_DEVICE inline double squared_distance(const double* x, const double* z, index_t n) {
    double sum = 0.0;
    for (index_t i = 0; i < n; ++i) {
        const double difference = x[i] - z[i];
        sum = std::fma(difference, difference, sum);
    }
    return sum;
}

/// |x + z|^2.
MERCER_HOST_DEVICE inline double squared_sum(const double* x, const double* z, index_t n) {
    double sum = 0.0;
    for (index_t i = 0; i < n; ++i) {
        const double both = x[i] + z[i];
        sum = std::fma(both, both, sum);
    }
    return sum;
}

/// sum |x_i - z_i|.
MERCER_HOST_DEVICE inline double l1_distance(const double* x, const double* z, index_t n) {
    double sum = 0.0;
    for (index_t i = 0; i < n; ++i) {
        sum += std::fabs(x[i] - z[i]);
    }
    return sum;
}

/// sum (x_i - z_i)^2 / (x_i + z_i) for entries >= 0, where 0/0 counts as 0.
MERCER_HOST_DEVICE inline double chi2_distance(const double* x, const double* z, index_t n) {
    double sum = 0.0;
    for (index_t i = 0; i < n; ++i) {
        const double both = x[i] + z[i];
        const double difference = x[i] - z[i];
        if (both != 0.0) {
            sum += difference * (difference / both);  // dividing first keeps large entries finite
        }
    }
    return sum;
}

/// sum min(x_i, z_i).
MERCER_HOST_DEVICE inline double intersection(const double* x, const double* z, index_t n) {
    double sum = 0.0;
    for (index_t i = 0; i < n; ++i) {
        sum += x[i] < z[i] ? x[i] : z[i];
    }
    return sum;
}

/// 1 when the rows are equal entry by entry, else 0.
MERCER_HOST_DEVICE inline double delta(const double* x, const double* z, index_t n) {
    for (index_t i = 0; i < n; ++i) {
        if (!(x[i] == z[i])) {
            return 0.0;
        }
    }
    return 1.0;
}

}  // namespace mercer::formulas

#undef MERCER_HOST_DEVICE
