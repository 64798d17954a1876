// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/losses/loss_test.cpp - the printed numbers of every loss.
#include "mercer/losses/loss.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/losses/slope.hpp"
#include "mercer/losses/zero_one.hpp"
#include "support/facts.hpp"

namespace mercer {
namespace {

TEST(losses, squared_names_its_factor) {
    expect_fact("L01", "half squared, f=3, y=1", HalfSquaredLoss{}.value(1.0, 3.0));
    expect_fact("L01", "half squared, slope", HalfSquaredLoss{}.derivative(1.0, 3.0));
    expect_fact("L01", "squared, f=3, y=1", SquaredLoss{}.value(1.0, 3.0));
    expect_fact("L01", "squared, slope", SquaredLoss{}.derivative(1.0, 3.0));
}

TEST(losses, epsilon_insensitive_is_flat_inside_the_tube) {
    const EpsilonInsensitiveLoss loss{0.1};
    EXPECT_EQ(loss.value(0.0, 0.05), 0.0);
    EXPECT_NEAR(loss.value(0.0, 0.3), 0.2, 1e-15);
    EXPECT_NEAR(loss.value(0.0, -0.3), 0.2, 1e-15);
    EXPECT_EQ(loss.derivative(0.0, -0.3), -1.0);
    EXPECT_EQ(loss.derivative(0.0, 0.05), 0.0);
    EXPECT_EQ(loss.derivative(0.0, 0.3), 1.0);
    EXPECT_EQ(loss.conjugate_subgradient(0.0, 0.5).lower, 0.1);
    EXPECT_EQ(AbsoluteLoss{}.value(2.0, -1.0), 3.0);
}

TEST(losses, zero_one_takes_zero_for_plus) {
    EXPECT_EQ(ZeroOneLoss{}.value(-1.0, 0.0), 1.0);
    EXPECT_EQ(ZeroOneLoss{}.value(1.0, 0.0), 0.0);
}

TEST(losses, hinge_at_the_printed_margins) {
    const HingeLoss loss;
    EXPECT_EQ(loss.value(1.0, -1.0), 2.0);
    EXPECT_EQ(loss.value(1.0, 1.0), 0.0);
    EXPECT_EQ(loss.value(-1.0, -0.25), 0.75);
    EXPECT_EQ(loss.value(1.0, 0.0), 1.0);
}

TEST(losses, logistic_at_the_printed_margins_without_overflow) {
    const LogisticLoss loss;
    EXPECT_NEAR(loss.value(1.0, 0.0), 0.693147, 5e-7);
    EXPECT_NEAR(loss.value(1.0, 1.0), 0.313262, 5e-7);
    EXPECT_NEAR(loss.value(1.0, -1.0), 1.313262, 5e-7);
    EXPECT_EQ(loss.value(1.0, -1000.0), 1000.0);
    EXPECT_NEAR(loss.value(1.0, 1000.0), 0.0, 1e-300);
    expect_fact("D08", "S(1)", LogisticLoss::sigmoid(1.0));
    expect_fact("D08", "S(0)", LogisticLoss::sigmoid(0.0));
}

TEST(losses, the_sigmoid_rises_and_mirrors_itself) {
    double before = 0.0;
    bool rises = true;
    double mirror = 0.0;
    double probability = 0.0;
    for (double z = -30.0; z <= 30.0; z += 0.25) {
        const double s = LogisticLoss::sigmoid(z);
        rises = rises && s > before;
        mirror = std::max(mirror, std::abs(LogisticLoss::sigmoid(-z) - (1.0 - s)));
        // The probability of the class y is exp(-loss): 1 / (1 + exp(-y z)).
        for (const double y : {-1.0, 1.0}) {
            probability = std::max(probability, std::abs(std::exp(-LogisticLoss{}.value(y, z)) -
                                                         1.0 / (1.0 + std::exp(-y * z))));
        }
        before = s;
    }
    expect_fact("D08", "rises from -30 to 30", rises);
    expect_fact("D08", "S(-z) and 1 - S(z) apart", mirror);
    expect_fact("D08", "P(y|x) = exp(-loss) and 1 / (1 + exp(-y z)) apart", probability);
}

TEST(losses, squared_hinge_is_half_the_square) {
    const SquaredHingeLoss loss;
    EXPECT_EQ(loss.value(1.0, -1.0), 2.0);
    EXPECT_EQ(loss.value(1.0, 0.0), 0.5);
    EXPECT_EQ(loss.derivative(1.0, -1.0), -2.0);
    EXPECT_EQ(loss.curvature(1.0, 0.0), 1.0);
    EXPECT_EQ(loss.curvature(1.0, 2.0), 0.0);
}

TEST(losses, modified_huber_is_smooth_at_both_joints) {
    const ModifiedHuberLoss loss;
    EXPECT_EQ(loss.value(1.0, 2.0), 0.0);   // xi = -1
    EXPECT_EQ(loss.value(1.0, 0.0), 0.5);   // xi = 1
    EXPECT_EQ(loss.value(1.0, -1.0), 2.0);  // xi = 2
    EXPECT_EQ(loss.value(1.0, -2.0), 4.0);  // xi = 3
    EXPECT_NEAR(loss.derivative(1.0, 1.0 - 1e-12), 0.0, 1e-11);
    EXPECT_NEAR(loss.derivative(1.0, -1.0 + 1e-12), -2.0, 1e-11);
    EXPECT_EQ(loss.derivative(1.0, -5.0), -2.0);
}

TEST(losses, unknown_names_and_bad_tubes_are_refused) {
    EXPECT_FALSE(loss_by_name("huber").has_value());
    EXPECT_THROW((void)loss_by_name("epsilon", -0.1), InvalidArgument);
    EXPECT_THROW((void)loss_by_name("epsilon", kNaN), InvalidArgument);
}

TEST(losses, kinks_leave_no_slope) {
    for (const Loss& loss :
         {Loss(HingeLoss{}), Loss(AbsoluteLoss{}), Loss(EpsilonInsensitiveLoss{0.1})}) {
        EXPECT_FALSE(has_slope(loss)) << name_of(loss);
    }
    for (const Loss& loss :
         {Loss(SquaredLoss{}), Loss(HalfSquaredLoss{}), Loss(LogisticLoss{}),
          Loss(SquaredHingeLoss{}), Loss(ModifiedHuberLoss{}), Loss(SquaredEpsilonLoss{0.1})}) {
        EXPECT_TRUE(has_slope(loss)) << name_of(loss);
    }
}

}  // namespace
}  // namespace mercer
