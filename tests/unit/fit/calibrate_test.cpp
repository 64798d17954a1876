// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/fit/calibrate_test.cpp - maximum likelihood sigmoids.
#include "fit/calibrate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/facts.hpp"
#include "unit/fit/toys.hpp"

namespace mercer::fit {
namespace {

TEST(Sigmoid, TwoValuesMeetTheTargetsOfPlatt) {
    // Two groups of rows at f = -1 and f = 1, each of one class: a sigmoid through both points
    // exists, p(1) = (n + 1) / (n + 2) and p(-1) = 1 / (n + 2); so b = 0, a = -log(n + 1).
    std::vector<double> f;
    std::vector<double> targets;
    for (int i = 0; i < 8; ++i) {
        f.push_back(i % 2 == 0 ? 1.0 : -1.0);
        targets.push_back(f.back());
    }
    const Sigmoid sigmoid = fit_sigmoid(f, targets, {});
    EXPECT_NEAR(sigmoid.a, -std::log(5.0), 1e-8);
    EXPECT_NEAR(sigmoid.b, 0.0, 1e-8);
    // weights count rows: the same from two rows of weight 4
    const std::vector<double> two_f = {1.0, -1.0};
    const std::vector<double> weights = {4.0, 4.0};
    const Sigmoid weighted = fit_sigmoid(two_f, two_f, weights);
    EXPECT_NEAR(weighted.a, sigmoid.a, 1e-8);
    EXPECT_NEAR(weighted.b, sigmoid.b, 1e-8);
}

TEST(Sigmoid, IsStationary) {
    Random random(3);
    std::vector<double> f;
    std::vector<double> targets;
    for (int i = 0; i < 200; ++i) {
        targets.push_back(i % 3 == 0 ? 1.0 : -1.0);
        f.push_back(targets.back() + 2.0 * random.normal());
    }
    const Sigmoid s = fit_sigmoid(f, targets, {});
    double ga = 0.0;
    double gb = 0.0;
    const double high = 68.0 / 69.0;  // 67 positive rows
    const double low = 1.0 / 135.0;   // 133 negative ones
    for (std::size_t i = 0; i < f.size(); ++i) {
        const double p = 1.0 / (1.0 + std::exp(s.a * f[i] + s.b));
        ga += f[i] * ((targets[i] > 0 ? high : low) - p);
        gb += (targets[i] > 0 ? high : low) - p;
    }
    EXPECT_NEAR(ga, 0.0, 1e-6);
    EXPECT_NEAR(gb, 0.0, 1e-6);
    EXPECT_LT(s.a, 0.0);
}

TEST(Sigmoid, ConstantAndHugeValuesStayFinite) {
    for (const std::vector<double>& f :
         {std::vector<double>{0, 0, 0}, std::vector<double>{1e200, -1e200, 1e200},
          std::vector<double>{5, 5, 5}}) {
        const Sigmoid s = fit_sigmoid(f, std::vector<double>{1, -1, 1}, {});
        EXPECT_TRUE(std::isfinite(s.a) && std::isfinite(s.b));
    }
}

TEST(Parts, EveryPartHasItsShareOfBothClasses) {
    std::vector<double> targets(103, -1.0);
    std::fill(targets.begin(), targets.begin() + 12, 1.0);
    Random random(1);
    const std::vector<index_t> part = deal_parts(targets, 5, random);
    for (index_t p = 0; p < 5; ++p) {
        index_t positive = 0;
        index_t all = 0;
        for (std::size_t i = 0; i < part.size(); ++i) {
            all += part[i] == p;
            positive += part[i] == p && targets[i] > 0.0;
        }
        EXPECT_TRUE(all == 20 || all == 21);
        EXPECT_TRUE(positive == 2 || positive == 3);
    }
}

TEST(Probability, OneRowPerClassStillGivesAProbability) {
    Context context;
    TrainOptions options = toys::svc_options("linear", 1);
    options.outputs.probability = true;
    const Model model = train(toys::pair(), options, context).model;
    const std::vector<double> p =
        class_probabilities(model, decision_function(model, toys::pair(), context));
    for (const double value : p) {
        EXPECT_TRUE(value > 0.0 && value < 1.0);
    }
}

TEST(DensityMarks, AreTheMiddlesBetweenCutsOfEqualShare) {
    // Five rows on each side: every row is a cut, and so is 0.
    const std::vector<double> f{3, -5, 1, -2, 5, -1, 2, -4, 4, -3};
    const std::vector<double> expected{-4.5, -3.5, -2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5, 4.5};
    expect_fact("X28", "marks of ten rows -5 .. 5", density_marks(f, {}));
    // Each row twice, or with weight 2: the same cuts. A row of weight 0 is not a cut.
    std::vector<double> twice = f;
    twice.insert(twice.end(), f.begin(), f.end());
    EXPECT_EQ(density_marks(twice, {}), expected);
    EXPECT_EQ(density_marks(f, std::vector<double>(10, 2.0)), expected);
    std::vector<double> longer = f;
    longer.push_back(100.0);
    std::vector<double> weights(11, 1.0);
    weights[10] = 0.0;
    EXPECT_EQ(density_marks(longer, weights), expected);
    // Seven outside: their ranks 0, 1.4, 2.8, 4.2 and 5.6; six inside: 1.2, 2.4, .. 6 from the
    // lowest, rounded down.
    EXPECT_EQ(density_marks(std::vector<double>{-7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5}, {}),
              (std::vector<double>{-6.5, -5.5, -4, -2.5, -1, 0, 0.5, 1.5, 2.5, 4}));
    EXPECT_TRUE(density_marks(std::vector<double>{-4, -3, -2, -1, 1, 2, 3, 4, 5}, {}).empty());
    EXPECT_TRUE(density_marks(std::vector<double>(20, 1.0), {}).empty());
}

TEST(Probability, FollowsTheSeed) {
    Dataset data =
        toys::make_classes({{0}, {1}, {2}, {3}, {1.5}, {2.5}, {0.5}, {3.5}, {1.7}, {2.1}},
                           {0, 0, 1, 1, 1, 0, 0, 1, 0, 1});
    TrainOptions options = toys::svc_options("linear", 1);
    options.outputs.probability = true;
    Context one(ContextOptions{.seed = 1});
    Context again(ContextOptions{.seed = 1});
    EXPECT_EQ(train(data, options, one).model.link.a, train(data, options, again).model.link.a);
}

TEST(Probability, SpreadOfARegressionIsItsHeldOutError) {
    Context context;
    // f = 0 for every row far from all others: the held-out error of each row is |y|.
    Dataset data =
        toys::make_rows({{0}, {1000}, {2000}, {3000}, {4000}, {5000}}, {1, -1, 2, -2, 3, -3});
    TrainOptions options = toys::krr_options("rbf(gamma=1)", 1e-6);
    options.objective.intercept = false;
    options.outputs.probability = true;
    const Model model = train(data, options, context).model;
    EXPECT_EQ(model.link.kind, "laplace");
    EXPECT_NEAR(model.link.a[0], 2.0, 1e-12);
}

}  // namespace
}  // namespace mercer::fit
