// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/fit/risk_test.cpp - risks, the meaning of lambda and C, and the effect of capacity.
#include "mercer/fit/risk.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/base/random.hpp"
#include "mercer/models/model_gram.hpp"
#include "support/facts.hpp"
#include "unit/fit/toys.hpp"

namespace mercer {
namespace {

TEST(Risk, MeanLossOfTwoRowsIsAQuarter) {
    const std::vector<double> targets{0.0, 1.0};
    const std::vector<double> zero{0.0, 0.0};
    const RiskLoss half = HalfSquaredLoss{};
    expect_fact("R01", "REG2, f=0, half squared", empirical_risk(half, targets, zero).risk);
    // The distribution with probability one half for each row has the same mean.
    const std::vector<double> halves{0.5, 0.5};
    expect_fact("R02", "P uniform on REG2, f=0, half squared",
                empirical_risk(half, targets, zero, halves).risk);
    // Drawn from it, 40,000 losses of 0 and 1/2 have a mean within four standard errors.
    Random random(3);
    RiskSum sum;
    for (int draw = 0; draw < 40000; ++draw) {
        sum.add(loss_value(half, targets[static_cast<std::size_t>(random.below(2))], 0.0));
    }
    const RiskEstimate drawn = sum.estimate();
    EXPECT_NEAR(drawn.standard_error, 0.25 / 200.0, 1e-5);
    expect_fact("R02", "40,000 draws: distance to it in standard errors",
                std::abs(drawn.risk - 0.25) / drawn.standard_error);
}

TEST(Risk, StandardErrorIsThatOfAMean) {
    // Losses 0, 0, 4, 4: mean 2, variance 16/3, of the mean 4/3.
    const std::vector<double> targets{0.0, 0.0, 2.0, 2.0};
    const std::vector<double> zero(4, 0.0);
    const RiskEstimate plain = empirical_risk(SquaredLoss{}, targets, zero);
    EXPECT_DOUBLE_EQ(plain.risk, 2.0);
    EXPECT_DOUBLE_EQ(plain.standard_error, std::sqrt(4.0 / 3.0));
    // Weights 3, 0, 1, 0 leave two rows: mean 1, squares 9 + 9, times 2 / 1, over the weight 4.
    const std::vector<double> weights{3.0, 0.0, 1.0, 0.0};
    const RiskEstimate weighted = empirical_risk(SquaredLoss{}, targets, zero, weights);
    EXPECT_DOUBLE_EQ(weighted.risk, 1.0);
    EXPECT_DOUBLE_EQ(weighted.standard_error, std::sqrt(36.0) / 4.0);
    EXPECT_EQ(weighted.rows, 2);
    const std::vector<double> one{1.0, 0.0, 0.0, 0.0};
    EXPECT_TRUE(std::isnan(empirical_risk(SquaredLoss{}, targets, zero, one).standard_error));
    EXPECT_TRUE(std::isnan(empirical_risk(SquaredLoss{}, {}, {}).risk));
    EXPECT_THROW((void)empirical_risk(SquaredLoss{}, targets, {}), InvalidArgument);
    EXPECT_THROW((void)empirical_risk(HingeLoss{}, targets, zero), InvalidArgument);
}

/// The minimum of a convex function on [lower, upper], by ternary search.
template <typename F>
double least_place(const F& f, double lower, double upper) {
    for (int step = 0; step < 200; ++step) {
        const double a = lower + (upper - lower) / 3.0;
        const double b = upper - (upper - lower) / 3.0;
        (f(a) <= f(b) ? upper : lower) = f(a) <= f(b) ? b : a;
    }
    return 0.5 * (lower + upper);
}

TEST(Risk, LambdaAndCostNameTheSameMachine) {
    // (1/n) sum loss + (lambda/2) w^2 and 1/2 w^2 + (C/n) sum loss with C = 1 / lambda, for one
    // column. The option's lambda is that of lambda |f|^2, hence half of the first.
    Random random(4);
    Context context;
    double difference = 0.0;
    double excess = 0.0;
    for (const double lambda : {0.05, 0.5, 2.0}) {
        std::vector<std::vector<double>> x;
        std::vector<double> classes;
        for (int i = 0; i < 25; ++i) {
            x.push_back({random.normal() + 0.2});
            classes.push_back(x.back()[0] + 0.5 * random.normal() > 0.0 ? 1.0 : 0.0);
        }
        const auto regularised = [&](double w) {
            double risk = 0.0;
            for (std::size_t i = 0; i < x.size(); ++i) {
                risk += HingeLoss{}.value(classes[i] == 0.0 ? -1.0 : 1.0, w * x[i][0]) / 25.0;
            }
            return risk + 0.5 * lambda * w * w;
        };
        const double w = least_place(regularised, -100.0, 100.0);
        TrainOptions by_lambda = toys::svc_options("linear", kNaN);
        by_lambda.objective.lambda = lambda / 2.0;
        TrainOptions by_cost = toys::svc_options("linear", 1.0 / lambda / 25.0);
        for (TrainOptions options : {by_lambda, by_cost}) {
            options.objective.intercept = false;
            options.run.gap_tolerance = 1e-13;
            const Model model = train(toys::make_classes(x, classes), options, context).model;
            const double f = decision_function(model, toys::make_rows({{1.0}}, {}), context)[0];
            difference = std::max(difference, std::abs(f - w) / (1.0 + std::abs(w)));
            const double best = regularised(w) / lambda;
            excess = std::max(excess, std::abs(model.certificates[0].primal - best) / (1.0 + best));
        }
    }
    expect_fact("R03", "argmin by lambda and by C = 1/lambda: distance of the weights", difference);
    expect_fact("R03", "and of the objectives", excess);
}

/// Ten noisy points of a parabola.
Dataset parabola() {
    Random random(8);
    std::vector<std::vector<double>> x;
    std::vector<double> y;
    for (int i = 0; i < 10; ++i) {
        x.push_back({-3.0 + 6.0 * (i + 0.5) / 10.0});
        y.push_back(x.back()[0] * x.back()[0] + random.normal());
    }
    return toys::make_rows(x, y);
}

struct Fit {
    double risk;
    double squared_norm;
};

/// Ridge regression on polynomials of that degree.
Fit fit_degree(int degree, double alpha) {
    const Dataset data = parabola();
    Context context;
    TrainOptions options =
        toys::krr_options("poly(degree=" + std::to_string(degree) + ", coef0=1, scale=0.2)", alpha);
    options.objective.intercept = false;
    const Model model = train(data, options, context).model;
    const std::vector<double> f = decision_function(model, data, context);
    double risk = 0.0;
    double norm = 0.0;
    for (std::size_t i = 0; i < f.size(); ++i) {
        risk += std::pow(f[i] - data.targets[i], 2) / 10.0;
    }
    const std::vector<double> beta = toys::coefficients(model, 10);
    for (std::size_t i = 0; i < f.size(); ++i) {
        norm += beta[i] * f[i];  // beta' K beta
    }
    return {risk, norm};
}

TEST(Risk, LookingUpTheRowsHasNoRiskOnThemAndAllOfItElsewhere) {
    // delta(x, z) is 1 for equal rows: without a penalty f is a table of the targets.
    const Dataset data = parabola();
    Context context;
    TrainOptions options = toys::krr_options("delta", 0.0);
    options.objective.intercept = false;
    const Model model = train(data, options, context).model;
    const std::vector<RiskLoss> squared{SquaredLoss{}};
    expect_fact("R06", "lookup: empirical risk", model_risk(model, data, squared, context)[0].risk);
    const Dataset other = toys::make_rows({{0.1}, {2.5}}, {0.01, 6.25});
    expect_fact("R06", "lookup: f between the rows",
                std::vector<double>(decision_function(model, other, context)));
}

TEST(Risk, NinthDegreeGoesThroughTenPointsUntilItIsHeldBack) {
    const Fit free = fit_degree(9, 0.0);
    expect_fact("R06", "degree 9 through 10 points: residual over the scale",
                std::sqrt(free.risk) / 9.0);  // targets reach 9
    const Fit held = fit_degree(9, 0.1);
    expect_fact("R06", "with alpha = 0.1: empirical risk", held.risk);
    expect_fact("R06", "with alpha = 0.1 the norm is smaller",
                held.squared_norm < free.squared_norm);
}

TEST(Risk, FallsWithTheDegreeAndRisesWithLambda) {
    double last = kInfinity;
    index_t rises = 0;
    for (int degree = 1; degree <= 9; ++degree) {
        const double risk = fit_degree(degree, 0.0).risk;
        rises += !(risk <= last + 1e-9);
        last = risk;
    }
    expect_fact("R07", "degrees 1 to 9 without penalty: risks that rise", rises);
    Fit before{-1.0, kInfinity};
    index_t falls = 0;
    index_t growths = 0;
    for (const double alpha : {1e-4, 1e-2, 1.0, 100.0}) {
        const Fit now = fit_degree(6, alpha);
        falls += !(now.risk >= before.risk);
        growths += !(now.squared_norm <= before.squared_norm);
        before = now;
    }
    expect_fact("R07", "alpha 1e-4 to 100: risks that fall", falls);
    expect_fact("R07", "alpha 1e-4 to 100: norms that grow", growths);
}

TEST(Risk, MarginRegulariserOfAPairIsHalfAndItsPlanesAreTwoApart) {
    Context context;
    const Model model = train(toys::pair(), toys::svc_options("linear", 10.0), context).model;
    const double norm = std::sqrt(squared_norm(model, toys::pair(), context));
    expect_fact("R04", "PAIR: 1/2 |w|^2", 0.5 * norm * norm);
    expect_fact("R04", "PAIR: distance between f=-1 and f=1", 2.0 / norm);
}

TEST(Risk, SparsityRegulariserIsTheSumOfTheCoefficientsSizes) {
    // PAIR with the squared hinge at C = 1: f = s x with s = 1/2, and 1/2 + 2 * 1/2 * (1/2)^2.
    Context context;
    TrainOptions options;
    options.model = "l2-svc";
    options.kernel = linear_kernel();
    options.objective.penalty = kL1;
    options.objective.l1 = 1.0;
    options.objective.cost = 1.0;
    options.objective.intercept = false;
    options.run.gap_tolerance = 1e-12;
    const Model model = train(toys::pair(), options, context).model;
    double sum = 0.0;
    for (const double beta : model.coefficients) {
        sum += std::abs(beta);
    }
    expect_fact("R05", "PAIR, squared hinge, C=1: sum |beta|", sum);
    expect_fact("R05", "PAIR, squared hinge, C=1: objective", model.certificates[0].primal);
}

}  // namespace
}  // namespace mercer
