// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/fit/krr_test.cpp - kernel ridge regression on problems solved by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "mercer/base/error.hpp"
#include "mercer/data/generate.hpp"
#include "support/facts.hpp"
#include "unit/fit/toys.hpp"

namespace mercer {
namespace {

using testing::HasSubstr;
using toys::coefficients;
using toys::krr_options;

TrainOptions plain_ridge(double alpha) {
    TrainOptions options = krr_options("linear", alpha);
    options.objective.intercept = false;
    return options;
}

TEST(Krr, TwoRowsHaveTheCoefficientsOfTheTwoByTwoSystem) {
    Context context;
    const TrainResult result = train(toys::ridge_pair(), plain_ridge(1.0), context);
    const std::vector<double> beta = coefficients(result.model, 2);
    expect_fact("RR4", "KRR2, n lambda = 1: alpha", beta);
    const std::vector<double> f = decision_function(result.model, toys::ridge_pair(), context);
    expect_fact("RR4", "KRR2: values at the rows", f);
    // 1/2 |f - y|^2 + 1/2 |f|^2 = .1875 with loss (f - y)^2 at C = 1/2.
    expect_fact("RR4", "KRR2: objective 1/2 |K a - y|^2 + 1/2 a'Ka",
                result.model.certificates[0].primal);
    expect_fact("RR4", "KRR2: dual objective", result.model.certificates[0].dual);
    const Dataset probe = toys::make_rows({{1, 0, 0}, {1, 2, 3}}, {0, 0});
    expect_fact("RR8", "KRR2: values at (1,0,0) and (1,2,3)",
                decision_function(result.model, probe, context));
    EXPECT_EQ(result.model.status, "converged");
    EXPECT_EQ(result.rank, 2);
}

TEST(Krr, AlphaLambdaAndCostSayTheSame) {
    Context context;
    TrainOptions by_lambda = plain_ridge(kNaN);
    by_lambda.objective.lambda = 0.5;
    TrainOptions by_cost = plain_ridge(kNaN);
    by_cost.objective.cost = 0.5;
    const Model a = train(toys::ridge_pair(), plain_ridge(1.0), context).model;
    expect_fact("RR6", "lambda = 0.5 of two rows: alpha",
                coefficients(train(toys::ridge_pair(), by_lambda, context).model, 2));
    expect_fact("RR6", "C = 0.5 of (f - y)^2: alpha",
                coefficients(train(toys::ridge_pair(), by_cost, context).model, 2));
    for (const TrainOptions& options : {by_lambda, by_cost, plain_ridge(kNaN)}) {
        const Model b = train(toys::ridge_pair(), options, context).model;
        EXPECT_EQ(a.coefficients, b.coefficients);
        EXPECT_EQ(b.cost, 0.5);
    }
}

TEST(Krr, InterceptTakesUpAConstantTarget) {
    Context context;
    Dataset data = toys::ridge_pair();
    data.targets = {3.0, 3.0};
    const TrainResult result = train(data, krr_options("rbf(gamma=1)", 0.1), context);
    EXPECT_NEAR(result.model.intercepts[0], 3.0, 1e-12);
    EXPECT_NEAR(result.model.certificates[0].primal, 0.0, 1e-12);
}

TEST(Krr, LeaveOneOutResidualsEqualTrainingWithoutTheRow) {
    Context context;
    const Dataset data = generate({.name = "sinc", .rows = 12, .seed = 2}, context);
    for (const bool intercept : {true, false}) {
        TrainOptions options = krr_options("rbf(gamma=0.3)", 0.2);
        options.objective.intercept = intercept;
        options.outputs.leave_one_out = true;
        const TrainResult all = train(data, options, context);
        ASSERT_EQ(all.leave_one_out.size(), 12U);
        options.outputs.leave_one_out = false;
        for (index_t left_out = 0; left_out < 12; ++left_out) {
            Dataset without = data;
            without.weights.assign(12, 1.0);
            without.weights[static_cast<std::size_t>(left_out)] = 0.0;
            const Model model = train(without, options, context).model;
            const index_t row[] = {left_out};
            const double f = decision_function(model, data.select(row), context)[0];
            EXPECT_NEAR(all.leave_one_out[static_cast<std::size_t>(left_out)],
                        data.targets[static_cast<std::size_t>(left_out)] - f, 1e-10);
        }
    }
}

TEST(Krr, ScalingIsKeptInTheModel) {
    Context context;
    const Dataset data = generate({.name = "friedman1", .rows = 60, .seed = 1}, context);
    TrainOptions options = krr_options("rbf(gamma=scale)", 0.5);
    options.scale.method = "standard";
    const Model model = train(data, options, context).model;
    ASSERT_TRUE(model.scaling.has_value());
    // Columns with mean 0 and variance 1: gamma=scale is 1 / columns.
    EXPECT_NEAR(model.kernel.node().parameters.front(), 0.1, 1e-12);
    const std::vector<double> f = decision_function(model, data, context);
    double error = 0.0;
    for (std::size_t i = 0; i < f.size(); ++i) {
        error = std::max(error, std::abs(f[i] - data.targets[i]));
    }
    EXPECT_LT(error, 8.0);  // unscaled predictions are off by the size of the targets
}

TEST(Krr, AStopLeavesTheConstantWithAnHonestGap) {
    const std::atomic<bool> stop{true};
    ContextOptions stopped;
    stopped.stop_flag = &stop;
    Context making;
    const Dataset data = generate({.name = "sinc", .rows = 50, .seed = 2}, making);
    Context context(stopped);
    const Model model = train(data, krr_options("rbf(gamma=1)", 1.0), context).model;
    EXPECT_EQ(model.status, "interrupted");
    EXPECT_EQ(model.support.rows(), 0);
    double mean = 0.0;
    for (const double target : data.targets) {
        mean += target / 50.0;
    }
    EXPECT_NEAR(model.intercepts[0], mean, 1e-12);
    EXPECT_GT(model.certificates[0].gap, 0.1);
}

TEST(Krr, RefusalsNameWhatIsWrong) {
    Context context;
    const auto refusal = [&](const Dataset& data, const TrainOptions& options) -> std::string {
        try {
            static_cast<void>(train(data, options, context));
        } catch (const InvalidArgument& fault) {
            return fault.what();
        }
        return "accepted";
    };
    EXPECT_THAT(refusal(toys::pair(), plain_ridge(1.0)), HasSubstr("krr needs numbers"));
    EXPECT_THAT(refusal(toys::ridge_pair(), plain_ridge(-1.0)), HasSubstr("alpha: got -1"));
    TrainOptions options = plain_ridge(1.0);
    options.run.solver = "smo";
    EXPECT_THAT(refusal(toys::ridge_pair(), options), HasSubstr("cholesky"));
    options = plain_ridge(1.0);
    options.objective.class_weights = {{"1", 2.0}};
    EXPECT_THAT(refusal(toys::ridge_pair(), options), HasSubstr("no classes"));
    Dataset data = toys::ridge_pair();
    data.targets[1] = kInfinity;
    EXPECT_THAT(refusal(data, plain_ridge(1.0)), HasSubstr("row 2 has inf"));
}

}  // namespace
}  // namespace mercer
