// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/fit/margin_test.cpp - properties of every support vector classifier at its optimum.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/random.hpp"
#include "mercer/data/generate.hpp"
#include "support/facts.hpp"
#include "unit/fit/toys.hpp"

namespace mercer {
namespace {

using toys::coefficients;

class Margin : public ::testing::TestWithParam<std::string> {
protected:
    static TrainOptions svc_options(const std::string& kernel, double cost) {
        TrainOptions options = toys::svc_options(kernel, cost);
        options.run.solver = GetParam();
        return options;
    }
};

/// The sign of a row's class.
double sign_of(const Dataset& data, std::size_t i) { return data.targets[i] == 0.0 ? -1.0 : 1.0; }

/// Two clouds that a line separates with a wide margin.
Dataset separable(index_t rows, index_t columns, std::uint64_t seed) {
    Random random(seed);
    std::vector<std::vector<double>> x;
    std::vector<double> classes;
    for (index_t i = 0; i < rows; ++i) {
        x.emplace_back();
        for (index_t j = 0; j < columns; ++j) {
            x.back().push_back(random.normal());
        }
        classes.push_back(i % 2 == 0 ? 0.0 : 1.0);
        x.back()[0] = (i % 2 == 0 ? -1.0 : 1.0) * (1.0 + std::abs(x.back()[0]));
    }
    return toys::make_classes(x, classes);
}

TEST_P(Margin, TwoPointsOfARadialKernelHaveCoefficientsOneOverOneLessTheirLikeness) {
    Context context;
    std::vector<double> alphas[2];
    std::vector<double> values;
    for (const double distance : {0.3, 1.0, 4.0}) {
        const Dataset data = toys::make_classes({{0.0}, {distance}}, {0, 1});
        const TrainResult result = train(data, svc_options("rbf(gamma=0.5)", 1000), context);
        alphas[0].push_back(-coefficients(result.model, 2)[0]);
        alphas[1].push_back(coefficients(result.model, 2)[1]);
        values.push_back(result.model.certificates[0].primal);
        EXPECT_NEAR(result.model.intercepts[0], 0.0, 1e-6);
    }
    for (const std::vector<double>& alpha : alphas) {
        expect_fact("S01", "RBFPAIR, kappa = exp(-0.045), exp(-0.5), exp(-8): alpha of each row",
                    alpha);
    }
    expect_fact("S01", "RBFPAIR, kappa = exp(-0.045), exp(-0.5), exp(-8): P", values);
}

TEST_P(Margin, WidthIsTwoOverTheNorm) {
    Context context;
    const auto norm = [&](const Dataset& data, const char* kernel, double cost) {
        const Model model = train(data, svc_options(kernel, cost), context).model;
        return std::sqrt(model.certificates[0].squared_norm);
    };
    EXPECT_NEAR(2.0 / norm(toys::pair(), "linear", 10), 2.0, 1e-8);
    for (const double cost : {0.1, 0.25, 0.5, 3.0}) {
        EXPECT_NEAR(norm(toys::trio(), "linear", cost), std::min(2.0 * cost, 1.0), 1e-8);
    }
    // The nearest corner is at distance 1 / |w| from the plane in the feature space.
    EXPECT_NEAR(1.0 / norm(toys::exclusive_or(), "poly(degree=2, coef0=1, scale=1)", 10),
                std::sqrt(2.0), 1e-8);
}

TEST_P(Margin, CoefficientsSayOnWhichSideOfTheMarginARowLies) {
    Context context;
    const Dataset data =
        generate({.name = "moons", .rows = 300, .noise = 0.35, .seed = 4}, context);
    const double cost = 2.0;
    TrainOptions options = svc_options("rbf(gamma=1)", cost);
    options.run.gap_tolerance.reset();
    options.run.tolerance = 1e-9;
    const TrainResult result = train(data, options, context);
    const std::vector<double> beta = coefficients(result.model, 300);
    const std::vector<double> f = decision_function(result.model, data, context);
    index_t outside = 0;
    index_t free = 0;
    index_t bounded = 0;
    double slacks = 0.0;
    double constants = 0.0;  // t - f without b, summed over the rows on the margin
    double beyond = 0.0;     // largest deviation of rows of each kind from their required position
    double on = 0.0;
    double within = 0.0;
    double slack_error = 0.0;
    bool wrong_side = true;
    for (std::size_t i = 0; i < f.size(); ++i) {
        const double alpha = sign_of(data, i) * beta[i];
        const double margin = sign_of(data, i) * f[i];
        slacks += std::max(0.0, 1.0 - margin);
        if (alpha == 0.0) {
            beyond = std::max(beyond, 1.0 - margin);
            ++outside;
        } else if (alpha < cost) {
            EXPECT_GT(alpha, 0.0);
            on = std::max(on, std::abs(margin - 1.0));
            constants += sign_of(data, i) - (f[i] - result.model.intercepts[0]);
            ++free;
        } else {
            EXPECT_EQ(alpha, cost);
            within = std::max(within, margin - 1.0);
            ++bounded;
            // A slack is the distance to the plane of the row's class, and exceeds 1 if the row is
            // on the wrong side.
            const double slack = std::abs(sign_of(data, i) - f[i]);
            slack_error = std::max(slack_error, std::abs(slack - std::max(0.0, 1.0 - margin)));
            wrong_side = wrong_side && (slack > 1.0) == (margin < 0.0);
        }
    }
    expect_fact("S03", "alpha = 0: 1 - tf", beyond);
    expect_fact("S03", "0 < alpha < C: |tf - 1|", on);
    expect_fact("S03", "alpha = C: tf - 1", within);
    expect_fact("S03", "alpha = C: |slack - |t - f||", slack_error);
    expect_fact("S03", "alpha = C: the slack is above 1 exactly on the wrong side", wrong_side);
    expect_fact("S03", "rows of the rarest kind of the three", std::min({outside, free, bounded}));
    EXPECT_EQ(result.bounded_support, bounded);
    expect_fact("S04", "|b - mean of t - (f - b) over the rows 0 < alpha < C|",
                std::abs(result.model.intercepts[0] - constants / static_cast<double>(free)));
    const Certificate& proof = result.model.certificates[0];
    EXPECT_NEAR(proof.primal, 0.5 * proof.squared_norm + cost * slacks, 1e-7 * proof.primal);
}

TEST_P(Margin, HardMarginIsCanonicalBalancedAndItsOwnNorm) {
    Context context;
    for (const std::uint64_t seed : {1, 2, 3, 4}) {
        const Dataset data = separable(60, 4, seed);
        TrainOptions options = svc_options("linear", 1e6);
        options.run.gap_tolerance = 1e-11;
        const TrainResult result = train(data, options, context);
        ASSERT_EQ(result.bounded_support, 0) << seed;
        const std::vector<double> beta = coefficients(result.model, 60);
        const std::vector<double> f = decision_function(result.model, data, context);
        double least = kInfinity;
        double torque = 0.0;
        double force = 0.0;
        double alphas = 0.0;
        std::vector<double> w(4, 0.0);
        index_t active[2] = {0, 0};
        std::vector<double> x(4);
        for (std::size_t i = 0; i < f.size(); ++i) {
            least = std::min(least, sign_of(data, i) * f[i]);
            force += beta[i];
            alphas += std::abs(beta[i]);
            data.copy_row(static_cast<index_t>(i), x);
            for (std::size_t j = 0; j < 4; ++j) {
                w[j] += beta[i] * x[j];
            }
            if (std::abs(sign_of(data, i) * f[i] - 1.0) < 1e-4) {
                ++active[sign_of(data, i) > 0.0 ? 1 : 0];
            }
        }
        expect_fact("S10", "60 random rows: least tf of the hard margin", least);
        expect_fact("S07", "60 random rows: |sum alpha t| / sum alpha", std::abs(force) / alphas);
        EXPECT_GE(active[0], 1);
        EXPECT_GE(active[1], 1);
        const Certificate& proof = result.model.certificates[0];
        expect_fact("S09", "60 random rows: ||w|^2 - sum alpha| / sum alpha",
                    std::abs(proof.squared_norm - alphas) / alphas);
        for (const double value : {proof.primal, proof.dual}) {
            expect_fact("S09",
                        "60 random rows: |P - 1/2 sum alpha|, |D - 1/2 sum alpha| / sum alpha",
                        std::abs(value - 0.5 * alphas) / alphas);
        }
        // w is a sum over the rows: f is <w, x> + b.
        for (std::size_t i = 0; i < f.size(); ++i) {
            data.copy_row(static_cast<index_t>(i), x);
            double value = result.model.intercepts[0];
            for (std::size_t j = 0; j < 4; ++j) {
                value += w[j] * x[j];
            }
            torque = std::max(torque, std::abs(value - f[i]) / (1.0 + std::abs(f[i])));
        }
        expect_fact("S07", "60 random rows: |<sum alpha t x, x> + b - f| / (1 + |f|)", torque);
    }
}

TEST_P(Margin, RowsWithoutCoefficientMayGo) {
    Context context;
    const Dataset data = separable(60, 3, 9);
    TrainOptions options = svc_options("linear", 1e6);
    options.run.gap_tolerance = 1e-11;
    const Model all = train(data, options, context).model;
    ASSERT_LT(all.support_rows.size(), 20U);
    const Model few = train(data.select(all.support_rows), options, context).model;
    const std::vector<double> f = decision_function(all, data, context);
    const std::vector<double> g = decision_function(few, data, context);
    double apart = 0.0;
    for (std::size_t i = 0; i < f.size(); ++i) {
        apart = std::max(apart, std::abs(f[i] - g[i]) / (1.0 + std::abs(f[i])));
    }
    expect_fact("S08", "60 random rows, those of alpha = 0 removed: change of f / (1 + |f|)",
                apart);
    expect_fact("S08", "60 random rows, those of alpha = 0 removed: change of P / P",
                std::abs(all.certificates[0].primal / few.certificates[0].primal - 1.0));
}

TEST_P(Margin, MultiplesOfAMachineAreOnePlaneAndOneOfThemIsCanonical) {
    Context context;
    const Dataset data = separable(60, 4, 7);
    TrainOptions options = svc_options("linear", 1e6);
    options.run.gap_tolerance = 1e-11;
    const Model canonical = train(data, options, context).model;
    const double norm = std::sqrt(canonical.certificates[0].squared_norm);
    const std::vector<double> f = decision_function(canonical, data, context);
    double least = kInfinity;
    for (std::size_t i = 0; i < f.size(); ++i) {
        least = std::min(least, sign_of(data, i) * f[i]);
    }
    for (const double factor : {0.125, 3.0, 1000.0}) {
        Model multiple = canonical;
        for (double& beta : multiple.coefficients) {
            beta *= factor;
        }
        multiple.intercepts[0] *= factor;
        const std::vector<double> g = decision_function(multiple, data, context);
        expect_fact("S10", "lambda (w, b), lambda = 1/8, 3, 1000: the same classes",
                    predict_classes(multiple, g) == predict_classes(canonical, f));
        double functional = kInfinity;
        for (std::size_t i = 0; i < g.size(); ++i) {
            functional = std::min(functional, sign_of(data, i) * g[i]);
        }
        expect_fact("S10", "lambda (w, b), lambda = 1/8, 3, 1000: least tf over lambda",
                    functional / factor);
        expect_fact("S10", "lambda (w, b), lambda = 1/8, 3, 1000: change of the geometric margin",
                    std::abs(functional / (factor * norm) - least / norm) * norm);
    }
}

TEST_P(Margin, ColumnsTimesTwoAreTheCostTimesFour) {
    // (w, b) of x at C, (w / s, b) of s x at C / s^2: the same decisions.
    Context context;
    const Dataset data =
        generate({.name = "blobs", .rows = 120, .columns = 3, .noise = 0.8, .seed = 2}, context);
    std::vector<std::vector<double>> doubled;
    std::vector<double> x(3);
    for (index_t i = 0; i < data.rows(); ++i) {
        data.copy_row(i, x);
        doubled.push_back({2.0 * x[0], 2.0 * x[1], 2.0 * x[2]});
    }
    Dataset wide = toys::make_classes(doubled, data.targets);
    TrainOptions options = svc_options("linear", 4.0);
    options.run.gap_tolerance = 1e-12;
    const Model a = train(data, options, context).model;
    options.objective.cost = 1.0;
    const Model b = train(wide, options, context).model;
    const std::vector<double> f = decision_function(a, data, context);
    const std::vector<double> g = decision_function(b, wide, context);
    double apart = 0.0;
    for (std::size_t i = 0; i < f.size(); ++i) {
        apart = std::max(apart, std::abs(f[i] - g[i]));
    }
    expect_fact("S10", "columns times 2 at C / 4: change of f", apart);
    expect_fact("S10", "columns times 2 at C / 4: P / (4 P of them) - 1",
                std::abs(a.certificates[0].primal / (4.0 * b.certificates[0].primal) - 1.0));
}

TEST_P(Margin, ZeroCountsForTheSecondClass) {
    Context context;
    const Model model = train(toys::pair(), svc_options("linear", 10), context).model;
    const std::vector<double> f =
        decision_function(model, toys::make_rows({{-0.5}, {0.0}, {0.5}}, {}), context);
    expect_fact("S05", "PAIR: f at -1/2, 0, 1/2", f);
    const std::vector<index_t> classes = predict_classes(model, f);
    expect_fact("S05", "PAIR: class of -1/2, 0, 1/2 (0 counts for the second)",
                std::vector<double>(classes.begin(), classes.end()));
}

INSTANTIATE_TEST_SUITE_P(Solvers, Margin, ::testing::ValuesIn(machine_solvers("svc")));

}  // namespace
}  // namespace mercer
