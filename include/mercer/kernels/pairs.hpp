// SPDX-License-Identifier: Apache-2.0
//
// mercer/kernels/pairs.hpp - the numbers of a pair of rows from which every kernel is computed.
//
// Rows have n entries. Each primitive uses one accumulator, in ascending column order, with fused
// multiply-add where stated: a faster path that does the same gives the same bits. The accumulator
// is a Real: double, or a type with more digits (mercer/base/quad.hpp).
#pragma once

#include <cmath>
#include <type_traits>

#include "mercer/base/types.hpp"

#if defined(__CUDACC__)
#define MERCER_HOST_DEVICE __host__ __device__
#else
#define MERCER_HOST_DEVICE
#endif

namespace mercer::formulas {

/// sum + x z, rounded once in double.
template <typename Real>
MERCER_HOST_DEVICE Real multiply_add(Real x, Real z, Real sum) {
    if constexpr (std::is_same_v<Real, double>) {
        return std::fma(x, z, sum);
    } else {
        return sum + x * z;
    }
}

/// x'z.
template <typename Real = double>
MERCER_HOST_DEVICE Real dot(const double* x, const double* z, index_t n) {
    Real sum = 0.0;
    for (index_t i = 0; i < n; ++i) {
        sum = multiply_add<Real>(x[i], z[i], sum);
    }
    return sum;
}

/// |x|^2.
template <typename Real = double>
MERCER_HOST_DEVICE Real squared_norm(const double* x, index_t n) {
    return dot<Real>(x, x, n);
}

/// |x - z|^2 from the differences: exactly 0 for equal rows, and without the cancellation that
/// |x|^2 + |z|^2 - 2 x'z suffers far from the origin.
template <typename Real = double>
MERCER_HOST_DEVICE Real squared_distance(const double* x, const double* z, index_t n) {
    Real sum = 0.0;
    for (index_t i = 0; i < n; ++i) {
        const Real difference = Real(x[i]) - Real(z[i]);
        sum = multiply_add<Real>(difference, difference, sum);
    }
    return sum;
}

/// |x + z|^2.
template <typename Real = double>
MERCER_HOST_DEVICE Real squared_sum(const double* x, const double* z, index_t n) {
    Real sum = 0.0;
    for (index_t i = 0; i < n; ++i) {
        const Real both = Real(x[i]) + Real(z[i]);
        sum = multiply_add<Real>(both, both, sum);
    }
    return sum;
}

/// sum |x_i - z_i|.
template <typename Real = double>
MERCER_HOST_DEVICE Real l1_distance(const double* x, const double* z, index_t n) {
    using std::fabs;
    Real sum = 0.0;
    for (index_t i = 0; i < n; ++i) {
        sum += fabs(Real(x[i]) - Real(z[i]));
    }
    return sum;
}

/// sum (x_i - z_i)^2 / (x_i + z_i) for entries >= 0, where 0/0 counts as 0.
template <typename Real = double>
MERCER_HOST_DEVICE Real chi2_distance(const double* x, const double* z, index_t n) {
    Real sum = 0.0;
    for (index_t i = 0; i < n; ++i) {
        const Real both = Real(x[i]) + Real(z[i]);
        const Real difference = Real(x[i]) - Real(z[i]);
        if (both != 0.0) {
            sum += difference * (difference / both);  // dividing first keeps large entries finite
        }
    }
    return sum;
}

/// sum min(x_i, z_i).
template <typename Real = double>
MERCER_HOST_DEVICE Real intersection(const double* x, const double* z, index_t n) {
    Real sum = 0.0;
    for (index_t i = 0; i < n; ++i) {
        sum += x[i] < z[i] ? x[i] : z[i];
    }
    return sum;
}

/// 1 when the rows are equal entry by entry, otherwise 0.
template <typename Real = double>
MERCER_HOST_DEVICE Real delta(const double* x, const double* z, index_t n) {
    for (index_t i = 0; i < n; ++i) {
        if (!(x[i] == z[i])) {
            return 0.0;
        }
    }
    return 1.0;
}

}  // namespace mercer::formulas

#undef MERCER_HOST_DEVICE
