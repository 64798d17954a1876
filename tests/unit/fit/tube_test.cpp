// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/fit/tube_test.cpp - support vector regression on problems solved by hand, and its
// optimality conditions, by every applicable solver.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mercer/audit/verify.hpp"
#include "mercer/base/random.hpp"
#include "support/facts.hpp"
#include "support/quadratic_oracle.hpp"
#include "unit/fit/toys.hpp"

namespace mercer {
namespace {

using toys::coefficients;
using toys::dual_of;
using toys::fit;
using toys::primal_of;
using toys::slope_of;

Dataset two_targets() { return toys::make_rows({{0.0}, {1.0}}, {0.0, 1.0}); }

TrainOptions linear_options(const std::string& model, const std::string& solver) {
    TrainOptions options;
    options.model = model;
    options.run.solver = solver;
    options.kernel = parse_kernel("linear").value();
    options.run.gap_tolerance = 1e-12;
    return options;
}

TrainOptions tube_by(const std::string& solver, double cost, double epsilon) {
    TrainOptions options = linear_options("svr", solver);
    options.objective.cost = cost;
    options.objective.epsilon = epsilon;
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
        options.objective.cost = cost;
        options.objective.nu = nu;
        return options;
    }
};

TEST_P(Tube, TwoTargetsHaveTheirPrintedLine) {
    // The thesis' bound C / n of a row is C here.
    for (const double cost : {0.8, 1.0, 50.0}) {
        const TrainResult result = fit(two_targets(), tube(cost, 0.1));
        // -alpha of the row below, alpha* of the row above
        expect_fact("E01", "REG2, epsilon = 0.1, C = 0.8, 1, 50: alpha* - alpha",
                    coefficients(result.model, 2));
        expect_fact("E01", "REG2, epsilon = 0.1, C = 0.8, 1, 50: w", slope_of(result.model));
        expect_fact("E01", "REG2, epsilon = 0.1, C = 0.8, 1, 50: b", result.model.intercepts[0]);
        for (const double value : {primal_of(result), dual_of(result)}) {
            expect_fact("E01", "REG2, epsilon = 0.1, C = 0.8, 1, 50: P and D", value);
        }
    }
    const TrainResult tight = fit(two_targets(), tube(0.5, 0.1));
    const Interval& all = tight.model.certificates[0].intercepts;
    expect_fact("E01", "REG2, epsilon = 0.1, C = 0.5: w", slope_of(tight.model));
    expect_fact("E01", "REG2, epsilon = 0.1, C = 0.5: interval of b",
                std::vector{all.lower, all.upper});
    // The dual as it is written, at the coefficients found.
    const std::vector<double> beta = coefficients(tight.model, 2);
    expect_fact("E01", "REG2, epsilon = 0.1, C = 0.5: D by its formula, and P",
                -0.5 * beta[1] * beta[1] - 0.1 * (std::abs(beta[0]) + std::abs(beta[1])) + beta[1]);
    expect_fact("E01", "REG2, epsilon = 0.1, C = 0.5: D by its formula, and P", primal_of(tight));
}

TEST_P(Tube, WideOneNeedsNoRow) {
    for (const double epsilon : {0.5, 0.7, 100.0}) {
        const TrainResult result = fit(two_targets(), tube(10.0, epsilon));
        expect_fact("E08", "REG2, epsilon = 0.5, 0.7, 100: support rows",
                    result.model.support_rows.size());
        expect_fact("E08", "REG2, epsilon = 0.5, 0.7, 100: w", slope_of(result.model));
        expect_fact("E08", "REG2, epsilon = 0.5, 0.7, 100: b", result.model.intercepts[0]);
        EXPECT_NEAR(primal_of(result), 0.0, 1e-12);
    }
}

class SquaredTube : public ::testing::TestWithParam<std::string> {};

TEST_P(SquaredTube, TwoTargetsHaveTheLineOfTheirEquation) {
    // By symmetry b = (1 - w) / 2, and w = C ((1 - w) / 2 - epsilon): with s = 1/2 - epsilon
    // w = 2 C s / (2 + C), P = 2 C s^2 / (2 + C).
    Context context;
    for (const double epsilon : {0.0, 0.1, 0.4}) {
        std::vector<double> slopes;
        std::vector<double> values[2];
        for (const double cost : {0.1, 1.0, 40.0}) {
            TrainOptions options = tube_by(GetParam(), cost, epsilon);
            options.model = "l2-svr";
            const TrainResult result = fit(two_targets(), options);
            slopes.push_back(slope_of(result.model));
            values[0].push_back(primal_of(result));
            values[1].push_back(dual_of(result));
            EXPECT_EQ(result.model.loss, "squared-epsilon");
            EXPECT_EQ(result.model.epsilon, epsilon);
            EXPECT_TRUE(verify_model(result.model, two_targets(), context).holds);
        }
        const std::string key = "REG2, epsilon = " +
                                std::string(epsilon == 0.0   ? "0"
                                            : epsilon == 0.1 ? "0.1"
                                                             : "0.4") +
                                ", C = 0.1, 1, 40: ";
        expect_fact("X09", key + "w", slopes);
        for (const std::vector<double>& value : values) {
            expect_fact("X09", key + "P and D", value);
        }
    }
    TrainOptions wide = tube_by(GetParam(), 10.0, 0.7);
    wide.model = "l2-svr";
    expect_fact("X09", "REG2, epsilon = 0.7: support rows",
                fit(two_targets(), wide).model.support_rows.size());
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

/// The largest difference between the values of two functions.
double apart(const std::vector<double>& f, const std::vector<double>& g) {
    double most = 0.0;
    for (std::size_t i = 0; i < f.size(); ++i) {
        most = std::max(most, std::abs(f[i] - g[i]));
    }
    return most;
}

TEST_P(Tube, CoefficientsSayWhereARowLies) {
    Context context;
    const Dataset data = noisy_line(150, 3);
    const double cost = 2.0;
    TrainOptions options = tube(cost, 0.2);
    options.kernel = parse_kernel("rbf(gamma=1)").value();
    options.run.gap_tolerance.reset();
    options.run.tolerance = 1e-9;
    const TrainResult result = fit(data, options);
    const std::vector<double> beta = coefficients(result.model, 150);
    const std::vector<double> f = decision_function(result.model, data, context);
    const double b = result.model.intercepts[0];
    index_t seen[3] = {0, 0, 0};
    index_t outside[2] = {0, 0};
    double complementarity = 0.0;  // alpha (epsilon + xi + y - f), and the same above
    double constant = 0.0;         // b against y - (f - b) -+ epsilon
    double inside_error = 0.0;
    double edge_error = 0.0;
    bool at_bound = true;  // a row outside has the full cost as coefficient
    bool without = true;   // a row inside has no coefficient
    bool side = true;      // > 0 above, < 0 below
    for (std::size_t i = 0; i < f.size(); ++i) {
        const double above = data.targets[i] - f[i];
        const double upper = std::max(0.0, beta[i]);   // alpha*
        const double lower = std::max(0.0, -beta[i]);  // alpha
        const double slack = std::max(0.0, -above - 0.2);
        const double upper_slack = std::max(0.0, above - 0.2);
        complementarity = std::max({complementarity, std::abs(lower * (0.2 + slack + above)),
                                    std::abs(upper * (0.2 + upper_slack - above))});
        side = side && (beta[i] == 0.0 || (beta[i] > 0.0) == (above > 0.0));
        at_bound = at_bound && (std::abs(above) <= 0.2 + 1e-8 || std::abs(beta[i]) == cost);
        without = without && (std::abs(above) >= 0.2 - 1e-8 || beta[i] == 0.0);
        if (beta[i] == 0.0) {
            inside_error = std::max(inside_error, std::abs(above) - 0.2);
            ++seen[0];
        } else if (std::abs(beta[i]) < cost) {
            const double edge = beta[i] > 0.0 ? 0.2 : -0.2;
            edge_error = std::max(edge_error, std::abs(above - edge));
            constant = std::max(constant, std::abs(b - (data.targets[i] - (f[i] - b) - edge)));
            ++seen[1];
        } else {
            ++seen[2];
            ++outside[above > 0.0 ? 1 : 0];
        }
    }
    expect_fact("E02", "150 random rows: |alpha (epsilon + xi + y - f)|, the same of alpha*",
                complementarity);
    expect_fact("E02", "150 random rows: alpha* belongs to rows above, alpha to rows below", side);
    expect_fact("E03", "150 random rows: |b - (y - (f - b) -+ epsilon)|, rows on the edges",
                constant);
    expect_fact("E05", "150 random rows: those outside have |beta| = C", at_bound);
    expect_fact("E05", "150 random rows: those inside have beta = 0", without);
    expect_fact("E05", "150 random rows, beta = 0: |y - f| - epsilon", inside_error);
    expect_fact("E05", "150 random rows, 0 < |beta| < C: ||y - f| - epsilon|", edge_error);
    expect_fact("E05", "150 random rows: those of the rarest kind of the three",
                std::min({seen[0], seen[1], seen[2]}));
    expect_fact("E05", "150 random rows: the report counts inside, edge, above, below",
                result.tube_rows.inside == seen[0] && result.tube_rows.edge == seen[1] &&
                    result.tube_rows.above == outside[1] && result.tube_rows.below == outside[0]);
    // Sparser than ridge regression, in which all rows have coefficients.
    TrainOptions ridge = toys::krr_options("rbf(gamma=1)", 0.5);
    const std::vector<double> all = coefficients(fit(data, ridge).model, 150);
    expect_fact("E14", "150 random rows: coefficients of ridge regression",
                std::count_if(all.begin(), all.end(), [](double one) { return one != 0.0; }));
    expect_fact("E14", "150 random rows: coefficients of the tube",
                result.model.support_rows.size());
}

TEST_P(Tube, AtMostOneOfTheTwoMultipliersOfARowIsNotZero) {
    // The dual in alpha and alpha*, as published, by an interior point method in long double; the
    // program has one signed variable alpha* - alpha.
    using testing::Real;
    constexpr std::size_t kRows = 20;
    constexpr double kCost = 2.0;
    constexpr double kWidth = 0.2;
    const Dataset data = noisy_line(kRows, 12);
    testing::QuadraticProgramme q;
    q.a.emplace_back();
    q.b.push_back(0);
    std::vector<double> x(1);
    std::vector<double> z(1);
    for (std::size_t k = 0; k < 2 * kRows; ++k) {  // alpha* first, then alpha
        const Real sign = k < kRows ? 1 : -1;
        q.h.emplace_back();
        data.copy_row(static_cast<index_t>(k % kRows), x);
        for (std::size_t l = 0; l < 2 * kRows; ++l) {
            data.copy_row(static_cast<index_t>(l % kRows), z);
            const Real distance = static_cast<Real>(x[0]) - z[0];
            q.h.back().push_back(sign * (l < kRows ? 1 : -1) * std::exp(-distance * distance));
        }
        q.g.push_back(kWidth - sign * static_cast<Real>(data.targets[k % kRows]));
        q.upper.push_back(kCost);
        q.a[0].push_back(sign);
    }
    const testing::RealVector both = testing::QuadraticOracle(q).solve().z;
    TrainOptions options = tube(kCost, kWidth);
    options.kernel = parse_kernel("rbf(gamma=1)").value();
    options.run.gap_tolerance = 1e-13;
    const std::vector<double> beta = coefficients(fit(data, options).model, kRows);
    double product = 0.0;
    double apart = 0.0;
    for (std::size_t i = 0; i < kRows; ++i) {
        product = std::max(product, static_cast<double>(both[i] * both[kRows + i]));
        apart = std::max(apart, std::abs(static_cast<double>(both[i] - both[kRows + i]) - beta[i]));
    }
    expect_fact("E04", "20 random rows, epsilon = 0.2: alpha alpha*", product);
    expect_fact("E04", "20 random rows: |alpha* - alpha - beta of the program|", apart);
}

TEST_P(Tube, RowsInsideMayGoAndRowsOutsideMayMoveAway) {
    const TrainResult two = fit(two_targets(), tube(1.0, 0.1));
    const Dataset three = toys::make_rows({{0.0}, {1.0}, {0.5}}, {0.0, 1.0, 0.5});
    const TrainResult with = fit(three, tube(1.0, 0.1));
    for (const Model& model : {two.model, with.model}) {
        expect_fact("E06", "REG2, with and without (1/2, 1/2), C = 1 of a row: w", slope_of(model));
        expect_fact("E06", "REG2, with and without (1/2, 1/2), C = 1 of a row: b",
                    model.intercepts[0]);
    }
    expect_fact("E06", "REG2 and (1/2, 1/2): its coefficient", coefficients(with.model, 3)[2]);

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
    expect_fact("E07", "80 random rows: moved by 5, away from the tube", moved);
    const TrainResult after = fit(data, options);
    expect_fact("E07", "80 random rows: change of f",
                apart(decision_function(after.model, data, context), f));
    expect_fact("E07", "80 random rows: change of b",
                std::abs(after.model.intercepts[0] - before.model.intercepts[0]));
}

TEST_P(Tube, RowsInsideMayGoFromRandomData) {
    Context context;
    const Dataset data = noisy_line(80, 9);
    TrainOptions options = tube(0.7, 0.3);
    options.kernel = parse_kernel("rbf(gamma=1)").value();
    const TrainResult all = fit(data, options);
    const std::vector<double> f = decision_function(all.model, data, context);
    std::vector<index_t> rest;
    for (std::size_t i = 0; i < f.size(); ++i) {
        if (std::abs(data.targets[i] - f[i]) > 0.3 - 1e-3) {
            rest.push_back(static_cast<index_t>(i));
        }
    }
    expect_fact("E06", "80 random rows: removed, all inside the tube", 80 - rest.size());
    const TrainResult few = fit(data.select(rest), options);
    expect_fact("E06", "80 random rows: change of f",
                apart(decision_function(few.model, data, context), f));
}

TEST_P(FreeTube, TwoTargetsHaveTheirPrintedLine) {
    // C = 1 of the thesis is 1/2 per row: w = nu / 2, epsilon = (1 - nu / 2) / 2.
    std::vector<double> slopes;
    std::vector<double> tubes;
    std::vector<double> constants;
    std::vector<double> masses;
    for (const double nu : {0.2, 0.5, 0.8, 0.95}) {
        const TrainResult result = fit(two_targets(), free_tube(0.5, nu));
        slopes.push_back(slope_of(result.model));
        tubes.push_back(result.tube);
        constants.push_back(result.model.intercepts[0]);
        masses.push_back(result.outputs[0].absolute_sum);
    }
    expect_fact("E09", "REG2, C = 1, nu = 0.2, 0.5, 0.8, 0.95: w", slopes);
    expect_fact("E09", "REG2, C = 1, nu = 0.2, 0.5, 0.8, 0.95: epsilon", tubes);
    expect_fact("E09", "REG2, C = 1, nu = 0.2, 0.5, 0.8, 0.95: b", constants);
    expect_fact("E09", "REG2, C = 1, nu = 0.2, 0.5, 0.8, 0.95: sum alpha + alpha*", masses);
    const TrainResult printed = fit(two_targets(), free_tube(0.5, 0.8));
    // b and epsilon are half the sum and half the difference of y - (f - b) on the two edges.
    Context context;
    const std::vector<double> f = decision_function(printed.model, two_targets(), context);
    const double b = printed.model.intercepts[0];
    const double above = 1.0 - (f[1] - b);
    const double below = 0.0 - (f[0] - b);
    expect_fact("E10", "REG2, C = 1, nu = 0.8: y - wx above and below", std::vector{above, below});
    for (const double found : {0.5 * (above + below), b}) {
        expect_fact("E10", "REG2, C = 1, nu = 0.8: half their sum, and b", found);
    }
    for (const double found : {0.5 * (above - below), printed.tube}) {
        expect_fact("E10", "REG2, C = 1, nu = 0.8: half their difference, and epsilon", found);
    }
    // The machine with that tube is the same one.
    const TrainResult fixed = fit(two_targets(), tube(0.5, printed.tube));
    expect_fact("E13", "REG2, C = 1, epsilon = 0.3: w", slope_of(fixed.model));
    const Interval& all = fixed.model.certificates[0].intercepts;
    expect_fact("E13", "REG2, C = 1, epsilon = 0.3: b = 0.3 is one of the optimal ones",
                all.lower <= b + 1e-9 && all.upper >= b - 1e-9);
}

TEST_P(FreeTube, OneRowOnEachEdgeTellsInterceptAndWidth) {
    Context context;
    const Dataset data = noisy_line(100, 13);
    TrainOptions options = free_tube(1.0, 0.37);
    options.kernel = parse_kernel("rbf(gamma=1)").value();
    options.run.gap_tolerance = 1e-13;
    const TrainResult result = fit(data, options);
    const std::vector<double> beta = coefficients(result.model, 100);
    const std::vector<double> f = decision_function(result.model, data, context);
    const double b = result.model.intercepts[0];
    std::vector<double> above;
    std::vector<double> below;
    for (std::size_t i = 0; i < f.size(); ++i) {
        if (beta[i] != 0.0 && std::abs(beta[i]) < 1.0) {
            (beta[i] > 0.0 ? above : below).push_back(data.targets[i] - (f[i] - b));
        }
    }
    double constant = 0.0;
    double width = 0.0;
    for (const double high : above) {
        for (const double low : below) {
            constant = std::max(constant, std::abs(b - 0.5 * (high + low)));
            width = std::max(width, std::abs(result.tube - 0.5 * (high - low)));
        }
    }
    expect_fact("E10", "100 random rows, nu = 0.37: rows on the emptier edge",
                std::min(above.size(), below.size()));
    expect_fact("E10", "100 random rows, nu = 0.37: |b - half the sum|, every two rows", constant);
    expect_fact("E10", "100 random rows, nu = 0.37: |epsilon - half the difference|", width);
}

TEST_P(FreeTube, MassOfWholeRowsMeetsAViolationAsked) {
    // 20 rows of a side at their bound make up the sum; the rounding remainder is not a free row.
    const Dataset data = noisy_line(100, 11);
    TrainOptions options = free_tube(2.0, 0.4);
    options.kernel = parse_kernel("rbf(gamma=0.5)").value();
    options.run.gap_tolerance.reset();
    options.run.tolerance = 1e-6;
    const TrainResult result = fit(data, options);
    EXPECT_LE(result.model.certificates[0].kkt_violation, 1e-6);
    EXPECT_LT(result.model.iterations, 100000);
}

TEST_P(FreeTube, ClosesFromNuOneOn) {
    const TrainResult result = fit(two_targets(), free_tube(2.0, 1.5));
    EXPECT_EQ(result.tube, 0.0);
    EXPECT_LT(result.outputs[0].absolute_sum, 1.5 * 4.0);
    expect_fact("E12", "REG2, nu = 1.5, C = 4: w, through both targets", slope_of(result.model));
    // C = 1 of the thesis: the bound 1/2 of a row binds, and less than C nu = 1.5 is used.
    const TrainResult bound = fit(two_targets(), free_tube(0.5, 1.5));
    expect_fact("E12", "REG2, nu = 1.5, C = 1: epsilon", bound.tube);
    expect_fact("E12", "REG2, nu = 1.5, C = 1: sum alpha + alpha*, below C nu = 1.5",
                bound.outputs[0].absolute_sum);
    expect_fact("E12", "REG2, nu = 1.5, C = 1: w", slope_of(bound.model));
}

TEST_P(FreeTube, ConstantTargetsNeedNoRow) {
    for (const Dataset& data : {toys::make_rows({{1.0}, {2.0}}, {1.0, 1.0}),
                                toys::make_rows({{1.0}, {2.0}, {4.0}}, {3.0, 3.0, 3.0})}) {
        TrainOptions options = free_tube(1.0, 0.5);
        options.kernel = parse_kernel("rbf(gamma=1)").value();
        const TrainResult result = fit(data, options);
        expect_fact("X10", "nu-svr, y = 1, 1 and y = 3, 3, 3: epsilon", result.tube);
        expect_fact("X10", "nu-svr, y = 1, 1 and y = 3, 3, 3: P", primal_of(result));
        expect_fact("X10", "nu-svr, y = 1, 1 and y = 3, 3, 3: |b - y|",
                    std::abs(result.model.intercepts[0] - data.targets[0]));
        expect_fact("X10", "nu-svr, y = 1, 1 and y = 3, 3, 3: support rows",
                    result.model.support_rows.size());
    }
}

TEST_P(FreeTube, AClosedTubeIsProvedAfterAPolishToo) {
    // K is nearly 1 on the diagonal and 0 off it: coefficients are targets, far less than the mass.
    Random random(5);
    std::vector<std::vector<double>> x;
    std::vector<double> y;
    for (int i = 0; i < 15; ++i) {
        x.push_back({4.0 * random.normal(), 4.0 * random.normal(), 4.0 * random.normal()});
        y.push_back(0.1 * random.normal());
    }
    const Dataset data = toys::make_rows(x, y);
    TrainOptions options = free_tube(1.0, 0.5);
    options.kernel = parse_kernel("rbf(gamma=1)").value();
    options.dual.polish = true;
    options.run.gap_tolerance = 1e-4;  // polishing follows it
    const TrainResult result = fit(data, options);
    EXPECT_EQ(result.tube, 0.0);
    EXPECT_EQ(result.model.status, "converged");
    EXPECT_LE(relative_gap(result.model.certificates[0]), 1e-9);
    Context context;
    EXPECT_TRUE(verify_model(result.model, data, context).holds);
}

TEST_P(FreeTube, TargetsThatNeedLessThanTheMassAreSeenEarly) {
    // A constant, and nearly a constant: the coefficients of the prescribed mass only cancel each
    // other.
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
            options.run.gap_tolerance = 1e-4;
            const TrainResult result = fit(toys::make_rows(x, y), options);
            expect_fact("X11", "200 rows, nu = 0.2, 0.5, 0.9, gap 1e-4: steps",
                        result.model.iterations);
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
        options.run.gap_tolerance = 1e-13;
        const TrainResult result = train(data, options, context);
        ASSERT_GT(result.tube, 0.0);
        const std::vector<double> f = decision_function(result.model, data, context);
        index_t above = 0;
        index_t below = 0;
        for (std::size_t i = 0; i < f.size(); ++i) {
            above += static_cast<index_t>(data.targets[i] - f[i] > result.tube + 1e-5);
            below += static_cast<index_t>(f[i] - data.targets[i] > result.tube + 1e-5);
        }
        const auto beyond = [](index_t count, double limit) {
            return std::max(0.0, static_cast<double>(count) - limit);
        };
        const auto support = static_cast<index_t>(result.model.support_rows.size());
        expect_fact("E11", "n = 200, nu = 0.1, 0.3, 0.5, 0.8: rows outside - nu n",
                    beyond(above + below, nu * 200.0));
        for (const index_t side : {above, below}) {
            expect_fact("E11", "n = 200, nu = 0.1, 0.3, 0.5, 0.8: rows of a side - nu n / 2",
                        beyond(side, nu * 100.0));
        }
        expect_fact("E11", "n = 200, nu = 0.1, 0.3, 0.5, 0.8: nu n - support rows",
                    std::max(0.0, nu * 200.0 - static_cast<double>(support)));
        // The same from the coefficients, as the report counts them.
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
        expect_fact("E13", "n = 200, nu = 0.1, 0.3, 0.5, 0.8, retrained with epsilon: change of f",
                    apart(f, g));
    }
}

TEST_P(Tube, CoefficientsAreNamedByTheirSide) {
    // beta > 0 belongs to a row above the tube, and b = y - w x - epsilon there; beta < 0 to one
    // below, and b = y - w x + epsilon.
    Context context;
    const TrainResult result = fit(two_targets(), tube(1.0, 0.1));
    const std::vector<double> f = decision_function(result.model, two_targets(), context);
    const double b = result.model.intercepts[0];
    expect_fact("E03", "REG2: b, and y - wx - epsilon of the row above", b);
    expect_fact("E03", "REG2: b, and y - wx - epsilon of the row above", 1.0 - (f[1] - b) - 0.1);
    expect_fact("E03", "REG2: y - wx + epsilon of the row below", 0.0 - (f[0] - b) + 0.1);
    const std::vector<double> beta = coefficients(result.model, 2);
    expect_fact("E02", "REG2: sign of alpha* - alpha below and above",
                std::vector{beta[0] < 0.0 ? -1.0 : 1.0, beta[1] > 0.0 ? 1.0 : -1.0});
    EXPECT_EQ(result.tube_rows.edge, 2);
}

TEST_P(Tube, OfNoWidthIsTheAbsoluteLoss) {
    // For a constant f, sum |y - b| is minimal at the median; 9 has no more effect than any value
    // above 2.
    const Dataset median = toys::make_rows({{0.0}, {0.0}, {0.0}}, {1.0, 2.0, 9.0});
    const TrainResult flat = fit(median, tube(3.0, 0.0));
    expect_fact("X12", "y = 1, 2, 9 at one point: b, the median", flat.model.intercepts[0]);
    for (const double value : {primal_of(flat), dual_of(flat)}) {
        expect_fact("X12", "y = 1, 2, 9 at one point, C = 3: P and D", value);
    }
    // w = min(C, 1): |beta| <= C, and from C = 1 on the line passes through both rows.
    std::vector<double> slopes;
    std::vector<double> values[2];
    for (const double cost : {0.25, 0.5, 1.0, 7.0}) {
        const TrainResult line = fit(two_targets(), tube(cost, 0.0));
        slopes.push_back(slope_of(line.model));
        values[0].push_back(primal_of(line));
        values[1].push_back(dual_of(line));
    }
    expect_fact("X12", "REG2, C = 0.25, 0.5, 1, 7: w", slopes);
    for (const std::vector<double>& value : values) {
        expect_fact("X12", "REG2, C = 0.25, 0.5, 1, 7: P and D", value);
    }
    // Moving a row that lies above does not change the machine: only its side matters.
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
    std::vector<double> slopes;
    std::vector<double> values[2];
    for (const double cost : {0.5, 10.0}) {
        for (const double epsilon : {0.0, 0.25}) {
            TrainOptions options = tube(cost, epsilon);
            options.objective.intercept = false;
            const TrainResult result = fit(toys::make_rows({{1.0}}, {2.0}), options);
            expect_fact("X08", "svr, y = 2 at x = 1: b", result.model.intercepts[0]);
            slopes.push_back(slope_of(result.model));
            values[0].push_back(primal_of(result));
            values[1].push_back(dual_of(result));
        }
    }
    expect_fact("X08", "svr, y = 2 at x = 1, C = 0.5 and 10, epsilon = 0 and 0.25: w", slopes);
    for (const std::vector<double>& value : values) {
        expect_fact("X08", "svr, y = 2 at x = 1, C = 0.5 and 10, epsilon = 0 and 0.25: P and D",
                    value);
    }
}

TEST_P(Tube, WiderOnesHaveFewerRows) {
    const Dataset data = noisy_line(120, 6);
    std::size_t last = 121;
    bool fewer = true;
    for (const double epsilon : {0.0, 0.1, 0.3, 0.6, 2.0}) {
        TrainOptions options = tube(1.0, epsilon);
        options.kernel = parse_kernel("rbf(gamma=1)").value();
        const std::size_t support = fit(data, options).model.support_rows.size();
        fewer = fewer && support < last;
        last = support;
    }
    expect_fact("E08",
                "120 random rows, epsilon = 0, 0.1, 0.3, 0.6, 2: fewer support rows each time",
                fewer);
    expect_fact("E08", "120 random rows, epsilon = 2: support rows", last);
}

INSTANTIATE_TEST_SUITE_P(Solvers, Tube, ::testing::ValuesIn(machine_solvers("svr")),
                         toys::kSuiteName);
INSTANTIATE_TEST_SUITE_P(Solvers, FreeTube, ::testing::ValuesIn(machine_solvers("nu-svr")),
                         toys::kSuiteName);

}  // namespace
}  // namespace mercer
