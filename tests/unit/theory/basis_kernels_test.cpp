// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/theory/basis_kernels_test.cpp - series of two kernels, and a space without a kernel.
#include "mercer/theory/basis_kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/base/random.hpp"
#include "support/facts.hpp"

namespace mercer {
namespace {

constexpr double kPi = 3.14159265358979323846;

TEST(BasisKernels, sobolev_sums_have_the_printed_values) {
    const BasisSum ten = sobolev_sum(0.25, 0.5, 10);
    const BasisSum thousand = sobolev_sum(0.25, 0.5, 1000);
    expect_fact("K11", "k(0.25, 0.5)", ten.kernel);
    expect_fact("K11", "partial sum, N=10", ten.sum);
    expect_fact("K11", "partial sum, N=1000", thousand.sum);
    expect_fact("RK5", "H_0^1: k(0.25, 0.5) less the sum of 1000 terms",
                thousand.kernel - thousand.sum);
    EXPECT_DOUBLE_EQ(ten.tail, 2.0 / (kPi * kPi * 10));
}

TEST(BasisKernels, sobolev_tails_bound_the_error_everywhere) {
    Random random(1);
    double largest = 0.0;
    for (int repeat = 0; repeat < 200; ++repeat) {
        const BasisSum sum = sobolev_sum(random.uniform(), random.uniform(), 1 + random.below(300));
        largest = std::max(largest, std::abs(sum.kernel - sum.sum) / sum.tail);
    }
    expect_fact("K11", "largest error over 2/(pi^2 N)", largest);
    EXPECT_GT(largest, 0.1);  // the bound is not vacuous
    EXPECT_EQ(sobolev_sum(0.0, 0.3, 10).sum, 0.0);
    EXPECT_EQ(sobolev_sum(1.0, 0.3, 10).sum, 0.0);
}

TEST(BasisKernels, paley_wiener_sums_reach_the_kernel) {
    const BasisSum sum = paley_wiener_sum(0.3, 0.8, 0.5, 100000);
    expect_fact("RK5", "PW: k(0.3, 0.8) less the sum of 100000 terms", sum.kernel - sum.sum);
    // At integers only one basis function is nonzero: the sum is exact from that term on.
    EXPECT_EQ(paley_wiener_sum(2.0, 0.8, 0.5, 2).sum, paley_wiener_sum(2.0, 0.8, 0.5, 50).sum);
    EXPECT_NEAR(paley_wiener_sum(2.0, 0.8, 0.5, 2).sum, std::sin(kPi * 1.2) / (kPi * 1.2), 1e-15);
    double largest = 0.0;
    Random random(2);
    for (int repeat = 0; repeat < 200; ++repeat) {
        const double bandwidth = random.uniform(0.1, 2.0);
        const BasisSum part = paley_wiener_sum(random.uniform(-3.0, 3.0), random.uniform(-3.0, 3.0),
                                               bandwidth, 1 + random.below(100));
        largest = std::max(largest, std::abs(part.kernel - part.sum) / (part.tail + 1e-15));
    }
    expect_fact("RK5", "PW: largest error over its bound", largest);
    EXPECT_GT(largest, 0.1);
}

TEST(BasisKernels, evaluation_bounds_are_roots_of_the_diagonal) {
    expect_fact("RK3", "H_0^1: sup |f(x)| / |f| at x=0.2", sobolev_evaluation_bound(0.2));
    expect_fact("RK3", "PW: sup |f(x)| / |f|, A=0.8", paley_wiener_evaluation_bound(0.8));
    EXPECT_EQ(sobolev_evaluation_bound(1.0), 0.0);
}

TEST(BasisKernels, evaluation_is_not_bounded_in_l2) {
    const PeakFunction twelve = peak_function(0.3, 12);
    expect_fact("RK4", "n=12: |f_n|", std::sqrt(twelve.squared_norm));
    expect_fact("RK4", "n=12: f_n(x)", twelve.value);
    double largest = 0.0;
    double last = 0.0;
    for (const index_t n : {0, 1, 2, 7, 12, 100, 5000, 1000000}) {
        for (const double x : {0.01, 0.5, 0.97}) {
            const PeakFunction peak = peak_function(x, n);
            const double known = 1.0 / (2.0 * static_cast<double>(n) + 1.0);
            largest = std::max(largest, std::abs(peak.squared_norm / known - 1.0));
            EXPECT_EQ(peak.value, 1.0);
        }
        const double ratio = peak_function(0.5, n).ratio;
        EXPECT_GT(ratio, last) << n;
        last = ratio;
    }
    expect_fact("RK4", "largest relative error of |f_n|^2 = 1/(2n+1)", largest);
    expect_fact("RK4", "n=1000000: |f_n(x)| / |f_n|", last);
}

TEST(BasisKernels, arguments_out_of_range_name_themselves) {
    EXPECT_THROW(static_cast<void>(sobolev_sum(-0.1, 0.5, 10)), InvalidArgument);
    EXPECT_THROW(static_cast<void>(sobolev_sum(0.5, kNaN, 10)), InvalidArgument);
    EXPECT_THROW(static_cast<void>(sobolev_sum(0.5, 0.5, 0)), InvalidArgument);
    EXPECT_THROW(static_cast<void>(paley_wiener_sum(0, 0, -1, 3)), InvalidArgument);
    EXPECT_THROW(static_cast<void>(paley_wiener_sum(kInfinity, 0, 1, 3)), InvalidArgument);
    EXPECT_THROW(static_cast<void>(peak_function(0.0, 3)), InvalidArgument);
    EXPECT_THROW(static_cast<void>(peak_function(0.5, -1)), InvalidArgument);
    EXPECT_THROW(static_cast<void>(sobolev_evaluation_bound(2.0)), InvalidArgument);
}

}  // namespace
}  // namespace mercer
