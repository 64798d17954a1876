// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/fit/variance_test.cpp - the variance of kernel ridge regression, by hand.
#include "mercer/fit/variance.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/data/generate.hpp"
#include "unit/fit/toys.hpp"

namespace mercer {
namespace {

using testing::HasSubstr;

TrainOptions plain(const std::string& kernel, double alpha) {
    TrainOptions options = toys::krr_options(kernel, alpha);
    options.objective.intercept = false;
    return options;
}

TEST(Variance, TwoRowsByTheTwoByTwoInverse) {
    // (K + I)^-1 = [[3, -1], [-1, 3]] / 8. At the first row k = (2, 1):
    // 2 - (3 * 4 - 2 * 2 + 3) / 8 = 0.625; at (1, 0, 0) k = (1, 0): 1 - 3 / 8.
    Context context;
    const Model model = train(toys::ridge_pair(), plain("linear", 1.0), context).model;
    const Dataset probe = toys::make_rows({{1, 1, 0}, {1, 0, 0}, {0, 0, 0}}, {});
    const std::vector<double> variance = predictive_variance(model, probe, context);
    EXPECT_NEAR(variance[0], 0.625, 1e-14);
    EXPECT_NEAR(variance[1], 0.625, 1e-14);
    EXPECT_EQ(variance[2], 0.0);
}

TEST(Variance, FarAwayItIsThePriorAndOnARowAtMostAlpha) {
    Context context;
    const Dataset data = generate({.name = "sinc", .rows = 40, .seed = 2}, context);
    const double alpha = 0.05;
    const Model model = train(data, toys::krr_options("rbf(gamma=1)", alpha), context).model;
    const std::vector<double> on = predictive_variance(model, data, context);
    for (const double value : on) {
        EXPECT_GT(value, 0.0);
        EXPECT_LE(value, alpha);  // k - k^2 / (k + alpha) = k alpha / (k + alpha) and less
    }
    const Dataset far = toys::make_rows({{1e6}}, {});
    EXPECT_EQ(predictive_variance(model, far, context).front(), 1.0);
}

TEST(Variance, ScalingWidthAndCompanyAreThoseOfPrediction) {
    Context context;
    const Dataset data = generate({.name = "friedman1", .rows = 50, .seed = 3}, context);
    TrainOptions options = plain("rbf(gamma=0.1)", 0.1);
    options.scale.method = "standard";
    const Model scaled = train(data, options, context).model;
    Dataset by_hand = scaled.scaling->apply(data);
    by_hand.targets = data.targets;
    options.scale.method = "none";
    const Model same = train(by_hand, options, context).model;
    const std::vector<double> a = predictive_variance(scaled, data, context);
    const std::vector<double> b = predictive_variance(same, by_hand, context);
    EXPECT_EQ(a, b);
    for (const index_t row : {index_t{0}, index_t{17}, index_t{49}}) {
        const index_t one[] = {row};
        EXPECT_EQ(predictive_variance(scaled, data.select(one), context).front(),
                  a[static_cast<std::size_t>(row)]);
    }
    for (const int threads : {1, 2, 5}) {
        Context other({.threads = threads});
        EXPECT_EQ(predictive_variance(scaled, data, other), a);
    }
}

TEST(Variance, RefusalsSayWhy) {
    Context context;
    const auto refusal = [&](const Model& model) -> std::string {
        try {
            static_cast<void>(predictive_variance(model, toys::make_rows({{1}}, {}), context));
        } catch (const InvalidArgument& fault) {
            return fault.what();
        }
        return "given";
    };
    EXPECT_THAT(refusal(train(toys::pair(), toys::svc_options("linear", 1), context).model),
                HasSubstr("only krr"));
    EXPECT_THAT(refusal(train(toys::ridge_pair(), plain("linear", 0.0), context).model),
                HasSubstr("alpha > 0"));
    Dataset weighted = toys::ridge_pair();
    weighted.weights = {1, 2};
    EXPECT_THAT(refusal(train(weighted, plain("linear", 1.0), context).model),
                HasSubstr("row weights"));
    Model model = train(toys::ridge_pair(), plain("linear", 1.0), context).model;
    EXPECT_EQ(refusal(model), "given");
    model.fingerprint.rows = 3;
    EXPECT_THAT(refusal(model), HasSubstr("2 of its 3"));
}

}  // namespace
}  // namespace mercer
