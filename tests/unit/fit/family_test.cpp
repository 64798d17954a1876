// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/fit/family_test.cpp - the support vector family on problems solved by hand, by every
// applicable solver.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mercer/audit/verify.hpp"
#include "mercer/base/error.hpp"
#include "mercer/base/random.hpp"
#include "mercer/data/generate.hpp"
#include "support/facts.hpp"
#include "unit/fit/toys.hpp"

namespace mercer {
namespace {

using toys::coefficients;
using toys::dual_of;
using toys::fit;
using toys::primal_of;
using toys::slope_of;

TrainOptions options_of(const std::string& model, const std::string& solver,
                        const std::string& kernel = "linear") {
    TrainOptions options;
    options.model = model;
    options.run.solver = solver;
    options.kernel = parse_kernel(kernel).value();
    options.run.gap_tolerance = 1e-12;
    return options;
}

class Hinges : public ::testing::TestWithParam<std::string> {};

TEST_P(Hinges, HardMarginsOfTheToys) {
    const TrainResult pair = fit(toys::pair(), options_of("hard-margin", GetParam()));
    expect_fact("S01", "PAIR: alpha t", coefficients(pair.model, 2));
    expect_fact("S01", "PAIR: w", slope_of(pair.model));
    expect_fact("S01", "PAIR: b", pair.model.intercepts[0]);
    expect_fact("S01", "PAIR: P", primal_of(pair));
    expect_fact("S01", "PAIR: D", dual_of(pair));

    const TrainResult corners =
        fit(toys::exclusive_or(), options_of("hard-margin", GetParam(), "poly(degree=2)"));
    const std::vector<double> beta = coefficients(corners.model, 4);
    const double squared_norm = corners.model.certificates[0].squared_norm;
    expect_fact("S01", "XOR, (1 + xz)^2: alpha t", beta);
    expect_fact("S01", "XOR, (1 + xz)^2: b", corners.model.intercepts[0]);
    expect_fact("S01", "XOR, (1 + xz)^2: |w|^2", squared_norm);
    expect_fact("S09", "XOR, (1 + xz)^2: sum alpha", -beta[0] - beta[1] + beta[2] + beta[3]);
    expect_fact("S09", "XOR, (1 + xz)^2: |w|^2", squared_norm);
    expect_fact("S09", "XOR, (1 + xz)^2: P", primal_of(corners));
    expect_fact("S09", "XOR, (1 + xz)^2: D", dual_of(corners));
    Context context;
    const std::vector<double> f =
        decision_function(corners.model, toys::make_rows({{2, 3}, {-1, 0.5}}, {}), context);
    expect_fact("S01", "XOR, (1 + xz)^2: f at (2, 3), (-1, 1/2)", f);  // f = -x1 x2
    double nearest = kInfinity;
    for (const double value : decision_function(corners.model, toys::exclusive_or(), context)) {
        nearest = std::min(nearest, std::abs(value) / std::sqrt(squared_norm));
    }
    expect_fact("S01", "XOR, (1 + xz)^2: least distance to the plane, in the kernel's space",
                nearest);

    const Dataset apart = toys::make_classes({{0.0}, {1.5}}, {0, 1});
    const TrainResult radial = fit(apart, options_of("hard-margin", GetParam(), "rbf(gamma=0.5)"));
    expect_fact("S01", "RBFPAIR, kappa = exp(-1.125): alpha t", coefficients(radial.model, 2));
}

TEST_P(Hinges, HardMarginForgetsARowBeyondIt) {
    const TrainResult all = fit(toys::trio(), options_of("hard-margin", GetParam()));
    const TrainResult pair = fit(toys::pair(), options_of("hard-margin", GetParam()));
    expect_fact("S08", "TRIO: alpha of x = 3", coefficients(all.model, 3)[2]);
    for (const Model& model : {all.model, pair.model}) {
        expect_fact("S08", "w with and without x = 3", slope_of(model));
        expect_fact("S08", "b with and without x = 3", model.intercepts[0]);
    }
}

/// The message of a training refused because of its data; empty if it is not refused.
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
    // The middle row of three on a line; the fourth row is not in the intersection of the hulls.
    const Dataset line = toys::make_classes({{0.0}, {1.0}, {2.0}, {-7.0}}, {0, 1, 0, 0});
    EXPECT_EQ(refusal(line, options_of("hard-margin", GetParam())).substr(0, 102),
              "the classes are not separable by linear: rows 1, 3 of one class and 2 of the other "
              "of the problem have");
    TrainOptions homogeneous = options_of("hard-margin", GetParam());
    homogeneous.objective.intercept = false;
    const std::string origin = refusal(toys::make_classes({{1.0}, {2.0}}, {0, 1}), homogeneous);
    EXPECT_NE(origin.find("rows 1 of one class and 2 of the other"), std::string::npos) << origin;
    EXPECT_NE(origin.find("hold 0"), std::string::npos) << origin;
}

TEST_P(Hinges, HardMarginIsFoundWhereItIsABillionthOfTheRadius) {
    for (const double margin : {1e-5, 1e-9}) {
        const Dataset data = toys::make_classes({{-1.0}, {0.0}, {margin}, {1.0}}, {0, 0, 1, 1});
        TrainOptions options = options_of("hard-margin", GetParam());
        options.run.gap_tolerance = 1e-4;
        const TrainResult result = fit(data, options);  // converged
        const double norm = std::sqrt(result.model.certificates[0].squared_norm);
        EXPECT_NEAR(norm * margin, 2.0, 1e-3) << margin;  // |w| = 2 / margin
    }
}

TEST_P(Hinges, SoftMarginsOfTheToys) {
    std::vector<double> alphas[2];
    std::vector<double> values[2];
    std::vector<double> trio_alphas[3];
    std::vector<double> slopes;
    std::vector<double> corner_alphas[4];
    std::vector<double> corner_values[2];
    for (const double cost : {0.1, 0.25, 0.5, 0.8, 10.0}) {
        TrainOptions options = options_of("svc", GetParam());
        options.objective.cost = cost;
        const TrainResult pair = fit(toys::pair(), options);
        values[0].push_back(primal_of(pair));
        values[1].push_back(dual_of(pair));
        const TrainResult trio = fit(toys::trio(), options);
        slopes.push_back(slope_of(trio.model));
        const TrainResult corners = fit(toys::exclusive_or(), options);
        corner_values[0].push_back(primal_of(corners));
        corner_values[1].push_back(dual_of(corners));
        expect_fact("S02", "XOR, linear: |w|^2", corners.model.certificates[0].squared_norm);
        for (std::size_t i = 0; i < 4; ++i) {
            const double t = i < 2 ? -1.0 : 1.0;
            corner_alphas[i].push_back(t * coefficients(corners.model, 4)[i]);
        }
        for (std::size_t i = 0; i < 3; ++i) {
            trio_alphas[i].push_back((i == 0 ? -1.0 : 1.0) * coefficients(trio.model, 3)[i]);
        }
        for (std::size_t i = 0; i < 2; ++i) {
            alphas[i].push_back((i == 0 ? -1.0 : 1.0) * coefficients(pair.model, 2)[i]);
        }
        if (cost == 0.25) {
            expect_fact("S02", "PAIR, C = 0.25: w", slope_of(pair.model));
        }
    }
    for (std::size_t i = 0; i < 2; ++i) {
        expect_fact("S02", "PAIR, C = 0.1, 0.25, 0.5, 0.8, 10: alpha of each row", alphas[i]);
        expect_fact("S02", "PAIR, C = 0.1, 0.25, 0.5, 0.8, 10: P and D", values[i]);
        expect_fact("S02", "TRIO, C = 0.1, 0.25, 0.5, 0.8, 10: alpha of -1 and of 1",
                    trio_alphas[i]);
        expect_fact("S02", "XOR, linear, C = 0.1, 0.25, 0.5, 0.8, 10: P and D", corner_values[i]);
    }
    expect_fact("S02", "TRIO, C = 0.1, 0.25, 0.5, 0.8, 10: alpha of 3", trio_alphas[2]);
    expect_fact("S02", "TRIO, C = 0.1, 0.25, 0.5, 0.8, 10: w", slopes);
    for (const std::vector<double>& alpha : corner_alphas) {
        expect_fact("S02", "XOR, linear, C = 0.1, 0.25, 0.5, 0.8, 10: alpha of each row", alpha);
    }
    TrainOptions options = options_of("svc", GetParam());
    options.objective.cost = 0.1;
    const Interval intercepts = fit(toys::trio(), options).model.certificates[0].intercepts;
    expect_fact("S04", "TRIO, C = 0.1: interval of b",
                std::vector{intercepts.lower, intercepts.upper});
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
    // w|^2 = 4 / |x - z|^2 is 4e-20: a gap that is small compared with 1 proves nothing.
    const Dataset data = toys::make_classes({{-1e10}, {1e10}}, {0, 1});
    const TrainResult result = fit(data, options_of("hard-margin", GetParam()));
    EXPECT_NEAR(coefficients(result.model, 2)[1], 0.5e-20, 1e-26);
    EXPECT_NEAR(result.model.certificates[0].squared_norm, 1e-20, 1e-26);
}

TEST_P(Hinges, InfiniteCostIsTheHardMargin) {
    TrainOptions options = options_of("svc", GetParam());
    options.objective.cost = kInfinity;
    const TrainResult result = fit(toys::trio(), options);
    expect_fact("X01", "TRIO, C = inf: alpha t", coefficients(result.model, 3));
    EXPECT_EQ(result.model.machine, "svc");
    Context context;
    EXPECT_THROW((void)train(toys::exclusive_or(), options, context), DataError);
    options.objective.cost = -kInfinity;
    EXPECT_THROW((void)train(toys::trio(), options, context), InvalidArgument);
}

TEST_P(Hinges, KernelValuesBeyondSinglePrecisionAreNoLimit) {
    // k = (s x z)^3 with s = 1e13: K = 1e39 [[1, -1], [-1, 1]], alpha = 1 / 2e39 each.
    TrainOptions options = options_of("svc", GetParam(), "poly(degree=3, coef0=0, scale=1e13)");
    options.run.gap_tolerance = 1e-4;
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
    // alpha = C / (2 C + 1), w = 2 alpha, and the slack 1 - w is alpha / C.
    for (const std::string model : {"l2-svc", "huber-svc"}) {
        const char* id = model == "l2-svc" ? "S11" : "S13";
        std::vector<double> alphas[2];
        std::vector<double> slopes;
        std::vector<double> slacks;
        std::vector<double> values[2];
        for (const double cost : {0.1, 1.0, 25.0}) {
            TrainOptions options = options_of(model, GetParam());
            options.objective.cost = cost;
            options.run.gap_tolerance = 1e-12;
            const TrainResult pair = fit(toys::pair(), options);
            Context context;
            const std::vector<double> f = decision_function(pair.model, toys::pair(), context);
            alphas[0].push_back(-coefficients(pair.model, 2)[0]);
            alphas[1].push_back(coefficients(pair.model, 2)[1]);
            slopes.push_back(slope_of(pair.model));
            slacks.push_back(1.0 - f[1]);
            values[0].push_back(primal_of(pair));
            values[1].push_back(dual_of(pair));
        }
        for (std::size_t i = 0; i < 2; ++i) {
            expect_fact(id, "PAIR, C = 0.1, 1, 25: alpha of each row", alphas[i]);
            expect_fact(id, "PAIR, C = 0.1, 1, 25: P and D", values[i]);
        }
        expect_fact(id, "PAIR, C = 0.1, 1, 25: w", slopes);
        expect_fact(id, "PAIR, C = 0.1, 1, 25: slack", slacks);
    }
}

TEST_P(Squares, TheLinearTailBoundsACoefficientByTwoC) {
    // x = 1 (+) of weight 20 and x = 3 (-), C = 1, no b: w - 20 (1 - w) + 3 * 2 = 0, where the
    // slack 1 + 3 w = 3 of the second row is beyond 2.
    Dataset data = toys::make_classes({{1.0}, {3.0}}, {1, 0});
    data.weights = {20.0, 1.0};
    TrainOptions options = options_of("huber-svc", GetParam());
    options.objective.cost = 1.0;
    options.objective.intercept = false;
    const TrainResult result = fit(data, options);
    expect_fact("S13", "x = 1 (+) of weight 20, x = 3 (-), C = 1, no b: alpha t, -2C the second",
                coefficients(result.model, 2));
    expect_fact("S13", "x = 1 (+) of weight 20, x = 3 (-), C = 1, no b: w", slope_of(result.model));
    for (const double value : {primal_of(result), dual_of(result)}) {
        expect_fact("S13", "x = 1 (+) of weight 20, x = 3 (-), C = 1, no b: P and D", value);
    }
}

TEST_P(Squares, AreTheHardMarginOfTheKernelWithOneOverCOnItsDiagonal) {
    // S11: 1/2 a'Qa - e'a + |a|^2 / (2 C) is the hard margin's dual for k(x, z) + [x is z] / C.
    const Dataset data =
        toys::make_classes({{-2}, {-1}, {0.2}, {1}, {-0.3}, {3}}, {0, 0, 0, 1, 1, 1});
    const double cost = 1.5;
    TrainOptions options = options_of("l2-svc", GetParam());
    options.objective.cost = cost;
    const TrainResult squares = fit(data, options);
    std::vector<std::vector<double>> shifted;
    std::vector<double> x(1);
    std::vector<double> z(1);
    for (index_t i = 0; i < data.rows(); ++i) {
        shifted.emplace_back();
        data.copy_row(i, x);
        for (index_t j = 0; j < data.rows(); ++j) {
            data.copy_row(j, z);
            shifted.back().push_back(x[0] * z[0] + (i == j ? 1.0 / cost : 0.0));
        }
    }
    const TrainResult hard = fit(toys::make_classes(shifted, data.targets),
                                 options_of("hard-margin", "auto", "precomputed"));
    double apart = 0.0;
    for (std::size_t i = 0; i < 6; ++i) {
        apart = std::max(
            apart, std::abs(coefficients(squares.model, 6)[i] - coefficients(hard.model, 6)[i]));
    }
    expect_fact("S11", "six rows: |alpha - that of the hard margin with k + [x is z] / C|", apart);
    expect_fact("S11", "six rows: |D - that of the hard margin with k + [x is z] / C|",
                std::abs(dual_of(squares) - dual_of(hard)));
}

INSTANTIATE_TEST_SUITE_P(Solvers, Squares, ::testing::ValuesIn(machine_solvers("l2-svc")),
                         toys::kSuiteName);

TEST(Quadratic, NearlySingularKernelsDoNotRunAway) {
    // With rounded rows of this matrix the unbounded problem has no minimum: coefficients reached
    // 1e153.
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
        options.objective.cost = 1e4;
        options.run.gap_tolerance = 1e-4;
        options.run.max_iterations = 1000000;
        const TrainResult result = train(toys::make_classes(x, classes), options, context);
        const Certificate& proof = result.model.certificates[0];
        EXPECT_TRUE(std::isfinite(proof.gap)) << solver;
        // beta^2 / (2 C) is part of the objective, which is 40 C / 2 at f = 0.
        for (const double beta : result.model.coefficients) {
            EXPECT_LE(std::abs(beta), 1.02e4 * std::sqrt(40.0)) << solver;
        }
    }
}

class NuSvc : public ::testing::TestWithParam<std::string> {};

TEST_P(NuSvc, PairIsThePlaneOfItsMargin) {
    // Each class carries half the mass nu n, here nu. f = 2 nu x, so that the margin rho is 2 nu
    // and the value 1/2 |w|^2 - mass rho.
    std::vector<double> alphas[2];
    std::vector<double> margins;
    std::vector<double> values[2];
    for (const double nu : {0.25, 0.5, 1.0}) {
        TrainOptions options = options_of("nu-svc", GetParam());
        options.objective.nu = nu;
        const TrainResult result = fit(toys::pair(), options);
        alphas[0].push_back(-coefficients(result.model, 2)[0]);
        alphas[1].push_back(coefficients(result.model, 2)[1]);
        margins.push_back(result.model.certificates[0].width);
        values[0].push_back(primal_of(result));
        values[1].push_back(dual_of(result));
    }
    for (std::size_t i = 0; i < 2; ++i) {
        expect_fact("X02", "PAIR, nu = 1/4, 1/2, 1: alpha of each row", alphas[i]);
        expect_fact("X02", "PAIR, nu = 1/4, 1/2, 1: P and D", values[i]);
    }
    expect_fact("X02", "PAIR, nu = 1/4, 1/2, 1: rho", margins);
}

TEST_P(NuSvc, MoreThanTwiceTheSmallerShareIsRefusedAndTheShareItselfIsNot) {
    TrainOptions options = options_of("nu-svc", GetParam());
    Context context;
    const auto taken = [&](double nu) {
        options.objective.nu = nu;
        try {
            return train(toys::trio(), options, context).model.status == "converged";
        } catch (const InvalidArgument&) {
            return false;
        }
    };
    expect_fact("X04", "TRIO: nu = 2/3 is taken", taken(2.0 / 3.0));  // of -, +, +
    expect_fact("X04", "TRIO: nu = 2/3 + 1e-6 is taken", taken(2.0 / 3.0 + 1e-6));
}

TEST_P(NuSvc, NuCountsTheRowsInsideTheMarginAndTheSupport) {
    Context context;
    const Dataset data = generate({.name = "moons", .rows = 200, .noise = 0.2, .seed = 6}, context);
    for (const double nu : {0.1, 0.3, 0.5, 0.8}) {
        TrainOptions options = options_of("nu-svc", GetParam(), "rbf(gamma=20)");
        options.objective.nu = nu;
        options.run.gap_tolerance = 1e-11;
        const TrainResult result = fit(data, options);
        const double rho = result.model.certificates[0].width;
        ASSERT_GT(rho, 0.0);
        const std::vector<double> f = decision_function(result.model, data, context);
        index_t inside[2] = {0, 0};
        index_t support[2] = {0, 0};
        for (std::size_t i = 0; i < f.size(); ++i) {
            const std::size_t side = data.targets[i] == 0.0 ? 0 : 1;
            inside[side] += static_cast<index_t>((side == 0 ? -f[i] : f[i]) < rho - 1e-4 * rho);
        }
        for (const index_t row : result.model.support_rows) {
            ++support[data.targets[static_cast<std::size_t>(row)] == 0.0 ? 0 : 1];
        }
        for (const std::size_t side : {0U, 1U}) {  // each class has half of it
            expect_fact("X03", "rows of a class inside the margin - nu n / 2",
                        std::max(0.0, static_cast<double>(inside[side]) - 100.0 * nu));
            expect_fact("X03", "nu n / 2 - support rows of a class",
                        std::max(0.0, 100.0 * nu - static_cast<double>(support[side])));
        }
        EXPECT_LE(static_cast<double>(result.bounded_support), 200.0 * nu + 1e-9);
        // C-SVC with C = 1 / rho is the same machine, divided by rho.
        TrainOptions soft = toys::svc_options("rbf(gamma=20)", 1.0 / rho);
        soft.run.gap_tolerance = 1e-11;
        const std::vector<double> g = decision_function(fit(data, soft).model, data, context);
        double apart = 0.0;
        for (std::size_t i = 0; i < f.size(); ++i) {
            apart = std::max(apart, std::abs(f[i] / rho - g[i]));
        }
        expect_fact("X03", "|f / rho - f of the C-SVC with C = 1 / rho|", apart);
    }
}

INSTANTIATE_TEST_SUITE_P(Solvers, NuSvc, ::testing::ValuesIn(machine_solvers("nu-svc")),
                         toys::kSuiteName);

class OneClass : public ::testing::TestWithParam<std::string> {};

TEST_P(OneClass, TwoPointsShareTheMass) {
    // K = [[1, k], [k, 1]], beta = nu each: rho = f = nu (1 + k).
    const Dataset data = toys::make_rows({{0.0}, {1.0}}, {1.0, 1.0});
    std::vector<double> coefficients_of[2];
    std::vector<double> margins;
    std::vector<double> values;
    for (const double nu : {0.2, 0.5, 1.0}) {
        TrainOptions options = options_of("one-class", GetParam(), "rbf(gamma=0.7)");
        options.objective.nu = nu;
        const TrainResult result = fit(data, options);
        for (std::size_t i = 0; i < 2; ++i) {
            coefficients_of[i].push_back(coefficients(result.model, 2)[i]);
        }
        margins.push_back(-result.model.intercepts[0]);
        values.push_back(primal_of(result));  // 1/2 |f|^2 - mass rho
    }
    for (const std::vector<double>& beta : coefficients_of) {
        expect_fact("X05", "k = exp(-0.7), nu = 0.2, 0.5, 1: beta of each row", beta);
    }
    expect_fact("X05", "k = exp(-0.7), nu = 0.2, 0.5, 1: rho", margins);
    expect_fact("X05", "k = exp(-0.7), nu = 0.2, 0.5, 1: P", values);
}

TEST_P(OneClass, NuCountsTheRowsOutsideAndTheSupport) {
    Context context;
    const Dataset data = generate({.name = "moons", .rows = 200, .noise = 0.2, .seed = 8}, context);
    for (const double nu : {0.1, 0.3, 0.5, 0.8}) {
        TrainOptions options = options_of("one-class", GetParam(), "rbf(gamma=1)");
        options.objective.nu = nu;
        options.run.gap_tolerance = 1e-11;
        const TrainResult result = fit(data, options);
        const std::vector<double> f = decision_function(result.model, data, context);
        const index_t outside =
            std::count_if(f.begin(), f.end(), [](double value) { return value < -1e-4; });
        EXPECT_GT(outside, 0);
        expect_fact("X06", "rows outside - nu n",
                    std::max(0.0, static_cast<double>(outside) - 200.0 * nu));
        EXPECT_LE(static_cast<double>(result.bounded_support), 200.0 * nu + 1e-9);
        expect_fact(
            "X06", "nu n - support rows",
            std::max(0.0, 200.0 * nu - static_cast<double>(result.model.support_rows.size())));
    }
}

INSTANTIATE_TEST_SUITE_P(Solvers, OneClass, ::testing::ValuesIn(machine_solvers("one-class")),
                         toys::kSuiteName);

}  // namespace
}  // namespace mercer
