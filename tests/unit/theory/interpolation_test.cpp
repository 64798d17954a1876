// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/theory/interpolation_test.cpp - when values can be interpolated, and when they cannot.
#include "mercer/theory/interpolation.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "gram_of.hpp"
#include "mercer/base/error.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/runtime/context.hpp"
#include "support/facts.hpp"

namespace mercer {
namespace {

Interpolant solve(const testing::SquareMatrix& gram, const std::vector<double>& y) {
    std::vector<double> flat;
    for (const std::vector<double>& row : gram) {
        flat.insert(flat.end(), row.begin(), row.end());
    }
    const auto n = static_cast<index_t>(gram.size());
    Context context;
    return interpolate(MatrixView<const double>(flat.data(), n, n), y, context);
}

TEST(Interpolation, a_strictly_positive_definite_kernel_takes_any_values_at_distinct_points) {
    Random random(3);
    double largest = 0.0;
    bool all = true;
    for (int repeat = 0; repeat < 20; ++repeat) {
        const testing::Rows points = testing::normal_rows(random, 20, 2);
        std::vector<double> y(20);
        for (double& value : y) {
            value = 10.0 * random.normal();
        }
        const Interpolant f = solve(testing::gram_of(rbf_kernel(3.0), points), y);
        EXPECT_EQ(f.rank, 20);
        all = all && f.interpolates;
        largest = std::max(largest, f.residual / f.condition);
    }
    expect_fact("RK7", "RBF, 20 distinct points: it interpolates", all);
    expect_fact("RK7", "RBF, 20 distinct points: residual over the condition", largest);
}

TEST(Interpolation, one_point_with_two_values_is_inconsistent) {
    const Interpolant f = solve({{1, 1}, {1, 1}}, {1, 0});
    expect_fact("RK7", "DUP, y=(1,0): it interpolates", f.interpolates);
    expect_fact("RK7", "DUP, y=(1,0): values", f.values);
    expect_fact("RK7", "DUP, y=(1,0): coefficients", f.coefficients);
    EXPECT_NEAR(f.residual, 0.5, 1e-15);
    EXPECT_EQ(f.rank, 1);
    EXPECT_TRUE(solve({{1, 1}, {1, 1}}, {1, 1}).interpolates);
}

TEST(Interpolation, the_norm_is_y_over_k_for_one_point) {
    const Interpolant f = solve({{4}}, {6});
    EXPECT_DOUBLE_EQ(f.coefficients[0], 1.5);
    EXPECT_DOUBLE_EQ(f.squared_norm, 9.0);  // y^2 / k
    EXPECT_EQ(f.condition, 1.0);
}

TEST(Interpolation, nothing_and_zero_are_no_trouble) {
    EXPECT_TRUE(solve({}, {}).interpolates);
    const Interpolant zero = solve({{0, 0}, {0, 0}}, {0, 1});
    EXPECT_FALSE(zero.interpolates);
    EXPECT_EQ(zero.rank, 0);
    EXPECT_EQ(zero.residual, 1.0);
    EXPECT_THROW(static_cast<void>(solve({{1}}, {1, 2})), InvalidArgument);
}

}  // namespace
}  // namespace mercer
