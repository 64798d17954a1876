// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/fit/family_test.cpp - the support vector family on problems solved by hand, by every
// solver that fits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/base/random.hpp"
#include "mercer/data/generate.hpp"
#include "mercer/models/verify.hpp"
#include "unit/fit/toys.hpp"

namespace mercer {
namespace {

using toys::coefficients;
using toys::dual_of;
using toys::fit;
using toys::primal_of;

TrainOptions options_of(const std::string& model, const std::string& solver,
                        const std::string& kernel = "linear") {
    TrainOptions options;
    options.model = model;
    options.solver = solver;
    options.kernel = parse_kernel(kernel).value();
    options.gap_tolerance = 1e-12;
    return options;
}

class Hinges : public ::testing::TestWithParam<std::string> {};

TEST_P(Hinges, HardMarginsOfTheToys) {
    const TrainResult pair = fit(toys::pair(), options_of("hard-margin", GetParam()));
    EXPECT_NEAR(coefficients(pair.model, 2)[0], -0.5, 1e-12);
    EXPECT_NEAR(coefficients(pair.model, 2)[1], 0.5, 1e-12);
    EXPECT_NEAR(pair.model.intercepts[0], 0.0, 1e-12);
    EXPECT_NEAR(primal_of(pair), 0.5, 1e-12);
    EXPECT_NEAR(dual_of(pair), 0.5, 1e-12);

    const TrainResult corners =
        fit(toys::exclusive_or(), options_of("hard-margin", GetParam(), "poly(degree=2)"));
    double sum = 0.0;
    for (const double beta : coefficients(corners.model, 4)) {
        EXPECT_NEAR(std::abs(beta), 0.125, 1e-10);
        sum += std::abs(beta);
    }
    EXPECT_NEAR(corners.model.intercepts[0], 0.0, 1e-10);
    EXPECT_NEAR(corners.model.certificates[0].squared_norm, sum, 1e-10);  // |w|^2 = sum alpha
    EXPECT_NEAR(dual_of(corners), 0.5 * sum, 1e-10);
    Context context;
    const std::vector<double> f =
        decision_function(corners.model, toys::make_rows({{2, 3}, {-1, 0.5}}, {}), context);
    EXPECT_NEAR(f[0], -6.0, 1e-8);  // f = -x1 x2
    EXPECT_NEAR(f[1], 0.5, 1e-8);

    const Dataset apart = toys::make_classes({{0.0}, {1.5}}, {0, 1});
    const double alpha = 1.0 / (1.0 - std::exp(-0.5 * 2.25));
    const TrainResult radial = fit(apart, options_of("hard-margin", GetParam(), "rbf(gamma=0.5)"));
    EXPECT_NEAR(coefficients(radial.model, 2)[1], alpha, 1e-6);
}

TEST_P(Hinges, HardMarginForgetsARowBeyondIt) {
    const TrainResult all = fit(toys::trio(), options_of("hard-margin", GetParam()));
    const TrainResult pair = fit(toys::pair(), options_of("hard-margin", GetParam()));
    EXPECT_NEAR(coefficients(all.model, 3)[2], 0.0, 1e-12);
    EXPECT_NEAR(coefficients(all.model, 3)[1], coefficients(pair.model, 2)[1], 1e-12);
    EXPECT_NEAR(all.model.intercepts[0], pair.model.intercepts[0], 1e-12);
}

/// The message of a training that is refused because of its data; empty when it is not.
std::string refusal(const Dataset& data, const TrainOptions& options) {
    Context context;
    try {
        (void)train(data, options, context);
    } catch (const DataError& fault) {
        return fault.what();
    }
    return "";
}

TEST_P(Hinges, HardMarginRefusesWhatNoPlaneSeparates) {
    EXPECT_EQ(refusal(toys::exclusive_or(), options_of("hard-margin", GetParam())),
              "the classes are not separable by linear: rows 1, 2 of one class and 3, 4 of the "
              "other of the problem have convex hulls that meet, by exact arithmetic; use --model "
              "svc, or another kernel");
    // The middle row of three on a line; the fourth row is in no hull that meets another.
    const Dataset line = toys::make_classes({{0.0}, {1.0}, {2.0}, {-7.0}}, {0, 1, 0, 0});
    EXPECT_EQ(refusal(line, options_of("hard-margin", GetParam())).substr(0, 102),
              "the classes are not separable by linear: rows 1, 3 of one class and 2 of the other "
              "of the problem have");
    TrainOptions homogeneous = options_of("hard-margin", GetParam());
    homogeneous.intercept = false;
    const std::string origin = refusal(toys::make_classes({{1.0}, {2.0}}, {0, 1}), homogeneous);
    EXPECT_NE(origin.find("rows 1 of one class and 2 of the other"), std::string::npos) << origin;
    EXPECT_NE(origin.find("hold 0"), std::string::npos) << origin;
}

TEST_P(Hinges, HardMarginIsFoundWhereItIsABillionthOfTheRadius) {
    for (const double margin : {1e-5, 1e-9}) {
        const Dataset data = toys::make_classes({{-1.0}, {0.0}, {margin}, {1.0}}, {0, 0, 1, 1});
        TrainOptions options = options_of("hard-margin", GetParam());
        options.gap_tolerance = 1e-4;
        const TrainResult result = fit(data, options);  // converged
        const double norm = std::sqrt(result.model.certificates[0].squared_norm);
        EXPECT_NEAR(norm * margin, 2.0, 1e-3) << margin;  // |w| = 2 / margin
    }
}

TEST_P(Hinges, SoftMarginsOfTheToys) {
    for (const double cost : {0.1, 0.25, 0.5, 0.8, 10.0}) {
        TrainOptions options = options_of("svc", GetParam());
        options.cost = cost;
        const double alpha = std::min(cost, 0.5);
        const TrainResult pair = fit(toys::pair(), options);
        EXPECT_NEAR(coefficients(pair.model, 2)[0], -alpha, 1e-12);
        EXPECT_NEAR(coefficients(pair.model, 2)[1], alpha, 1e-12);
        // |w| = 2 alpha and both rows have the slack 1 - |w|.
        const double value = 2.0 * alpha * alpha + cost * 2.0 * (1.0 - 2.0 * alpha);
        EXPECT_NEAR(primal_of(pair), value, 1e-11);
        EXPECT_NEAR(dual_of(pair), value, 1e-11);
        const TrainResult trio = fit(toys::trio(), options);
        EXPECT_NEAR(coefficients(trio.model, 3)[0], -alpha, 1e-11);
        EXPECT_NEAR(coefficients(trio.model, 3)[1], alpha, 1e-11);
        EXPECT_NEAR(coefficients(trio.model, 3)[2], 0.0, 1e-11);
        const TrainResult corners = fit(toys::exclusive_or(), options);
        EXPECT_NEAR(primal_of(corners), 4.0 * cost, 1e-10);
        EXPECT_NEAR(dual_of(corners), 4.0 * cost, 1e-10);
        EXPECT_NEAR(corners.model.certificates[0].squared_norm, 0.0, 1e-10);
        for (const double beta : coefficients(corners.model, 4)) {
            EXPECT_NEAR(std::abs(beta), cost, 1e-10 * cost);
        }
    }
    TrainOptions options = options_of("svc", GetParam());
    options.cost = 0.1;
    const Interval intercepts = fit(toys::trio(), options).model.certificates[0].intercepts;
    EXPECT_NEAR(intercepts.lower, 0.4, 1e-11);
    EXPECT_NEAR(intercepts.upper, 0.8, 1e-11);
}

TEST_P(Hinges, HardMarginOfEveryPairHasACostOfItsOwnSize) {
    // k(x, x) of the last class is 2e9 times that of the first ones, whose margin is far smaller.
    Dataset data = toys::make_rows({{0.0}, {1.0}, {8.0}}, {0, 1, 2});
    data.label_names = {"a", "b", "c"};
    const TrainResult result = fit(data, options_of("hard-margin", GetParam(), "poly(degree=10)"));
    Context context;
    const std::vector<double> f = decision_function(result.model, data, context);
    EXPECT_NEAR(f[0], 1.0, 1e-6);   // a against b at a
    EXPECT_NEAR(f[3], -1.0, 1e-6);  // and at b
}

TEST_P(Hinges, HardMarginIsNotProvedByItsSmallSize) {
    // |w|^2 = 4 / |x - z|^2 is 4e-20: a gap that is small beside 1 says nothing.
    const Dataset data = toys::make_classes({{-1e10}, {1e10}}, {0, 1});
    const TrainResult result = fit(data, options_of("hard-margin", GetParam()));
    EXPECT_NEAR(coefficients(result.model, 2)[1], 0.5e-20, 1e-26);
    EXPECT_NEAR(result.model.certificates[0].squared_norm, 1e-20, 1e-26);
}

TEST_P(Hinges, InfiniteCostIsTheHardMargin) {
    TrainOptions options = options_of("svc", GetParam());
    options.cost = kInfinity;
    const TrainResult result = fit(toys::trio(), options);
    EXPECT_NEAR(coefficients(result.model, 3)[1], 0.5, 1e-12);
    EXPECT_EQ(result.model.machine, "svc");
    Context context;
    EXPECT_THROW((void)train(toys::exclusive_or(), options, context), DataError);
    options.cost = -kInfinity;
    EXPECT_THROW((void)train(toys::trio(), options, context), InvalidArgument);
}

TEST_P(Hinges, KernelValuesBeyondSinglePrecisionAreNoLimit) {
    // k = (s x z)^3 with s = 1e13: K = 1e39 [[1, -1], [-1, 1]], alpha = 1 / 2e39 each.
    TrainOptions options = options_of("svc", GetParam(), "poly(degree=3, coef0=0, scale=1e13)");
    options.gap_tolerance = 1e-4;
    const TrainResult result = fit(toys::pair(), options);
    EXPECT_NEAR(primal_of(result), 0.0, 1e-4);
    Context context;
    const std::vector<double> f = decision_function(result.model, toys::pair(), context);
    EXPECT_GT(f[1], 0.99);
    EXPECT_LT(f[0], -0.99);
}

INSTANTIATE_TEST_SUITE_P(Solvers, Hinges, ::testing::ValuesIn(machine_solvers("svc")),
                         toys::kSuiteName);

class Squares : public ::testing::TestWithParam<std::string> {};

TEST_P(Squares, PairHasTheCoefficientOfItsEquation) {
    for (const std::string model : {"l2-svc", "huber-svc"}) {
        for (const double cost : {0.1, 1.0, 30.0}) {
            TrainOptions options = options_of(model, GetParam());
            options.cost = cost;
            options.gap_tolerance = 1e-11;
            const TrainResult pair = fit(toys::pair(), options);
            const double alpha = cost / (2.0 * cost + 1.0);
            EXPECT_NEAR(coefficients(pair.model, 2)[1], alpha, 2e-5 * alpha) << model << cost;
            EXPECT_NEAR(primal_of(pair), alpha, 1e-10) << model << cost;
            EXPECT_NEAR(dual_of(pair), alpha, 1e-10) << model << cost;
            // w = 2 alpha, and the slack 1 - w is alpha / C.
            Context context;
            const std::vector<double> f = decision_function(pair.model, toys::pair(), context);
            EXPECT_NEAR(f[1], 2.0 * alpha, 2e-5) << model << cost;
            EXPECT_NEAR(1.0 - f[1], alpha / cost, 2e-5) << model << cost;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Solvers, Squares, ::testing::ValuesIn(machine_solvers("l2-svc")),
                         toys::kSuiteName);

TEST(Quadratic, NearlySingularKernelsDoNotRunAway) {
    // Rounded rows of this matrix have no minimum without bounds: coefficients of 1e153 came out.
    Random random(1);
    std::vector<std::vector<double>> x;
    std::vector<double> classes;
    for (int i = 0; i < 40; ++i) {
        x.push_back({random.normal() + 0.7 * (i % 2)});
        classes.push_back(i % 2);
    }
    Context context;
    for (const std::string solver : {"decomposition", "smo"}) {
        TrainOptions options = options_of("l2-svc", solver, "poly(degree=8)");
        options.cost = 1e4;
        options.gap_tolerance = 1e-4;
        options.max_iterations = 1000000;
        const TrainResult result = train(toys::make_classes(x, classes), options, context);
        const Certificate& proof = result.model.certificates[0];
        EXPECT_TRUE(std::isfinite(proof.gap)) << solver;
        // beta^2 / (2 C) is a part of the objective, which f = 0 has at 40 C / 2.
        for (const double beta : result.model.coefficients) {
            EXPECT_LE(std::abs(beta), 1.02e4 * std::sqrt(40.0)) << solver;
        }
    }
}

class NuSvc : public ::testing::TestWithParam<std::string> {};

TEST_P(NuSvc, PairIsThePlaneOfItsMargin) {
    // Coefficients nu / 2 ... each class carries half the mass nu n, here nu each.
    for (const double nu : {0.25, 0.5, 1.0}) {
        TrainOptions options = options_of("nu-svc", GetParam());
        options.nu = nu;
        const TrainResult result = fit(toys::pair(), options);
        EXPECT_NEAR(coefficients(result.model, 2)[1], nu, 1e-12);
        EXPECT_NEAR(coefficients(result.model, 2)[0], -nu, 1e-12);
        // f = 2 nu x, so that the margin rho is 2 nu and the value 1/2 |w|^2 - mass rho.
        EXPECT_NEAR(result.model.certificates[0].width, 2.0 * nu, 1e-12);
        EXPECT_NEAR(primal_of(result), -2.0 * nu * nu, 1e-12);
    }
}

TEST_P(NuSvc, MoreThanTwiceTheSmallerShareIsRefusedAndTheShareItselfIsNot) {
    TrainOptions options = options_of("nu-svc", GetParam());
    Context context;
    options.nu = 2.0 / 3.0;  // of -, +, +
    EXPECT_EQ(train(toys::trio(), options, context).model.status, "converged");
    options.nu = 2.0 / 3.0 + 1e-6;
    EXPECT_THROW((void)train(toys::trio(), options, context), InvalidArgument);
}

TEST_P(NuSvc, NuCountsTheRowsInsideTheMarginAndTheSupport) {
    Context context;
    const Dataset data = generate({.name = "moons", .rows = 200, .noise = 0.2, .seed = 6}, context);
    for (const double nu : {0.1, 0.3, 0.5, 0.8}) {
        TrainOptions options = options_of("nu-svc", GetParam(), "rbf(gamma=20)");
        options.nu = nu;
        options.gap_tolerance = 1e-11;
        const TrainResult result = fit(data, options);
        const double rho = result.model.certificates[0].width;
        ASSERT_GT(rho, 0.0);
        const std::vector<double> f = decision_function(result.model, data, context);
        index_t inside[2] = {0, 0};
        for (std::size_t i = 0; i < f.size(); ++i) {
            const std::size_t side = data.targets[i] == 0.0 ? 0 : 1;
            inside[side] += static_cast<index_t>((side == 0 ? -f[i] : f[i]) < rho - 1e-4 * rho);
        }
        EXPECT_LE(inside[0], 100.0 * nu);  // each class has half of it
        EXPECT_LE(inside[1], 100.0 * nu);
        EXPECT_LE(static_cast<double>(result.bounded_support), 200.0 * nu + 1e-9);
        EXPECT_GE(static_cast<double>(result.model.support_rows.size()), 200.0 * nu - 1e-9);
        // C-SVC with C = 1 / rho is the same machine, divided by rho.
        TrainOptions soft = toys::svc_options("rbf(gamma=20)", 1.0 / rho);
        soft.gap_tolerance = 1e-11;
        const std::vector<double> g = decision_function(fit(data, soft).model, data, context);
        for (std::size_t i = 0; i < f.size(); ++i) {
            EXPECT_NEAR(f[i] / rho, g[i], 1e-4);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Solvers, NuSvc, ::testing::ValuesIn(machine_solvers("nu-svc")),
                         toys::kSuiteName);

class OneClass : public ::testing::TestWithParam<std::string> {};

TEST_P(OneClass, TwoPointsShareTheMass) {
    // K = [[1, k], [k, 1]], beta = nu each: rho = f = nu (1 + k).
    const Dataset data = toys::make_rows({{0.0}, {1.0}}, {1.0, 1.0});
    for (const double nu : {0.2, 0.5, 1.0}) {
        TrainOptions options = options_of("one-class", GetParam(), "rbf(gamma=0.7)");
        options.nu = nu;
        const TrainResult result = fit(data, options);
        const double rho = nu * (1.0 + std::exp(-0.7));
        EXPECT_NEAR(coefficients(result.model, 2)[0], nu, 1e-10);
        EXPECT_NEAR(coefficients(result.model, 2)[1], nu, 1e-10);
        EXPECT_NEAR(result.model.intercepts[0], -rho, 1e-10);
        EXPECT_NEAR(primal_of(result), -nu * rho, 1e-10);  // 1/2 |f|^2 - mass rho
    }
}

TEST_P(OneClass, NuCountsTheRowsOutsideAndTheSupport) {
    Context context;
    const Dataset data = generate({.name = "moons", .rows = 200, .noise = 0.2, .seed = 8}, context);
    for (const double nu : {0.1, 0.3, 0.5, 0.8}) {
        TrainOptions options = options_of("one-class", GetParam(), "rbf(gamma=1)");
        options.nu = nu;
        options.gap_tolerance = 1e-11;
        const TrainResult result = fit(data, options);
        const std::vector<double> f = decision_function(result.model, data, context);
        const index_t outside =
            std::count_if(f.begin(), f.end(), [](double value) { return value < -1e-4; });
        EXPECT_GT(outside, 0);
        EXPECT_LE(static_cast<double>(outside), 200.0 * nu);
        EXPECT_LE(static_cast<double>(result.bounded_support), 200.0 * nu + 1e-9);
        EXPECT_GE(static_cast<double>(result.model.support_rows.size()), 200.0 * nu - 1e-9);
    }
}

INSTANTIATE_TEST_SUITE_P(Solvers, OneClass, ::testing::ValuesIn(machine_solvers("one-class")),
                         toys::kSuiteName);

}  // namespace
}  // namespace mercer
