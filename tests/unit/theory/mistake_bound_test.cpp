// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/theory/mistake_bound_test.cpp - the numbers of the perceptron's convergence proof.
#include "mercer/theory/mistake_bound.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/kernels/catalogue.hpp"

namespace mercer {
namespace {

TEST(mistake_bound, the_radius_has_one_more_with_an_intercept) {
    const std::vector<double> diagonal{1.0, 8.0, 3.0};
    EXPECT_DOUBLE_EQ(radius_of(diagonal, true), 3.0);
    EXPECT_DOUBLE_EQ(radius_of(diagonal, false), std::sqrt(8.0));
    EXPECT_THROW((void)radius_of({}, true), InvalidArgument);
    EXPECT_THROW((void)radius_of(std::vector<double>{-2.0}, true), InvalidArgument);
}

TEST(mistake_bound, the_embedded_kernel_is_that_of_rows_with_a_one) {
    const std::vector<double> x{2.0, -1.0};
    const std::vector<double> z{3.0, 4.0};
    const std::vector<double> longer_x{1.0, 2.0, -1.0};
    const std::vector<double> longer_z{1.0, 3.0, 4.0};
    EXPECT_EQ(embedded_kernel(linear_kernel())(x, z), linear_kernel()(longer_x, longer_z));
}

TEST(mistake_bound, a_separators_norm_is_that_at_margins_of_one) {
    EXPECT_DOUBLE_EQ(margin_norm(std::vector<double>{2.0, 0.5, 4.0}, 9.0), 6.0);
    EXPECT_TRUE(std::isnan(margin_norm(std::vector<double>{2.0, 0.0}, 9.0)));
    EXPECT_TRUE(std::isnan(margin_norm({}, 9.0)));
    EXPECT_DOUBLE_EQ(mistake_bound(3.0, 0.5), 2.25);
}

TEST(mistake_bound, steps_add_the_margins_of_the_rows_they_correct) {
    const std::vector<index_t> rows{1, 0, 1};
    const std::vector<double> norms{4.0, 5.0, 9.0};
    const std::vector<ProofStep> steps =
        proof_steps(rows, norms, std::vector<double>{1.0, 2.5}, 2.0);
    ASSERT_EQ(steps.size(), 3U);
    EXPECT_EQ(steps[2].row, 1);
    EXPECT_EQ(steps[0].product, 2.5);
    EXPECT_EQ(steps[1].product, 3.5);
    EXPECT_EQ(steps[2].product, 6.0);
    EXPECT_EQ(steps[2].squared_norm, 9.0);
    EXPECT_EQ(steps[2].limit, 12.0);
    EXPECT_TRUE(std::isnan(proof_steps(rows, norms, {}, 2.0)[0].product));
    EXPECT_THROW((void)proof_steps(rows, std::vector<double>{1.0}, {}, 2.0), InvalidArgument);
}

}  // namespace
}  // namespace mercer
