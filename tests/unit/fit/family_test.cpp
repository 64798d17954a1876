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

TrainOptions options_of(const std::string& model, const std::string& solver,
                        const std::string& kernel = "linear") {
    TrainOptions options;
    options.model = model;
    options.solver = solver;
    options.kernel = parse_kernel(kernel).value();
    options.gap_tolerance = 1e-12;
    return options;
}

TrainResult fit(const Dataset& data, const TrainOptions& options) {
    Context context;
    TrainResult result = train(data, options, context);
    EXPECT_EQ(result.model.status, "converged") << options.model << options.solver;
    return result;
}

double primal_of(const TrainResult& result) { return result.model.certificates[0].primal; }
double dual_of(const TrainResult& result) { return result.model.certificates[0].dual; }

Dataset two_targets() { return toys::make_rows({{0.0}, {1.0}}, {0.0, 1.0}); }

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

TEST_P(Hinges, HardMarginRefusesWhatNoPlaneSeparates) {
    Context context;
    EXPECT_THROW((void)train(toys::exclusive_or(), options_of("hard-margin", GetParam()), context),
                 DataError);
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
        EXPECT_NEAR(coefficients(trio.model, 3)[1], alpha, 1e-11);
        EXPECT_NEAR(coefficients(trio.model, 3)[2], 0.0, 1e-11);
        const TrainResult corners = fit(toys::exclusive_or(), options);
        EXPECT_NEAR(primal_of(corners), 4.0 * cost, 1e-10);
        EXPECT_NEAR(dual_of(corners), 4.0 * cost, 1e-10);
        EXPECT_NEAR(corners.model.certificates[0].squared_norm, 0.0, 1e-10);
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

INSTANTIATE_TEST_SUITE_P(Solvers, Hinges, ::testing::Values("decomposition", "smo"));

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
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Solvers, Squares,
                         ::testing::Values("decomposition", "smo", "finite-newton", "lbfgs",
                                           "conjugate-gradient", "gradient-descent"),
                         [](const auto& one) {
                             std::string name = one.param;
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

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

TrainOptions tube(double cost, double epsilon) {
    TrainOptions options = options_of("svr", "decomposition");
    options.cost = cost;
    options.epsilon = epsilon;
    return options;
}

TrainOptions free_tube(double cost, double nu) {
    TrainOptions options = options_of("nu-svr", "decomposition");
    options.cost = cost;
    options.nu = nu;
    return options;
}

/// Weight of the one column of a linear machine.
double slope_of(const Model& model) {
    Context context;
    const std::vector<double> f =
        decision_function(model, toys::make_rows({{0.0}, {1.0}}, {}), context);
    return f[1] - f[0];
}

TEST(Tube, TwoTargetsHaveTheirPrintedLine) {
    // The thesis' bound C / n of a row is C here.
    for (const double cost : {0.8, 1.0, 50.0}) {
        const TrainResult result = fit(two_targets(), tube(cost, 0.1));
        const std::vector<double> beta = coefficients(result.model, 2);
        EXPECT_NEAR(beta[0], -0.8, 1e-11);
        EXPECT_NEAR(beta[1], 0.8, 1e-11);  // alpha* belongs to the row above
        EXPECT_NEAR(slope_of(result.model), 0.8, 1e-11);
        EXPECT_NEAR(primal_of(result), 0.32, 1e-11);
        EXPECT_NEAR(dual_of(result), 0.32, 1e-11);
        if (cost > 0.8) {  // free rows: b = y - w x -+ epsilon
            EXPECT_NEAR(result.model.intercepts[0], 0.1, 1e-10);
        }
    }
    const TrainResult tight = fit(two_targets(), tube(0.5, 0.1));
    EXPECT_NEAR(slope_of(tight.model), 0.5, 1e-12);
    EXPECT_NEAR(tight.model.certificates[0].intercepts.lower, 0.1, 1e-11);
    EXPECT_NEAR(tight.model.certificates[0].intercepts.upper, 0.4, 1e-11);
}

TEST(Tube, WideOneNeedsNoRow) {
    for (const double epsilon : {0.5, 0.7, 100.0}) {
        const TrainResult result = fit(two_targets(), tube(10.0, epsilon));
        EXPECT_EQ(result.model.support_rows.size(), 0U);
        EXPECT_NEAR(result.model.intercepts[0], 0.5, 1e-12);
        EXPECT_NEAR(primal_of(result), 0.0, 1e-12);
    }
}

class SquaredTube : public ::testing::TestWithParam<std::string> {};

TEST_P(SquaredTube, TwoTargetsHaveTheLineOfTheirEquation) {
    // By symmetry b = (1 - w) / 2, and w = C ((1 - w) / 2 - epsilon): with s = 1/2 - epsilon
    // w = 2 C s / (2 + C), P = 2 C s^2 / (2 + C).
    Context context;
    for (const double cost : {0.1, 1.0, 40.0}) {
        for (const double epsilon : {0.0, 0.1, 0.4}) {
            TrainOptions options = tube(cost, epsilon);
            options.model = "l2-svr";
            options.solver = GetParam();
            const TrainResult result = fit(two_targets(), options);
            const double s = 0.5 - epsilon;
            EXPECT_NEAR(slope_of(result.model), 2.0 * cost * s / (2.0 + cost), 1e-5);
            EXPECT_NEAR(primal_of(result), 2.0 * cost * s * s / (2.0 + cost), 1e-11);
            EXPECT_NEAR(dual_of(result), 2.0 * cost * s * s / (2.0 + cost), 1e-11);
            EXPECT_EQ(result.model.loss, "squared-epsilon");
            EXPECT_EQ(result.model.epsilon, epsilon);
            EXPECT_TRUE(verify_model(result.model, two_targets(), context).holds);
        }
    }
    TrainOptions wide = tube(10.0, 0.7);
    wide.model = "l2-svr";
    wide.solver = GetParam();
    EXPECT_EQ(fit(two_targets(), wide).model.support_rows.size(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Solvers, SquaredTube,
                         ::testing::Values("decomposition", "finite-newton", "lbfgs",
                                           "conjugate-gradient", "gradient-descent"),
                         [](const auto& one) {
                             std::string name = one.param;
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

Dataset noisy_line(index_t rows, std::uint64_t seed) {
    Random random(seed);
    std::vector<std::vector<double>> x;
    std::vector<double> y;
    for (index_t i = 0; i < rows; ++i) {
        x.push_back({random.normal()});
        y.push_back(std::sin(2.0 * x.back()[0]) + 0.3 * random.normal());
    }
    return toys::make_rows(x, y);
}

TEST(Tube, CoefficientsSayWhereARowLies) {
    Context context;
    const Dataset data = noisy_line(150, 3);
    const double cost = 2.0;
    TrainOptions options = tube(cost, 0.2);
    options.kernel = parse_kernel("rbf(gamma=1)").value();
    options.gap_tolerance = kNaN;
    options.tolerance = 1e-9;
    const TrainResult result = fit(data, options);
    const std::vector<double> beta = coefficients(result.model, 150);
    const std::vector<double> f = decision_function(result.model, data, context);
    index_t seen[3] = {0, 0, 0};
    for (std::size_t i = 0; i < f.size(); ++i) {
        const double above = data.targets[i] - f[i];
        if (beta[i] == 0.0) {
            EXPECT_LE(std::abs(above), 0.2 + 1e-8);
            ++seen[0];
        } else if (std::abs(beta[i]) < cost) {
            EXPECT_NEAR(above, beta[i] > 0.0 ? 0.2 : -0.2, 1e-8);
            ++seen[1];
        } else {
            EXPECT_EQ(std::abs(beta[i]), cost);
            EXPECT_GE(above * (beta[i] > 0.0 ? 1.0 : -1.0), 0.2 - 1e-8);
            ++seen[2];
        }
    }
    EXPECT_GT(std::min({seen[0], seen[1], seen[2]}), 3);
    // Sparser than ridge regression, whose coefficients are all there.
    TrainOptions ridge = options_of("krr", "auto", "rbf(gamma=1)");
    ridge.alpha = 0.5;
    EXPECT_EQ(fit(data, ridge).model.support_rows.size(), 150U);
    EXPECT_LT(result.model.support_rows.size(), 120U);
}

TEST(Tube, RowsInsideMayGoAndRowsOutsideMayMoveAway) {
    const TrainResult two = fit(two_targets(), tube(1.0, 0.1));
    const Dataset three = toys::make_rows({{0.0}, {1.0}, {0.5}}, {0.0, 1.0, 0.5});
    const TrainResult with = fit(three, tube(1.0, 0.1));
    EXPECT_NEAR(slope_of(with.model), slope_of(two.model), 1e-11);
    EXPECT_NEAR(with.model.intercepts[0], two.model.intercepts[0], 1e-10);
    EXPECT_NEAR(coefficients(with.model, 3)[2], 0.0, 1e-12);

    Context context;
    Dataset data = noisy_line(80, 8);
    TrainOptions options = tube(0.7, 0.2);
    options.kernel = parse_kernel("rbf(gamma=1)").value();
    const TrainResult before = fit(data, options);
    const std::vector<double> f = decision_function(before.model, data, context);
    index_t moved = 0;
    for (std::size_t i = 0; i < f.size(); ++i) {
        const double above = data.targets[i] - f[i];
        if (std::abs(above) > 0.25) {
            data.targets[i] += above > 0.0 ? 5.0 : -5.0;
            ++moved;
        }
    }
    ASSERT_GT(moved, 5);
    const TrainResult after = fit(data, options);
    const std::vector<double> g = decision_function(after.model, data, context);
    for (std::size_t i = 0; i < f.size(); ++i) {
        EXPECT_NEAR(f[i], g[i], 1e-4);
    }
}

TEST(FreeTube, TwoTargetsHaveTheirPrintedLine) {
    // C = 1 of the thesis is 1/2 per row: w = nu / 2, epsilon = (1 - nu / 2) / 2.
    for (const double nu : {0.2, 0.5, 0.8, 0.95}) {
        const TrainResult result = fit(two_targets(), free_tube(0.5, nu));
        EXPECT_NEAR(slope_of(result.model), nu / 2.0, 1e-11);
        EXPECT_NEAR(result.tube, 0.5 * (1.0 - nu / 2.0), 1e-11);
        EXPECT_NEAR(result.model.intercepts[0], 0.5 * (1.0 - nu / 2.0), 1e-11);
        EXPECT_NEAR(result.outputs[0].absolute_sum, nu, 1e-11);
    }
    const TrainResult printed = fit(two_targets(), free_tube(0.5, 0.8));
    EXPECT_NEAR(printed.tube, 0.3, 1e-11);
    // The machine with that tube is the same one.
    const TrainResult fixed = fit(two_targets(), tube(0.5, printed.tube));
    EXPECT_NEAR(slope_of(fixed.model), 0.4, 1e-9);
    EXPECT_LE(fixed.model.certificates[0].intercepts.lower, 0.3 + 1e-9);
    EXPECT_GE(fixed.model.certificates[0].intercepts.upper, 0.3 - 1e-9);
}

TEST(FreeTube, MassOfWholeRowsMeetsAViolationAsked) {
    // 20 rows of a side at their bound carry the share; what is left of rounding is no free row.
    const Dataset data = noisy_line(100, 11);
    TrainOptions options = free_tube(2.0, 0.4);
    options.kernel = parse_kernel("rbf(gamma=0.5)").value();
    options.gap_tolerance = kNaN;
    options.tolerance = 1e-6;
    const TrainResult result = fit(data, options);
    EXPECT_LE(result.model.certificates[0].kkt_violation, 1e-6);
    EXPECT_LT(result.model.iterations, 100000);
}

TEST(FreeTube, ClosesFromNuOneOn) {
    const TrainResult result = fit(two_targets(), free_tube(2.0, 1.5));
    EXPECT_EQ(result.tube, 0.0);
    EXPECT_LT(result.outputs[0].absolute_sum, 1.5 * 4.0);
    EXPECT_NEAR(slope_of(result.model), 1.0, 1e-10);  // through both targets
}

TEST(FreeTube, ConstantTargetsNeedNoRow) {
    for (const Dataset& data : {toys::make_rows({{1.0}, {2.0}}, {1.0, 1.0}),
                                toys::make_rows({{1.0}, {2.0}, {4.0}}, {3.0, 3.0, 3.0})}) {
        TrainOptions options = free_tube(1.0, 0.5);
        options.kernel = parse_kernel("rbf(gamma=1)").value();
        const TrainResult result = fit(data, options);
        EXPECT_EQ(result.tube, 0.0);
        EXPECT_NEAR(primal_of(result), 0.0, 1e-12);
        EXPECT_NEAR(result.model.intercepts[0], data.targets[0], 1e-12);
    }
}

TEST(FreeTube, NuCountsTheRowsOutsideAndTheSupport) {
    Context context;
    const Dataset data = noisy_line(200, 5);
    for (const double nu : {0.1, 0.3, 0.5, 0.8}) {
        TrainOptions options = free_tube(1.0, nu);
        options.kernel = parse_kernel("rbf(gamma=1)").value();
        options.gap_tolerance = 1e-13;
        Context patient;
        const TrainResult result = train(data, options, patient);
        ASSERT_GT(result.tube, 0.0);
        const std::vector<double> f = decision_function(result.model, data, context);
        index_t above = 0;
        index_t below = 0;
        for (std::size_t i = 0; i < f.size(); ++i) {
            above += static_cast<index_t>(data.targets[i] - f[i] > result.tube + 1e-5);
            below += static_cast<index_t>(f[i] - data.targets[i] > result.tube + 1e-5);
        }
        EXPECT_LE(above + below, nu * 200.0);
        EXPECT_LE(above, nu * 100.0);  // each side has half of it
        EXPECT_LE(below, nu * 100.0);
        EXPECT_GE(static_cast<double>(result.model.support_rows.size()), nu * 200.0);
        // Retrained with the tube it found.
        TrainOptions fixed = tube(1.0, result.tube);
        fixed.kernel = options.kernel;
        const std::vector<double> g = decision_function(fit(data, fixed).model, data, context);
        for (std::size_t i = 0; i < f.size(); ++i) {
            EXPECT_NEAR(f[i], g[i], 1e-4);
        }
    }
}

TEST(NuSvc, PairIsThePlaneOfItsMargin) {
    // Coefficients nu / 2 ... each class carries half the mass nu n, here nu each.
    for (const double nu : {0.25, 0.5, 1.0}) {
        TrainOptions options = options_of("nu-svc", "decomposition");
        options.nu = nu;
        const TrainResult result = fit(toys::pair(), options);
        EXPECT_NEAR(coefficients(result.model, 2)[1], nu, 1e-12);
        EXPECT_NEAR(coefficients(result.model, 2)[0], -nu, 1e-12);
        // f = 2 nu x, so that the margin rho is 2 nu and the value 1/2 |w|^2 - mass rho.
        EXPECT_NEAR(result.model.certificates[0].width, 2.0 * nu, 1e-12);
        EXPECT_NEAR(primal_of(result), -2.0 * nu * nu, 1e-12);
    }
}

TEST(NuSvc, MoreThanTwiceTheSmallerShareIsRefusedAndTheShareItselfIsNot) {
    TrainOptions options = options_of("nu-svc", "decomposition");
    Context context;
    options.nu = 2.0 / 3.0;  // of -, +, +
    EXPECT_EQ(train(toys::trio(), options, context).model.status, "converged");
    options.nu = 2.0 / 3.0 + 1e-6;
    EXPECT_THROW((void)train(toys::trio(), options, context), InvalidArgument);
}

TEST(OneClass, TwoPointsShareTheMass) {
    // K = [[1, k], [k, 1]], beta = nu each: rho = f = nu (1 + k).
    const Dataset data = toys::make_rows({{0.0}, {1.0}}, {1.0, 1.0});
    for (const double nu : {0.2, 0.5, 1.0}) {
        TrainOptions options = options_of("one-class", "decomposition", "rbf(gamma=0.7)");
        options.nu = nu;
        const TrainResult result = fit(data, options);
        const double rho = nu * (1.0 + std::exp(-0.7));
        EXPECT_NEAR(coefficients(result.model, 2)[0], nu, 1e-10);
        EXPECT_NEAR(coefficients(result.model, 2)[1], nu, 1e-10);
        EXPECT_NEAR(result.model.intercepts[0], -rho, 1e-10);
        EXPECT_NEAR(primal_of(result), -nu * rho, 1e-10);  // 1/2 |f|^2 - mass rho
    }
}

}  // namespace
}  // namespace mercer
