// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/fit/tube_test.cpp - support vector regression on problems solved by hand, and what
// holds at its optimum, by every solver that fits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/random.hpp"
#include "mercer/models/verify.hpp"
#include "unit/fit/toys.hpp"

namespace mercer {
namespace {

using toys::coefficients;
using toys::dual_of;
using toys::fit;
using toys::primal_of;

Dataset two_targets() { return toys::make_rows({{0.0}, {1.0}}, {0.0, 1.0}); }

TrainOptions linear_options(const std::string& model, const std::string& solver) {
    TrainOptions options;
    options.model = model;
    options.solver = solver;
    options.kernel = parse_kernel("linear").value();
    options.gap_tolerance = 1e-12;
    return options;
}

TrainOptions tube_by(const std::string& solver, double cost, double epsilon) {
    TrainOptions options = linear_options("svr", solver);
    options.cost = cost;
    options.epsilon = epsilon;
    return options;
}

class Tube : public ::testing::TestWithParam<std::string> {
protected:
    static TrainOptions tube(double cost, double epsilon) {
        return tube_by(GetParam(), cost, epsilon);
    }
};

class FreeTube : public ::testing::TestWithParam<std::string> {
protected:
    static TrainOptions tube(double cost, double epsilon) { return tube_by("auto", cost, epsilon); }
    static TrainOptions free_tube(double cost, double nu) {
        TrainOptions options = linear_options("nu-svr", GetParam());
        options.cost = cost;
        options.nu = nu;
        return options;
    }
};

/// Weight of the one column of a linear machine.
double slope_of(const Model& model) {
    Context context;
    const std::vector<double> f =
        decision_function(model, toys::make_rows({{0.0}, {1.0}}, {}), context);
    return f[1] - f[0];
}

TEST_P(Tube, TwoTargetsHaveTheirPrintedLine) {
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

TEST_P(Tube, WideOneNeedsNoRow) {
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
            TrainOptions options = tube_by(GetParam(), cost, epsilon);
            options.model = "l2-svr";
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
    TrainOptions wide = tube_by(GetParam(), 10.0, 0.7);
    wide.model = "l2-svr";
    EXPECT_EQ(fit(two_targets(), wide).model.support_rows.size(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Solvers, SquaredTube, ::testing::ValuesIn(machine_solvers("l2-svr")),
                         toys::kSuiteName);

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

TEST_P(Tube, CoefficientsSayWhereARowLies) {
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
    index_t outside[2] = {0, 0};
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
            ++outside[above > 0.0 ? 1 : 0];
        }
    }
    EXPECT_GT(std::min({seen[0], seen[1], seen[2]}), 3);
    // The report counts them.
    EXPECT_EQ(result.tube_rows.inside, seen[0]);
    EXPECT_EQ(result.tube_rows.edge, seen[1]);
    EXPECT_EQ(result.tube_rows.above, outside[1]);
    EXPECT_EQ(result.tube_rows.below, outside[0]);
    // Sparser than ridge regression, whose coefficients are all there.
    TrainOptions ridge = toys::krr_options("rbf(gamma=1)", 0.5);
    EXPECT_EQ(fit(data, ridge).model.support_rows.size(), 150U);
    EXPECT_LT(result.model.support_rows.size(), 120U);
}

TEST_P(Tube, RowsInsideMayGoAndRowsOutsideMayMoveAway) {
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

TEST_P(FreeTube, TwoTargetsHaveTheirPrintedLine) {
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
    EXPECT_NEAR(slope_of(printed.model), 0.4, 1e-11);
    EXPECT_NEAR(printed.model.intercepts[0], 0.3, 1e-11);
    // b and epsilon are half the sum and half the difference of y - w x, .6 above and 0 below.
    const double above = 1.0 - slope_of(printed.model);
    EXPECT_NEAR(above, 0.6, 1e-11);
    EXPECT_NEAR(printed.model.intercepts[0], 0.5 * (above + 0.0), 1e-11);
    EXPECT_NEAR(printed.tube, 0.5 * (above - 0.0), 1e-11);
    // The machine with that tube is the same one.
    const TrainResult fixed = fit(two_targets(), tube(0.5, printed.tube));
    EXPECT_NEAR(slope_of(fixed.model), 0.4, 1e-9);
    EXPECT_LE(fixed.model.certificates[0].intercepts.lower, 0.3 + 1e-9);
    EXPECT_GE(fixed.model.certificates[0].intercepts.upper, 0.3 - 1e-9);
}

TEST_P(FreeTube, MassOfWholeRowsMeetsAViolationAsked) {
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

TEST_P(FreeTube, ClosesFromNuOneOn) {
    const TrainResult result = fit(two_targets(), free_tube(2.0, 1.5));
    EXPECT_EQ(result.tube, 0.0);
    EXPECT_LT(result.outputs[0].absolute_sum, 1.5 * 4.0);
    EXPECT_NEAR(slope_of(result.model), 1.0, 1e-10);  // through both targets
    // C = 1 of the thesis: the bound 1/2 of a row binds, and less than C nu = 1.5 is used.
    const TrainResult bound = fit(two_targets(), free_tube(0.5, 1.5));
    EXPECT_EQ(bound.tube, 0.0);
    EXPECT_NEAR(bound.outputs[0].absolute_sum, 1.0, 1e-11);
    EXPECT_NEAR(slope_of(bound.model), 0.5, 1e-11);
}

TEST_P(FreeTube, ConstantTargetsNeedNoRow) {
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

TEST_P(FreeTube, TargetsThatNeedLessThanTheMassAreSeenEarly) {
    // A constant, and nearly one: the coefficients that carry the mass only cancel each other.
    Random random(3);
    std::vector<std::vector<double>> x;
    std::vector<double> constant;
    std::vector<double> nearly;
    std::vector<double> wave;
    for (int i = 0; i < 200; ++i) {
        x.push_back({random.normal(), random.normal()});
        constant.push_back(3.0);
        nearly.push_back(3.0 + 1e-9 * x.back()[0]);
        wave.push_back(std::sin(x.back()[0]));
    }
    for (const std::vector<double>& y : {constant, nearly, wave}) {
        for (const double nu : {0.2, 0.5, 0.9}) {
            TrainOptions options = free_tube(1.0, nu);
            options.kernel = parse_kernel("rbf(gamma=0.5)").value();
            options.gap_tolerance = 1e-4;
            const TrainResult result = fit(toys::make_rows(x, y), options);
            EXPECT_LT(result.model.iterations, 150000) << nu;
            EXPECT_LE(result.outputs[0].absolute_sum, nu * 200.0 * (1.0 + 1e-9)) << nu;
            Context context;
            EXPECT_TRUE(verify_model(result.model, toys::make_rows(x, y), context).holds);
        }
    }
}

TEST_P(FreeTube, NuCountsTheRowsOutsideAndTheSupport) {
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
        // The same by the coefficients, as the report counts them.
        const TubeCounts& rows = result.tube_rows;
        EXPECT_EQ(rows.inside + rows.edge + rows.above + rows.below, 200);
        EXPECT_LE(static_cast<double>(rows.above + rows.below), nu * 200.0 + 1e-9);
        EXPECT_GE(static_cast<double>(rows.edge + rows.above + rows.below), nu * 200.0 - 1e-9);
        EXPECT_LE(above, rows.above);
        EXPECT_LE(below, rows.below);
        // Retrained with the tube it found.
        TrainOptions fixed = tube(1.0, result.tube);
        fixed.kernel = options.kernel;
        const std::vector<double> g = decision_function(fit(data, fixed).model, data, context);
        for (std::size_t i = 0; i < f.size(); ++i) {
            EXPECT_NEAR(f[i], g[i], 1e-4);
        }
    }
}

TEST_P(Tube, CoefficientsAreNamedByTheirSide) {
    // E02, E03: beta > 0 belongs to a row above the tube, and b = y - w x - epsilon there;
    // beta < 0 to one below, and b = y - w x + epsilon.
    const TrainResult result = fit(two_targets(), tube(1.0, 0.1));
    const double w = slope_of(result.model);
    EXPECT_NEAR(1.0 - w - 0.1, 0.1, 1e-11);
    EXPECT_NEAR(0.0 - 0.0 + 0.1, 0.1, 1e-11);
    EXPECT_NEAR(result.model.intercepts[0], 1.0 - w - 0.1, 1e-10);
    EXPECT_NEAR(result.model.intercepts[0], 0.0 + 0.1, 1e-10);
    EXPECT_GT(coefficients(result.model, 2)[1], 0.0);
    EXPECT_LT(coefficients(result.model, 2)[0], 0.0);
    EXPECT_EQ(result.tube_rows.edge, 2);
}

TEST_P(Tube, OfNoWidthIsTheAbsoluteLoss) {
    // sum |y - b| over a constant f is least at the median; 9 is as far as any value above 2.
    const Dataset median = toys::make_rows({{0.0}, {0.0}, {0.0}}, {1.0, 2.0, 9.0});
    const TrainResult flat = fit(median, tube(3.0, 0.0));
    EXPECT_NEAR(flat.model.intercepts[0], 2.0, 1e-12);
    EXPECT_NEAR(primal_of(flat), 3.0 * 8.0, 1e-10);
    EXPECT_NEAR(dual_of(flat), 3.0 * 8.0, 1e-10);
    // REG2: w = min(2 C ... , 1): |beta| <= C, and the line goes through both rows from C = 1 on.
    for (const double cost : {0.25, 0.5, 1.0, 7.0}) {
        const TrainResult line = fit(two_targets(), tube(cost, 0.0));
        const double w = std::min(cost, 1.0);
        EXPECT_NEAR(slope_of(line.model), w, 1e-11);
        EXPECT_NEAR(primal_of(line), 0.5 * w * w + cost * (1.0 - w), 1e-11);
        EXPECT_NEAR(dual_of(line), 0.5 * w * w + cost * (1.0 - w), 1e-11);
    }
    // Moving a row that lies above does not move the machine: only its side counts.
    Dataset data = noisy_line(60, 4);
    TrainOptions options = tube(0.5, 0.0);
    options.kernel = parse_kernel("rbf(gamma=1)").value();
    const TrainResult before = fit(data, options);
    Context context;
    const std::vector<double> f = decision_function(before.model, data, context);
    double loss = 0.0;
    for (std::size_t i = 0; i < f.size(); ++i) {
        loss += std::abs(data.targets[i] - f[i]);
        data.targets[i] += data.targets[i] - f[i] > 1e-3 ? 2.0 : 0.0;
    }
    EXPECT_NEAR(primal_of(before), 0.5 * before.model.certificates[0].squared_norm + 0.5 * loss,
                1e-8 * primal_of(before));
    const std::vector<double> g = decision_function(fit(data, options).model, data, context);
    for (std::size_t i = 0; i < f.size(); ++i) {
        EXPECT_NEAR(f[i], g[i], 1e-4);
    }
}

TEST_P(Tube, WithoutInterceptGoesThroughTheOrigin) {
    // y = 2 at x = 1: w = min(C, 2 - epsilon).
    for (const double cost : {0.5, 10.0}) {
        for (const double epsilon : {0.0, 0.25}) {
            TrainOptions options = tube(cost, epsilon);
            options.intercept = false;
            const TrainResult result = fit(toys::make_rows({{1.0}}, {2.0}), options);
            const double w = std::min(cost, 2.0 - epsilon);
            EXPECT_EQ(result.model.intercepts, std::vector<double>{0.0});
            EXPECT_NEAR(slope_of(result.model), w, 1e-12);
            EXPECT_NEAR(primal_of(result), 0.5 * w * w + cost * (2.0 - epsilon - w), 1e-11);
            EXPECT_NEAR(dual_of(result), primal_of(result), 1e-11);
        }
    }
}

TEST_P(Tube, WiderOnesHaveFewerRows) {
    const Dataset data = noisy_line(120, 6);
    std::size_t last = 121;
    for (const double epsilon : {0.0, 0.1, 0.3, 0.6, 2.0}) {
        TrainOptions options = tube(1.0, epsilon);
        options.kernel = parse_kernel("rbf(gamma=1)").value();
        const std::size_t support = fit(data, options).model.support_rows.size();
        EXPECT_LT(support, last) << epsilon;
        last = support;
    }
    EXPECT_EQ(last, 0U);
}

INSTANTIATE_TEST_SUITE_P(Solvers, Tube, ::testing::ValuesIn(machine_solvers("svr")),
                         toys::kSuiteName);
INSTANTIATE_TEST_SUITE_P(Solvers, FreeTube, ::testing::ValuesIn(machine_solvers("nu-svr")),
                         toys::kSuiteName);

}  // namespace
}  // namespace mercer
