// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/fit/weights_test.cpp - a weight is equivalent to repeating the row, for every machine.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mercer/data/generate.hpp"
#include "support/facts.hpp"
#include "unit/fit/toys.hpp"

namespace mercer {
namespace {

constexpr index_t kRows = 40;

/// Every third row has weight 2, every fifth weight 0.
double weight_of(index_t i) {
    if (i % 5 == 4) {
        return 0.0;
    }
    return i % 3 == 0 ? 2.0 : 1.0;
}

Dataset weighted(const Dataset& data) {
    Dataset out = data;
    for (index_t i = 0; i < data.rows(); ++i) {
        out.weights.push_back(weight_of(i));
    }
    return out;
}

Dataset repeated(const Dataset& data) {
    std::vector<index_t> rows;
    for (index_t i = 0; i < data.rows(); ++i) {
        rows.insert(rows.end(), static_cast<std::size_t>(weight_of(i)), i);
    }
    return data.select(rows);
}

void expect_same_decisions(const Dataset& data, const TrainOptions& options,
                           double tolerance = 1e-8) {
    Context context;
    const Model a = train(weighted(data), options, context).model;
    const Model b = train(repeated(data), options, context).model;
    expect_fact("X27", "gamma=scale is the same to the last bit", a.kernel == b.kernel);
    EXPECT_EQ(a.cost, b.cost);
    EXPECT_TRUE(a.row_weights);
    // A hard margin multiplies the rounding of its slacks by a cost of 1e8.
    const double value = options.model == "hard-margin" ? 1e-6 : 1e-9;
    EXPECT_NEAR(a.certificates[0].primal, b.certificates[0].primal,
                value * std::max(1e-3, std::abs(a.certificates[0].primal)));
    const std::vector<double> f = decision_function(a, data, context);
    const std::vector<double> g = decision_function(b, data, context);
    double apart = 0.0;
    for (std::size_t i = 0; i < f.size(); ++i) {
        apart = std::max(apart, std::abs(f[i] - g[i]));
    }
    EXPECT_LE(apart, tolerance);
    expect_fact("X27", "sixteen machines, weights 0, 1, 2: |f - f of the rows repeated|", apart);
    bool none = true;
    for (const index_t row : a.support_rows) {
        none = none && weight_of(row) > 0.0;
    }
    expect_fact("X27", "a row of weight 0 has no coefficient", none);
}

TEST(Weights, SvcTakesWeightTwoAsTwoRowsAndWeightZeroAsNone) {
    Context context;
    const Dataset data =
        generate({.name = "moons", .rows = kRows, .noise = 0.3, .seed = 3}, context);
    TrainOptions options = toys::svc_options("rbf(gamma=1)", 2.0);
    options.run.gap_tolerance = 1e-13;
    expect_same_decisions(data, options);
    options.objective.cost.reset();
    options.objective.lambda = 0.01;
    expect_same_decisions(data, options);
}

TEST(Weights, KrrTakesWeightTwoAsTwoRowsAndWeightZeroAsNone) {
    Context context;
    const Dataset data = generate({.name = "sinc", .rows = kRows, .seed = 3}, context);
    for (const bool intercept : {true, false}) {
        TrainOptions options = toys::krr_options("rbf(gamma=scale)", 0.1);
        options.objective.intercept = intercept;
        expect_same_decisions(data, options);
    }
}

class EveryMachine : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryMachine, TakesWeightTwoAsTwoRowsAndWeightZeroAsNone) {
    Context context;
    const std::string& model = GetParam();
    const bool separable = model == "hard-margin";
    Dataset data = is_classifier(model)
                       ? generate({.name = separable ? "blobs" : "moons",
                                   .rows = kRows,
                                   .noise = separable ? 0.05 : 0.3,
                                   .seed = 3},
                                  context)
                       : generate({.name = "sinc", .rows = kRows, .seed = 3}, context);
    for (const std::string kernel : {"rbf(gamma=scale)", "rbf(gamma=1)"}) {
        TrainOptions options;
        options.model = model;
        options.kernel = is_linear_machine(model) ? linear_kernel() : parse_kernel(kernel).value();
        options.run.gap_tolerance = 1e-12;
        if (model == "nu-svc" || model == "nu-svr" || model == "one-class") {
            options.objective.nu = 0.3;
        }
        expect_same_decisions(data, options, 1e-5);
        options.scale.method = "standard";
        expect_same_decisions(data, options, 1e-5);
    }
}

INSTANTIATE_TEST_SUITE_P(Machines, EveryMachine,
                         ::testing::Values("svc", "nu-svc", "l2-svc", "huber-svc", "hard-margin",
                                           "ls-svc", "klr", "svr", "l2-svr", "nu-svr", "one-class",
                                           "krr", "least-squares", "ridge", "polynomial",
                                           "logistic"),
                         toys::kSuiteName);

TEST(Weights, AllOneIsTheSameAsNone) {
    Context context;
    const Dataset data = generate({.name = "moons", .rows = kRows, .seed = 5}, context);
    Dataset ones = data;
    ones.weights.assign(kRows, 1.0);
    const TrainOptions options = toys::svc_options("rbf(gamma=scale)", 1.0);
    const Model a = train(data, options, context).model;
    const Model b = train(ones, options, context).model;
    EXPECT_EQ(a.coefficients, b.coefficients);
    EXPECT_EQ(a.intercepts, b.intercepts);
}

}  // namespace
}  // namespace mercer
