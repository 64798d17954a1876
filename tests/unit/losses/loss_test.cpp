// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/losses/loss_test.cpp - the printed numbers of every loss.
#include "mercer/losses/loss.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "mercer/base/error.hpp"
#include "mercer/base/random.hpp"
#include "mercer/losses/risk_loss.hpp"
#include "support/facts.hpp"

namespace mercer {
namespace {

TEST(losses, squared_names_its_factor) {
    expect_fact("L01", "half squared, f=3, y=1", HalfSquaredLoss{}.value(1.0, 3.0));
    expect_fact("L01", "half squared, slope", HalfSquaredLoss{}.derivative(1.0, 3.0));
    expect_fact("L01", "squared, f=3, y=1", SquaredLoss{}.value(1.0, 3.0));
    expect_fact("L01", "squared, slope", SquaredLoss{}.derivative(1.0, 3.0));
}

/// The subgradients of a loss at f: u with value + conjugate = u f, the least and the greatest.
std::vector<double> subgradients(const EpsilonInsensitiveLoss& loss, double y, double f) {
    double least = kInfinity;
    double greatest = -kInfinity;
    for (int step = -200; step <= 200; ++step) {
        const double u = step / 100.0;
        if (std::abs(loss.value(y, f) + loss.conjugate(y, u) - u * f) < 1e-12) {
            least = std::min(least, u);
            greatest = std::max(greatest, u);
        }
    }
    return {least, greatest};
}

TEST(losses, epsilon_insensitive_is_flat_inside_the_tube) {
    const EpsilonInsensitiveLoss loss{0.1};
    expect_fact("L02", "epsilon=0.1, f-y=0.05", loss.value(0.0, 0.05));
    expect_fact("L02", "epsilon=0.1, f-y=0.3", loss.value(0.0, 0.3));
    expect_fact("L02", "epsilon=0.1, f-y=-0.3", loss.value(0.0, -0.3));
    expect_fact("L02", "slopes at -0.3, 0.05, 0.3",
                std::vector<double>{loss.derivative(0.0, -0.3), loss.derivative(0.0, 0.05),
                                    loss.derivative(0.0, 0.3)});
    expect_fact("L02", "subgradients at f-y=0.1", subgradients(loss, 0.0, 0.1));
    expect_fact("L02", "subgradients at f-y=-0.1", subgradients(loss, 0.0, -0.1));
}

TEST(losses, absolute_is_the_tube_of_no_width) {
    expect_fact("L03", "f=-1, y=2", AbsoluteLoss{}.value(2.0, -1.0));
    double difference = 0.0;
    Random random(31);
    for (int round = 0; round < 2000; ++round) {
        const double y = random.normal();
        const double f = random.normal();
        difference = std::max(difference, std::abs(AbsoluteLoss{}.value(y, f) -
                                                   EpsilonInsensitiveLoss{0.0}.value(y, f)));
        difference = std::max(difference, std::abs(AbsoluteLoss{}.value(y, f) - std::abs(f - y)));
    }
    expect_fact("L03", "random f, y: distance to |f - y| and to epsilon = 0", difference);
}

TEST(losses, zero_one_takes_zero_for_plus) {
    expect_fact("L04", "f=0, t=-1", ZeroOneLoss{}.value(-1.0, 0.0));
    expect_fact("L04", "f=0, t=1", ZeroOneLoss{}.value(1.0, 0.0));
    expect_fact("L04", "f=-0.5, t=1", ZeroOneLoss{}.value(1.0, -0.5));
    expect_fact("L04", "f=-0.5, t=-1", ZeroOneLoss{}.value(-1.0, -0.5));
}

TEST(losses, hinge_at_the_printed_margins) {
    const HingeLoss loss;
    expect_fact("L05", "t f=-1", loss.value(1.0, -1.0));
    expect_fact("L05", "t f=1", loss.value(1.0, 1.0));
    expect_fact("L05", "t f=0.25", loss.value(-1.0, -0.25));
    expect_fact("L05", "on the boundary f=0", loss.value(1.0, 0.0));
}

TEST(losses, the_slack_is_the_distance_to_the_label_and_tells_who_is_wrong) {
    Random random(32);
    double difference = 0.0;
    index_t disagreements = 0;
    for (int round = 0; round < 5000; ++round) {
        const double t = random.below(2) == 0 ? -1.0 : 1.0;
        const double f = 2.0 * random.normal();
        const double slack = HingeLoss{}.value(t, f);
        if (slack > 0.0) {
            difference = std::max(difference, std::abs(slack - std::abs(t - f)));
        }
        disagreements += (slack > 1.0) != (ZeroOneLoss{}.value(t, f) == 1.0);
    }
    expect_fact("L05", "rows inside the margin: slack less |t - f|", difference);
    expect_fact("L05", "rows where wrong and slack > 1 disagree", disagreements);
}

TEST(losses, logistic_at_the_printed_margins_without_overflow) {
    const LogisticLoss loss;
    expect_fact("L06", "t f=0", loss.value(1.0, 0.0));
    expect_fact("L06", "t f=1", loss.value(1.0, 1.0));
    expect_fact("L06", "t f=-1", loss.value(1.0, -1.0));
    expect_fact("L06", "t f=-1000", loss.value(1.0, -1000.0));
    expect_fact("L06", "t f=1000", loss.value(1.0, 1000.0));
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
    expect_fact("L07", "t f=-1", loss.value(1.0, -1.0));
    expect_fact("L07", "t f=0", loss.value(1.0, 0.0));
    expect_fact("L07", "slope at t=1, f=-1 and t=-1, f=1",
                std::vector<double>{loss.derivative(1.0, -1.0), loss.derivative(-1.0, 1.0)});
    expect_fact("L07", "curvature at t f=0 and t f=2",
                std::vector<double>{loss.curvature(1.0, 0.0), loss.curvature(1.0, 2.0)});
}

TEST(losses, modified_huber_is_smooth_at_both_joints) {
    const ModifiedHuberLoss loss;
    expect_fact("L08", "slack -1, 1, 2, 3",
                std::vector<double>{loss.value(1.0, 2.0), loss.value(1.0, 0.0),
                                    loss.value(1.0, -1.0), loss.value(1.0, -2.0)});
    expect_fact("L08", "slope at slack -1, 1, 3 for t=1",
                std::vector<double>{loss.derivative(1.0, 2.0), loss.derivative(1.0, 0.0),
                                    loss.derivative(1.0, -2.0)});
    expect_fact("L08", "slope at slack 1 for t=-1", loss.derivative(-1.0, 0.0));
    double jump = 0.0;
    for (const double joint : {1.0, -1.0}) {  // slack 0 and 2
        jump = std::max(jump,
                        std::abs(loss.value(1.0, joint - 1e-12) - loss.value(1.0, joint + 1e-12)));
        jump = std::max(jump, std::abs(loss.derivative(1.0, joint - 1e-12) -
                                       loss.derivative(1.0, joint + 1e-12)));
    }
    expect_fact("L08", "jump of value and slope at slack 0 and 2", jump);
    double difference = 0.0;
    for (double f = -4.0; f <= 4.0; f += 0.01) {
        const double whole = f >= -1.0 ? std::pow(std::max(0.0, 1.0 - f), 2.0) : -4.0 * f;
        difference = std::max(difference, std::abs(2.0 * loss.value(1.0, f) - whole));
    }
    expect_fact("L08", "twice it less Zhang's loss", difference);
}

TEST(losses, hinge_is_zero_at_the_label_and_logistic_is_not) {
    expect_fact("L10", "hinge at f=t", HingeLoss{}.value(1.0, 1.0));
    expect_fact("L10", "logistic at f=t", LogisticLoss{}.value(1.0, 1.0));
    index_t surrogates = 0;
    for (const RiskLoss& loss : all_risk_losses()) {
        // What is convex and of classes stands in for the 0-1 loss.
        EXPECT_EQ(is_surrogate(loss),
                  is_classification(loss) && !std::holds_alternative<ZeroOneLoss>(loss))
            << name_of(loss);
        surrogates += is_surrogate(loss);
    }
    expect_fact("L10", "losses flagged as surrogates", surrogates);
    expect_fact("L10", "logistic is a surrogate", is_surrogate(RiskLoss(LogisticLoss{})));
    expect_fact("L10", "zero-one is a surrogate", is_surrogate(RiskLoss(ZeroOneLoss{})));
    expect_fact("L10", "squared is a surrogate", is_surrogate(RiskLoss(SquaredLoss{})));
}

TEST(losses, a_risk_may_be_taken_under_every_loss_by_name) {
    EXPECT_EQ(all_risk_losses().size(), all_losses().size() + 1);
    for (const RiskLoss& loss : all_risk_losses(0.3)) {
        const std::optional<RiskLoss> found = risk_loss_by_name(name_of(loss), 0.3);
        ASSERT_TRUE(found.has_value());
        EXPECT_EQ(found->index(), loss.index());
        EXPECT_EQ(loss_value(*found, 1.0, -0.7), loss_value(loss, 1.0, -0.7));
    }
    EXPECT_FALSE(risk_loss_by_name("softmax").has_value());
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
