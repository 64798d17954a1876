// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/fit/risk_test.cpp - risks, what lambda and C mean, and what capacity does.
#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/random.hpp"
#include "mercer/problems/certificate.hpp"
#include "mercer/problems/problem.hpp"
#include "unit/fit/toys.hpp"

namespace mercer {
namespace {

/// The value of f = 0 when row i costs costs[i]: the risk under that distribution.
double risk_of_zero(const Dataset& data, const Loss& loss, const std::vector<double>& costs) {
    Problem problem;
    problem.kernel = linear_kernel();
    problem.rows = data;
    problem.targets = data.targets;
    problem.costs = costs;
    problem.loss = loss;
    problem.intercept = false;
    Context context;
    const std::vector<double> zero(data.targets.size(), 0.0);
    return certify_values(problem, zero, zero).primal;
}

TEST(Risk, MeanLossOfTwoRowsIsAQuarter) {
    const Dataset two = toys::make_rows({{0.0}, {1.0}}, {0, 1});
    EXPECT_DOUBLE_EQ(risk_of_zero(two, HalfSquaredLoss{}, {0.5, 0.5}), 0.25);
    // Drawn from the two rows with equal chances, the expected loss is the same number: the mean
    // of 40,000 draws is within four standard deviations (0.25 / 200).
    Random random(3);
    double sum = 0.0;
    for (int draw = 0; draw < 40000; ++draw) {
        sum += HalfSquaredLoss{}.value(random.below(2) == 0 ? 0.0 : 1.0, 0.0);
    }
    EXPECT_NEAR(sum / 40000.0, 0.25, 4.0 * 0.25 / 200.0);
}

/// The least of a convex function on [lower, upper], by thirds.
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
        by_lambda.lambda = lambda / 2.0;
        TrainOptions by_cost = toys::svc_options("linear", 1.0 / lambda / 25.0);
        for (TrainOptions options : {by_lambda, by_cost}) {
            options.intercept = false;
            options.gap_tolerance = 1e-13;
            const Model model = train(toys::make_classes(x, classes), options, context).model;
            const double f = decision_function(model, toys::make_rows({{1.0}}, {}), context)[0];
            EXPECT_NEAR(f, w, 1e-5 * (1.0 + std::abs(w))) << lambda;
            EXPECT_NEAR(model.certificates[0].primal, regularised(w) / lambda,
                        1e-9 * (1.0 + regularised(w) / lambda));
        }
    }
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
    options.intercept = false;
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

TEST(Risk, NinthDegreeGoesThroughTenPointsUntilItIsHeldBack) {
    const Fit free = fit_degree(9, 0.0);
    EXPECT_LT(std::sqrt(free.risk), 1e-8 * 9.0);  // targets reach 9
    const Fit held = fit_degree(9, 0.1);
    EXPECT_GT(held.risk, 1e-3);
    EXPECT_LT(held.squared_norm, free.squared_norm);
}

TEST(Risk, FallsWithTheDegreeAndRisesWithLambda) {
    double last = kInfinity;
    for (int degree = 1; degree <= 9; ++degree) {
        const double risk = fit_degree(degree, 0.0).risk;
        EXPECT_LE(risk, last + 1e-9) << degree;
        last = risk;
    }
    Fit before{-1.0, kInfinity};
    for (const double alpha : {1e-4, 1e-2, 1.0, 100.0}) {
        const Fit now = fit_degree(6, alpha);
        EXPECT_GE(now.risk, before.risk);
        EXPECT_LE(now.squared_norm, before.squared_norm);
        before = now;
    }
}

TEST(Risk, SurrogatesAreNotZeroAtTheTarget) {
    EXPECT_EQ(HingeLoss{}.value(1.0, 1.0), 0.0);
    EXPECT_NEAR(LogisticLoss{}.value(1.0, 1.0), 0.3133, 5e-5);
    EXPECT_EQ(SquaredHingeLoss{}.value(-1.0, -1.0), 0.0);
}

}  // namespace
}  // namespace mercer
