// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/fit/svc_test.cpp - support vector classifiers on problems solved by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mercer/base/error.hpp"
#include "mercer/models/expansion.hpp"
#include "support/facts.hpp"
#include "unit/fit/toys.hpp"

namespace mercer {
namespace {

using testing::HasSubstr;
using toys::coefficients;
using toys::svc_options;

constexpr double kExact = 1e-8;

TEST(Svc, HardMarginOfAPairHasCoefficientsOneHalf) {
    Context context;
    const TrainResult result = train(toys::pair(), svc_options("linear", 10), context);
    const std::vector<double> beta = coefficients(result.model, 2);
    EXPECT_NEAR(beta[0], -0.5, kExact);
    EXPECT_NEAR(beta[1], 0.5, kExact);
    EXPECT_NEAR(result.model.intercepts[0], 0.0, kExact);
    EXPECT_NEAR(result.model.certificates[0].primal, 0.5, kExact);
    EXPECT_NEAR(result.model.certificates[0].dual, 0.5, kExact);
    EXPECT_NEAR(result.model.certificates[0].squared_norm, 1.0, kExact);
    EXPECT_EQ(result.bounded_support, 0);
    EXPECT_EQ(result.model.status, "converged");
}

TEST(Svc, SoftMarginOfAPairStopsAtC) {
    Context context;
    const TrainResult result = train(toys::pair(), svc_options("linear", 0.25), context);
    expect_fact("S02", "PAIR, C = 0.25: alpha t", coefficients(result.model, 2));
    expect_fact("S02", "PAIR, C = 0.25: w", toys::slope_of(result.model));
    expect_fact("S02", "PAIR, C = 0.25: P", result.model.certificates[0].primal);
    expect_fact("S02", "PAIR, C = 0.25: D", result.model.certificates[0].dual);
    expect_fact("S02", "PAIR, C = 0.25: rows at their bound", result.bounded_support);
}

TEST(Svc, ThirdPointBeyondTheMarginIsNoSupportVector) {
    Context context;
    for (const double cost : {0.1, 0.3, 0.5, 2.0}) {
        const TrainResult result = train(toys::trio(), svc_options("linear", cost), context);
        const std::vector<double> beta = coefficients(result.model, 3);
        EXPECT_NEAR(beta[0], -std::min(cost, 0.5), kExact) << cost;
        EXPECT_NEAR(beta[1], std::min(cost, 0.5), kExact) << cost;
        EXPECT_EQ(beta[2], 0.0) << cost;
        EXPECT_EQ(result.model.support.rows(), 2);
    }
}

TEST(Svc, InterceptOfATrioAtSmallCIsTheMiddleOfItsInterval) {
    Context context;
    const TrainResult result = train(toys::trio(), svc_options("linear", 0.1), context);
    const Interval& all = result.model.certificates[0].intercepts;
    expect_fact("S04", "TRIO, C = 0.1: interval of b", std::vector{all.lower, all.upper});
    expect_fact("S04", "TRIO, C = 0.1: b, its middle", result.model.intercepts[0]);
}

TEST(Svc, EveryInterceptOfItsIntervalIsOptimalAndNoneBesideIt) {
    Context context;
    const Model model = train(toys::pair(), svc_options("linear", 0.25), context).model;
    const Interval& all = model.certificates[0].intercepts;
    expect_fact("S04", "PAIR, C = 0.25: interval of b", std::vector{all.lower, all.upper});
    const std::vector<double> f = decision_function(model, toys::pair(), context);
    const auto primal = [&](double b) {
        double losses = 0.0;
        for (const std::size_t i : {0U, 1U}) {
            const double t = i == 0 ? -1.0 : 1.0;
            losses += std::max(0.0, 1.0 - t * (f[i] - model.intercepts[0] + b));
        }
        return 0.5 * model.certificates[0].squared_norm + 0.25 * losses;
    };
    for (const double b : {-0.5, -0.2, 0.0, 0.31, 0.5}) {
        expect_fact("S04", "PAIR, C = 0.25: P at b = -0.5, -0.2, 0, 0.31, 0.5", primal(b));
    }
    for (const double b : {-0.51, 0.51}) {
        expect_fact("S04", "PAIR, C = 0.25: P at b = -0.51, 0.51", primal(b));
    }
}

TEST(Svc, RemovingARowWithoutCoefficientChangesNothing) {
    Context context;
    const Model with = train(toys::trio(), svc_options("linear", 10), context).model;
    const Model without = train(toys::pair(), svc_options("linear", 10), context).model;
    const Dataset probe = toys::make_rows({{-2.0}, {0.3}, {5.0}}, {});
    const std::vector<double> a = decision_function(with, probe, context);
    const std::vector<double> b = decision_function(without, probe, context);
    for (std::size_t i = 0; i < a.size(); ++i) {
        EXPECT_NEAR(a[i], b[i], kExact);
    }
}

TEST(Svc, XorByASecondDegreePolynomialIsTheProductOfItsColumns) {
    Context context;
    const TrainOptions options = svc_options("poly(degree=2, coef0=1, scale=1)", 10);
    const TrainResult result = train(toys::exclusive_or(), options, context);
    const std::vector<double> beta = coefficients(result.model, 4);
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_NEAR(beta[i], i < 2 ? -0.125 : 0.125, kExact);
    }
    EXPECT_NEAR(result.model.certificates[0].primal, 0.25, kExact);
    EXPECT_NEAR(result.model.certificates[0].squared_norm, 0.5, kExact);
    const Dataset probe = toys::make_rows({{0.5, 3.0}, {-1.0, 2.0}}, {});
    const std::vector<double> f = decision_function(result.model, probe, context);
    EXPECT_NEAR(f[0], -1.5, 1e-7);
    EXPECT_NEAR(f[1], 2.0, 1e-7);
}

TEST(Svc, XorByALinearKernelHasNoDirection) {
    Context context;
    const TrainResult result = train(toys::exclusive_or(), svc_options("linear", 0.7), context);
    EXPECT_NEAR(result.model.certificates[0].primal, 2.8, kExact);
    EXPECT_NEAR(result.model.certificates[0].dual, 2.8, kExact);
    EXPECT_NEAR(result.model.certificates[0].squared_norm, 0.0, kExact);
    EXPECT_EQ(result.bounded_support, 4);
}

TEST(Svc, ClassWeightsMoveTheBox) {
    Context context;
    TrainOptions options = svc_options("linear", 0.1);
    options.objective.class_weights = {{"-1", 2.0}, {"+1.0", 1.0}};
    const TrainResult result = train(toys::pair(), options, context);
    const std::vector<double> beta = coefficients(result.model, 2);
    expect_fact("L09", "PAIR, C=0.1, weights 2 and 1: boxes",
                row_costs(result.model, toys::pair()));
    expect_fact("L09", "PAIR, C=0.1, weights 2 and 1: alpha",
                std::vector<double>{-beta[0], beta[1]});
    expect_fact("L09", "rows at their bound", result.bounded_support);
    expect_fact("X07", "PAIR, C = 0.1, class weights 2, 1: alpha t", beta);
    expect_fact("X07", "PAIR, C = 0.1, class weights 2, 1: rows at their bound",
                result.bounded_support);
    EXPECT_EQ(result.model.class_weights, (std::map<std::string, double>{{"-1", 2.0}, {"1", 1.0}}));
}

TEST(Svc, LambdaIsOneOverTwoNC) {
    Context context;
    TrainOptions options = svc_options("linear", kNaN);
    options.objective.lambda = 1.0;
    EXPECT_EQ(train(toys::pair(), options, context).model.cost, 0.25);
    options.objective.lambda.reset();
    EXPECT_EQ(train(toys::pair(), options, context).model.cost, 1.0);
}

TEST(Svc, WithoutInterceptTheConstantIsZero) {
    Context context;
    TrainOptions options = svc_options("linear", 10);
    options.objective.intercept = false;
    const TrainResult result = train(toys::trio(), options, context);
    expect_fact("X08", "svc, TRIO: b", result.model.intercepts[0]);
    EXPECT_FALSE(result.model.has_intercept);
    expect_fact("X08", "svc, TRIO, C = 10: P", result.model.certificates[0].primal);
}

/// The message of the refusal.
std::string refusal(const Dataset& data, const TrainOptions& options) {
    Context context;
    try {
        static_cast<void>(train(data, options, context));
    } catch (const InvalidArgument& fault) {
        return fault.what();
    }
    return "accepted";
}

TEST(Svc, RefusalsNameWhatIsWrong) {
    const TrainOptions good = svc_options("linear", 1);
    Dataset data = toys::pair();
    data.label_names = {"-1", "1", "2"};
    EXPECT_THAT(refusal(data, good), HasSubstr("class 2 has no row"));
    data.label_names = {"7"};
    data.targets = {0, 0};
    EXPECT_THAT(refusal(data, good), HasSubstr("has 1 (7)"));
    data = toys::pair();
    data.weights = {1, -1};
    EXPECT_THAT(refusal(data, good), HasSubstr("row 2 has -1"));
    data.weights = {1, kNaN};
    EXPECT_THAT(refusal(data, good), HasSubstr("row 2 has nan"));
    data.weights = {0, 1};
    EXPECT_THAT(refusal(data, good), HasSubstr("class -1 has no row of weight > 0"));
    data.weights = {1};
    EXPECT_THAT(refusal(data, good), HasSubstr("got 1 for 2 rows"));
    data = toys::pair();
    data.targets.clear();
    EXPECT_THAT(refusal(data, good), HasSubstr("targets"));

    TrainOptions options = good;
    options.objective.cost = 0.0;
    EXPECT_THAT(refusal(toys::pair(), options), HasSubstr("cost: got 0"));
    options.objective.cost = 1.0;
    options.objective.lambda = 1.0;
    EXPECT_THAT(refusal(toys::pair(), options), HasSubstr("one of them"));
    options = good;
    options.objective.cost.reset();
    options.objective.alpha = 1.0;
    EXPECT_THAT(refusal(toys::pair(), options), HasSubstr("alpha"));
    options = good;
    options.objective.class_weights = {{"3", 1.0}};
    EXPECT_THAT(refusal(toys::pair(), options), HasSubstr("no class 3"));
    options.objective.class_weights = {{"1", 0.0}};
    EXPECT_THAT(refusal(toys::pair(), options), HasSubstr("weight of class 1: got 0"));
    options = good;
    options.run.gap_tolerance = -1.0;
    EXPECT_THAT(refusal(toys::pair(), options), HasSubstr("gap_tolerance"));
    options = good;
    options.run.solver = "magic";
    EXPECT_THAT(refusal(toys::pair(), options), HasSubstr("smo"));
    options = svc_options("sigmoid(gamma=1, coef0=0)", 1);
    EXPECT_THAT(refusal(toys::pair(), options), HasSubstr("--allow-indefinite"));
    options = good;
    options.model = "svm";
    EXPECT_THAT(refusal(toys::pair(), options), HasSubstr("svc"));
}

TEST(Svc, IndefiniteKernelVoidsTheCertificate) {
    Context context;
    TrainOptions options = svc_options("sigmoid(gamma=1, coef0=0)", 1);
    options.allow_indefinite = true;
    const TrainResult result = train(toys::pair(), options, context);
    EXPECT_FALSE(result.model.certificates[0].exact);
}

}  // namespace
}  // namespace mercer
