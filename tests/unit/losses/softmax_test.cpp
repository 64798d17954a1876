// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/losses/softmax_test.cpp - the loss of many classes against its definition.
#include "mercer/losses/softmax.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "mercer/base/random.hpp"
#include "mercer/losses/logistic.hpp"

namespace mercer {
namespace {

TEST(softmax_loss, two_classes_are_the_logistic_loss_of_the_difference) {
    const LogisticLoss logistic;
    for (const double f : {-800.0, -3.0, 0.0, 1e-9, 0.7, 40.0, 900.0}) {
        const std::vector<double> z{0.25 - 0.5 * f, 0.25 + 0.5 * f};
        EXPECT_NEAR(SoftmaxLoss::value(1, z), logistic.value(1.0, f),
                    1e-14 * (1.0 + logistic.value(1.0, f)));
        std::vector<double> u(2);
        SoftmaxLoss::derivative(1, z, u);
        EXPECT_NEAR(u[1], logistic.derivative(1.0, f), 1e-15);
        EXPECT_EQ(u[0], -u[1]);
        EXPECT_NEAR(SoftmaxLoss::conjugate(1, u), logistic.conjugate(1.0, u[1]), 1e-14);
    }
}

/// The sum of the divergences of the probabilities at z from those in u.
double divergences(index_t y, const std::vector<double>& u, const std::vector<double>& z) {
    const auto own = static_cast<std::size_t>(y);
    double sum = 0.0;
    for (std::size_t k = 0; k < z.size(); ++k) {
        const double p = k == own ? 1.0 + u[k] : u[k];
        sum += SoftmaxLoss::divergence(p, std::log(p), z[k] - z[own] - SoftmaxLoss::value(y, z));
    }
    return sum;
}

TEST(softmax_loss, fenchel_and_young_hold_with_equality_at_the_derivative) {
    Random random(3);
    std::vector<double> z(5);
    std::vector<double> u(5);
    for (int trial = 0; trial < 200; ++trial) {
        const auto y = static_cast<index_t>(trial % 5);
        for (double& value : z) {
            value = 4.0 * random.normal();
        }
        SoftmaxLoss::derivative(y, z, u);
        const auto product = [&] {
            double sum = 0.0;
            for (std::size_t k = 0; k < z.size(); ++k) {
                sum += u[k] * z[k];
            }
            return sum;
        };
        EXPECT_NEAR(SoftmaxLoss::value(y, z) + SoftmaxLoss::conjugate(y, u), product(), 1e-12);
        EXPECT_NEAR(divergences(y, u, z), 0.0, 1e-24);
        for (double& value : z) {
            value += random.normal();
        }
        const double gap = SoftmaxLoss::value(y, z) + SoftmaxLoss::conjugate(y, u) - product();
        EXPECT_GT(gap, 0.0);
        EXPECT_NEAR(divergences(y, u, z), gap, 1e-12);
    }
}

TEST(softmax_loss, divergence_keeps_its_digits) {
    // p s - p + q at log p = -3/4 and log q = log p - s, in 60 digits.
    struct Known {
        double s;
        double value;
    };
    for (const auto& [s, value] : {Known{0x1p-40, 1.95366227222878081e-25},
                                   {-0x1p-20, 2.14807506791809657e-13},
                                   {0.0625, 9.03666886378583938e-04},
                                   {-0.09375, 2.14224859340452021e-03},
                                   {0.109375, 2.72518025029658880e-03},
                                   {-0.109375, 2.93132479630780042e-03},
                                   {0.5, 5.03215204896827473e-02},
                                   {-0.875, 2.47461166677423738e-01},
                                   {-1.125, 4.51212490043545078e-01},
                                   {-20.0, 2.29175800945945799e+08},
                                   {30.0, 1.36986300294894701e+01}}) {
        const double p = std::exp(-0.75);
        EXPECT_NEAR(SoftmaxLoss::divergence(p, -0.75, -0.75 - s), value, 2e-14 * value) << s;
    }
    EXPECT_EQ(SoftmaxLoss::divergence(0.0, -kInfinity, std::log(0.25)), 0.25);
    EXPECT_NEAR(SoftmaxLoss::divergence(1e-300, std::log(1e-300), 0.0), 1.0, 1e-15);
}

TEST(softmax_loss, small_losses_keep_their_digits) {
    // log(1 + 2 e^-40) = 2 e^-40 to rounding; 1 - p would have none of these digits.
    const std::vector<double> z{40.0, 0.0, 0.0};
    const double leak = 2.0 * std::exp(-40.0);
    EXPECT_NEAR(SoftmaxLoss::value(0, z), leak, 1e-15 * leak);
    std::vector<double> u(3);
    SoftmaxLoss::derivative(0, z, u);
    EXPECT_NEAR(u[0], -leak, 1e-15 * leak);
    EXPECT_EQ(SoftmaxLoss::conjugate(0, std::vector<double>{0.0, 0.0, 0.0}), 0.0);
    EXPECT_EQ(SoftmaxLoss::conjugate(0, std::vector<double>{-1.0, 0.0, 1.0}), 0.0);
    EXPECT_EQ(SoftmaxLoss::conjugate(0, std::vector<double>{0.5, -0.5, 0.0}), kInfinity);
}

}  // namespace
}  // namespace mercer
