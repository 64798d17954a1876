// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/fit/likelihood_test.cpp - logistic regression without a penalty, and its model file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "mercer/audit/verify.hpp"
#include "mercer/base/error.hpp"
#include "mercer/formats/model_file.hpp"
#include "support/facts.hpp"
#include "unit/fit/toys.hpp"

namespace mercer {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

/// x, or x and x^2, of eight points with overlapping classes.
Dataset eight(bool squares) {
    std::vector<std::vector<double>> rows;
    for (const double x : {-2.0, -1.0, -0.5, 0.3, 0.5, 1.0, 2.0, 3.0}) {
        rows.push_back(squares ? std::vector<double>{x, x * x} : std::vector<double>{x});
    }
    return toys::make_classes(rows, {0, 0, 1, 0, 1, 1, 0, 1});
}

TrainOptions without_penalty() {
    TrainOptions options;
    options.model = "logistic";
    options.kernel = parse_kernel("linear").value();
    options.objective.lambda = 0.0;
    return options;
}

struct Known {
    bool squares;
    bool weighted;
    double loss;
    std::vector<double> w;
    double b;
    double loss_without_b;
};

// Newton's method in numpy's long double until the score is below 1e-18; scikit-learn 1.9.1,
// LogisticRegression(C=inf, solver='newton-cg', tol=1e-14), prints the same eight digits.
const std::vector<Known> kKnown{
    {false, false, 4.9016440534765867505, {0.58426616}, -0.2339154, 4.9454762194607296234},
    {true, false, 4.7243400623881093765, {0.864251, -0.2152591}, 0.07556797, 4.7273146395222941435},
    {false, true, 5.347421568166971464, {1.23094967}, 0.20526642, 5.3852027706365270614},
    {true,
     true,
     4.8184175605244673087,
     {1.69939534, -0.47967713},
     0.61298894,
     5.0494663801084161197}};

TEST(Likelihood, IsTheMaximumAndProvesIt) {
    for (const Known& known : kKnown) {
        Context context;
        Dataset data = eight(known.squares);
        if (known.weighted) {
            data.weights = {1, 2, 1, 1, 3, 1, 0.5, 1};
        }
        TrainOptions options = without_penalty();
        const TrainResult result = train(data, options, context);
        const Model& model = result.model;
        EXPECT_EQ(model.status, "converged");
        EXPECT_EQ(model.cost, kInfinity);
        EXPECT_NEAR(model.certificates[0].primal, known.loss, 1e-12);
        EXPECT_NEAR(model.certificates[0].dual, known.loss, 1e-12);
        EXPECT_LE(relative_gap(model.certificates[0]), 1e-12);
        EXPECT_NEAR(model.intercepts[0], known.b, 5e-8);
        for (std::size_t j = 0; j < known.w.size(); ++j) {
            EXPECT_NEAR(result.weights[j], known.w[j], 5e-8);
        }
        EXPECT_TRUE(toys::failures(model, data).empty())
            << ::testing::PrintToString(toys::failures(model, data));
        const std::vector<double> f = decision_function(model, data, context);
        const std::vector<double> p = class_probabilities(model, f);
        for (std::size_t i = 0; i < 8; ++i) {
            EXPECT_NEAR(p[2 * i + 1], 1.0 / (1.0 + std::exp(-f[i])), 1e-14);
        }
        options.objective.intercept = false;
        const Model without = train(data, options, context).model;
        EXPECT_NEAR(without.certificates[0].primal, known.loss_without_b, 1e-12);
        EXPECT_NEAR(without.certificates[0].dual, known.loss_without_b, 1e-12);
        EXPECT_TRUE(toys::failures(without, data).empty());
    }
}

TEST(Likelihood, ColumnsThatRepeatEachOtherChangeNothing) {
    Context context;
    std::vector<std::vector<double>> rows;
    for (const double x : {-2.0, -1.0, -0.5, 0.3, 0.5, 1.0, 2.0, 3.0}) {
        rows.push_back({x, 2.0 * x, 0.0});
    }
    const Dataset data = toys::make_classes(rows, {0, 0, 1, 0, 1, 1, 0, 1});
    const Model model = train(data, without_penalty(), context).model;
    EXPECT_NEAR(model.certificates[0].primal, 4.9016440534765867505, 1e-10);
    EXPECT_EQ(model.status, "converged");
    EXPECT_TRUE(toys::failures(model, data).empty());
}

TEST(Likelihood, FileKeepsItAndChangedModelsAreNotVerified) {
    Context context;
    const Dataset data = eight(true);
    const Model model = train(data, without_penalty(), context).model;
    const std::string path = ::testing::TempDir() + "likelihood.mercer";
    save_model(model, path);
    const Model again = load_model(path, context).value();
    EXPECT_EQ(again.coefficients, model.coefficients);
    EXPECT_EQ(again.cost, kInfinity);
    EXPECT_TRUE(toys::failures(again, data).empty());
    Model changed = model;
    changed.coefficients[0] += 1e-3;
    EXPECT_THAT(toys::failures(changed, data), Contains("primal value"));
    changed = model;
    changed.intercepts[0] += 1e-9;
    EXPECT_THAT(toys::failures(changed, data), Contains("intercept"));
    changed = model;
    changed.certificates[0].dual += 1e-6;
    EXPECT_THAT(toys::failures(changed, data), ::testing::ElementsAre("dual value"));
    changed = model;
    changed.certificates[0].primal -= 1e-6;
    EXPECT_THAT(toys::failures(changed, data), ::testing::ElementsAre("primal value"));
    changed = model;
    changed.kernel = parse_kernel("rbf(gamma=1)").value();
    EXPECT_THROW(require_consistent(changed), InvalidArgument);
}

TEST(Likelihood, SeparableClassesAreSaidToHaveNone) {
    Context context;
    // Separated, and touching: the point 0 has both labels, the others are on their sides.
    for (const Dataset& data : {toys::make_classes({{-2}, {-1}, {1}, {3}}, {0, 0, 1, 1}),
                                toys::make_classes({{-1}, {0}, {0}, {1}}, {0, 0, 1, 1})}) {
        try {
            static_cast<void>(train(data, without_penalty(), context));
            FAIL() << "no maximum";
        } catch (const DataError& fault) {
            EXPECT_THAT(fault.what(), HasSubstr("the likelihood has no maximum"));
            EXPECT_THAT(fault.what(), HasSubstr("unbounded"));
            EXPECT_THAT(fault.what(), HasSubstr("--lambda > 0"));
        }
        TrainOptions penalised = without_penalty();
        penalised.objective.lambda = 0.01;
        EXPECT_EQ(train(data, penalised, context).model.status, "converged");
    }
}

TEST(Likelihood, WeightsOfSeparableClassesGrowWithoutBoundAsThePenaltyFalls) {
    // The supremum is not attained: |w| grows like log(1 / lambda).
    Context context;
    const Dataset data = toys::make_classes({{-2}, {-1}, {1}, {3}}, {0, 0, 1, 1});
    std::vector<double> norms;
    for (const double lambda : {1e-1, 1e-3, 1e-5, 1e-7}) {
        TrainOptions options = without_penalty();
        options.objective.lambda = lambda;
        norms.push_back(std::abs(train(data, options, context).weights.at(0)));
    }
    bool grows = true;
    for (std::size_t k = 1; k < norms.size(); ++k) {
        grows = grows && norms[k] > norms[k - 1] + 1.0;
    }
    expect_fact("D09", "separable: |w| grows by 1 and more as lambda falls by 100", grows);
}

TEST(Likelihood, OtherSolversAreRefused) {
    Context context;
    TrainOptions options = without_penalty();
    options.run.solver = "lbfgs";
    EXPECT_THROW(static_cast<void>(train(eight(false), options, context)), InvalidArgument);
}

}  // namespace
}  // namespace mercer
