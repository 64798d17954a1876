// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/fit/smooth_test.cpp - smooth and linear machines, trained, saved, verified.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "mercer/audit/verify.hpp"
#include "mercer/base/error.hpp"
#include "mercer/data/generate.hpp"
#include "mercer/data/labels.hpp"
#include "support/facts.hpp"
#include "unit/fit/toys.hpp"

namespace mercer {
namespace {

using testing::HasSubstr;

TrainOptions machine(const std::string& name, const std::string& kernel) {
    TrainOptions options;
    options.model = name;
    options.kernel = parse_kernel(kernel).value();
    return options;
}

void expect_verified(const Model& model, const Dataset& data, Context& context) {
    const VerifyReport report = verify_model(model, data, context);
    for (const VerifyCondition& condition : report.conditions) {
        EXPECT_TRUE(condition.holds) << condition.name << ": " << condition.explanation;
    }
    EXPECT_TRUE(report.holds);
}

TEST(Klr, PairHasTheWeightOfItsEquation) {
    Context context;
    for (const double cost : {1.0, 10.0}) {
        const std::string key = cost == 1.0 ? "PAIR, C = 1: " : "PAIR, C = 10: ";
        for (const std::string& solver : machine_solvers("klr")) {
            TrainOptions options = machine("klr", "linear");
            options.objective.cost = cost;
            options.run.gap_tolerance = 1e-12;
            options.run.solver = solver;
            const TrainResult result = train(toys::pair(), options, context);
            EXPECT_EQ(result.model.status, "converged") << solver;
            const std::vector<double> f = decision_function(result.model, toys::pair(), context);
            expect_fact("S12", key + "w", toys::slope_of(result.model));
            const std::vector<double> beta = toys::coefficients(result.model, 2);
            expect_fact("S12", key + "alpha", beta[1]);
            // alpha = C S(-t f)
            expect_fact("S12", key + "alpha", cost / (1.0 + std::exp(f[1])));
            expect_fact("S12", key + "P and D", result.model.certificates[0].primal);
            expect_fact("S12", key + "P and D", result.model.certificates[0].dual);
            expect_verified(result.model, toys::pair(), context);
        }
    }
}

TEST(Klr, RowAndClassWeightsAreRepetitions) {
    Context context;
    const Dataset data = to_classes(generate({.name = "moons", .rows = 40, .seed = 1}, context));
    TrainOptions options = machine("klr", "rbf(gamma=1)");
    options.run.gap_tolerance = 1e-12;
    Dataset weighted = data;
    weighted.weights.assign(40, 1.0);
    weighted.weights[3] = 2.0;
    std::vector<index_t> listed(40);
    for (index_t i = 0; i < 40; ++i) {
        listed[static_cast<std::size_t>(i)] = i;
    }
    listed.push_back(3);
    const Model a = train(weighted, options, context).model;
    const Model b = train(data.select(listed), options, context).model;
    EXPECT_NEAR(a.certificates[0].primal, b.certificates[0].primal, 1e-9);
    EXPECT_NEAR(a.intercepts[0], b.intercepts[0], 1e-5);
    expect_verified(a, weighted, context);
    TrainOptions heavier = options;
    heavier.objective.class_weights = {{data.label_names[0], 3.0}};
    const Model c = train(data, heavier, context).model;
    EXPECT_LT(c.intercepts[0], train(data, options, context).model.intercepts[0]);
    expect_verified(c, data, context);
}

TEST(LsSvc, IsTheRidgeOfItsSigns) {
    Context context;
    const Dataset data = to_classes(generate({.name = "moons", .rows = 40, .seed = 1}, context));
    TrainOptions options = machine("ls-svc", "rbf(gamma=1)");
    options.objective.cost = 4.0;
    const TrainResult result = train(data, options, context);
    Dataset signs = data;
    signs.label_names.clear();
    for (double& target : signs.targets) {
        target = target == 1.0 ? 1.0 : -1.0;
    }
    const Model ridge = train(signs, toys::krr_options("rbf(gamma=1)", 0.25), context).model;
    const std::vector<double> f = decision_function(result.model, data, context);
    const std::vector<double> g = decision_function(ridge, data, context);
    double apart = 0.0;
    for (std::size_t i = 0; i < f.size(); ++i) {
        apart = std::max(apart, std::abs(f[i] - g[i]));
    }
    expect_fact("RR6", "half squares at C = 4 and K + I/4 apart", apart);
    EXPECT_EQ(result.model.status, "converged");
    expect_verified(result.model, data, context);
}

TEST(LeastSquares, DependentColumnsGetTheLeastNorm) {
    Context context;
    const Dataset data = toys::make_rows({{1, 1}, {2, 2}}, {1, 3});
    TrainOptions options = machine("least-squares", "linear");
    options.objective.intercept = false;
    for (const char* solver : {"auto", "svd", "normal-equations", "gradient-descent"}) {
        options.run.solver = solver;
        const TrainResult result = train(data, options, context);
        EXPECT_EQ(result.model.status, "converged") << solver;
        const std::vector<double> f = decision_function(result.model, data, context);
        EXPECT_NEAR(f[0], 1.4, 1e-9);
        EXPECT_NEAR(f[1], 2.8, 1e-9);
        EXPECT_NEAR(result.weights[0], 0.7, 1e-9);
        EXPECT_FALSE(result.model.certificates[0].exact);  // the equations have no solution
        expect_verified(result.model, data, context);
    }
}

TEST(LeastSquares, AnInterceptIsTheColumnOfOnes) {
    // y = 2 + 3 x exactly.
    Context context;
    const Dataset data = toys::make_rows({{0}, {1}, {4}}, {2, 5, 14});
    const TrainResult result = train(data, machine("least-squares", "linear"), context);
    EXPECT_NEAR(result.weights[0], 3.0, 1e-12);
    EXPECT_NEAR(result.model.intercepts[0], 2.0, 1e-12);
    EXPECT_TRUE(result.model.certificates[0].exact);
    EXPECT_EQ(result.rank, 1);
    expect_verified(result.model, data, context);
}

TEST(Ridge, ColumnsAndRowsGiveTheSameMachine) {
    Context context;
    TrainOptions options = machine("ridge", "linear");
    options.objective.alpha = 1.0;
    options.objective.intercept = false;
    for (const char* solver : {"auto", "primal", "dual"}) {
        options.run.solver = solver;
        const TrainResult result = train(toys::ridge_pair(), options, context);
        const std::vector<double> f = decision_function(result.model, toys::ridge_pair(), context);
        EXPECT_NEAR(f[0], 0.625, 1e-14);
        EXPECT_NEAR(f[1], 0.125, 1e-14);
        EXPECT_NEAR(result.model.certificates[0].primal, 0.1875, 1e-14);
        EXPECT_NEAR(result.weights[1], 0.25, 1e-14);
        expect_verified(result.model, toys::ridge_pair(), context);
    }
    const Dataset tall = generate({.name = "friedman1", .rows = 50, .seed = 1}, context);
    options.objective.intercept = true;
    options.run.solver = "auto";
    const TrainResult a = train(tall, options, context);
    EXPECT_EQ(a.model.solver, "primal");
    const Model b = train(tall, toys::krr_options("linear", 1.0), context).model;
    EXPECT_NEAR(a.model.certificates[0].primal, b.certificates[0].primal, 1e-9);
    EXPECT_NEAR(a.model.intercepts[0], b.intercepts[0], 1e-9);
    expect_verified(a.model, tall, context);
}

TEST(Polynomial, AParabolaIsRecovered) {
    Context context;
    std::vector<std::vector<double>> rows;
    std::vector<double> targets;
    for (const double x : {-2.0, -1.0, 0.5, 1.0, 2.0}) {
        rows.push_back({x});
        targets.push_back(2.0 - x + 3.0 * x * x);
    }
    const Dataset data = toys::make_rows(rows, targets);
    const TrainResult result = train(data, machine("polynomial", "linear"), context);
    ASSERT_EQ(result.weights.size(), 3U);
    std::map<std::string, double> found;
    for (std::size_t k = 0; k < 3; ++k) {
        found[result.weight_names[k]] = result.weights[k];
    }
    expect_fact("D07", "2 - x + 3 x^2 at 5 points",
                std::vector<double>{found.at("1"), found.at("x0"), found.at("x0^2")});
    const Dataset far = toys::make_rows({{0.25}, {3.0}}, {0, 0});
    const std::vector<double> f = decision_function(result.model, far, context);
    EXPECT_NEAR(f[0], 1.9375, 1e-10);
    EXPECT_NEAR(f[1], 26.0, 1e-10);
    expect_verified(result.model, data, context);
}

TEST(Polynomial, NinthDegreeMeetsTenPointsAndCountsAreRefusedBeforeMemory) {
    Context context;
    std::vector<std::vector<double>> rows;
    std::vector<double> targets;
    Random random(3);
    for (int i = 0; i < 10; ++i) {
        const double x = -3.0 + 6.0 * i / 9.0;
        rows.push_back({x});
        targets.push_back(x * x + random.normal());
    }
    TrainOptions options = machine("polynomial", "linear");
    options.objective.degree = 9;
    const Dataset data = toys::make_rows(rows, targets);
    const TrainResult result = train(data, options, context);
    EXPECT_EQ(result.weights.size(), 10U);
    const std::vector<double> f = decision_function(result.model, data, context);
    for (std::size_t i = 0; i < f.size(); ++i) {
        EXPECT_NEAR(f[i], targets[i], 1e-8 * 10.0);
    }
    options.objective.degree = 3;
    const Dataset six = generate({.name = "friedman1", .rows = 200, .seed = 1}, context);
    EXPECT_EQ(train(six, options, context).weights.size(), 286U);  // C(13, 3) with ten columns
    options.objective.degree = 12;                                 // C(22, 12) = 646,646
    EXPECT_THROW((void)train(six, options, context), ResourceError);
}

TEST(Logistic, ColumnsAndKernelGiveTheSameMachine) {
    Context context;
    const Dataset data =
        to_classes(generate({.name = "moons", .rows = 60, .noise = 0.3, .seed = 2}, context));
    TrainOptions options = machine("logistic", "linear");
    options.objective.cost = 2.0;
    options.run.gap_tolerance = 1e-11;
    const TrainResult columns = train(data, options, context);
    EXPECT_EQ(columns.model.solver, "newton");
    options.run.solver = "lbfgs";
    const TrainResult kernel = train(data, options, context);
    EXPECT_NEAR(columns.model.certificates[0].primal, kernel.model.certificates[0].primal, 1e-8);
    EXPECT_NEAR(columns.model.intercepts[0], kernel.model.intercepts[0], 1e-4);
    EXPECT_EQ(columns.model.status, "converged");
    expect_verified(columns.model, data, context);
}

TEST(Smooth, RefusalsNameWhatIsWrong) {
    Context context;
    const auto refusal = [&](const Dataset& data, const TrainOptions& options) -> std::string {
        try {
            static_cast<void>(train(data, options, context));
        } catch (const InvalidArgument& fault) {
            return fault.what();
        }
        return "accepted";
    };
    EXPECT_THAT(refusal(toys::ridge_pair(), machine("klr", "linear")), HasSubstr("two classes"));
    EXPECT_THAT(refusal(toys::pair(), machine("ridge", "linear")), HasSubstr("needs numbers"));
    EXPECT_THAT(refusal(toys::ridge_pair(), machine("ridge", "rbf(gamma=1)")),
                HasSubstr("ridge is linear and takes none"));
    TrainOptions options = machine("least-squares", "linear");
    options.objective.alpha = 1.0;
    EXPECT_THAT(refusal(toys::ridge_pair(), options),
                HasSubstr("alpha: least-squares does not take it; these do: krr, ridge"));
    options = machine("klr", "linear");
    options.objective.alpha = 1.0;
    EXPECT_THAT(refusal(toys::pair(), options), HasSubstr("alpha: klr does not take it"));
    options = machine("klr", "linear");
    options.run.solver = "cholesky";
    EXPECT_THAT(refusal(toys::pair(), options), HasSubstr("newton"));
    options = machine("polynomial", "linear");
    options.objective.degree = 0;
    EXPECT_THAT(refusal(toys::ridge_pair(), options), HasSubstr("degree: got 0"));
}

TEST(Klr, WithALinearKernelItHasTheCoefficientsThatGlmnetPrints) {
    // The values in scikit-learn's own test: glmnet, alpha = 0, lambda = 1, nine rows, so that C =
    // 1 / (n lambda) = 1/9.
    Context context;
    std::vector<std::vector<double>> rows;
    const std::vector<double> second{0, 0, 1, 0, 1, 1, 1, 0, 0};
    for (std::size_t i = 0; i < 9; ++i) {
        rows.push_back({static_cast<double>(i) - 4.0, second[i]});
    }
    const Dataset data = toys::make_classes(rows, {0, 0, 0, 1, 1, 1, 1, 1, 1});
    const Dataset probes = toys::make_classes({{0, 0}, {1, 0}, {0, 1}}, {0, 1, 1});
    for (const char* name : {"klr", "logistic"}) {
        for (const char* solver : {"newton", "lbfgs"}) {
            TrainOptions options = machine(name, "linear");
            options.objective.cost = 1.0 / 9.0;
            options.run.gap_tolerance = 1e-13;
            options.run.solver = solver;
            const std::vector<double> f =
                decision_function(train(data, options, context).model, probes, context);
            EXPECT_NEAR(f[0], 0.89230405539, 2e-6) << name << " " << solver;
            EXPECT_NEAR(f[1] - f[0], 0.44464569182, 2e-6) << name << " " << solver;
            EXPECT_NEAR(f[2] - f[0], 0.01457563448, 2e-6) << name << " " << solver;
        }
    }
}

TEST(Polynomial, HasTheRiskOfALinearMachineOnTheMonomials) {
    Context context;
    const Dataset data = generate({.name = "friedman1", .rows = 120, .seed = 4}, context);
    TrainOptions options = machine("polynomial", "linear");
    options.objective.degree = 2;
    const Model direct = train(data, options, context).model;
    std::vector<std::vector<double>> monomials;
    std::vector<double> x(static_cast<std::size_t>(data.columns()));
    for (index_t i = 0; i < data.rows(); ++i) {
        data.copy_row(i, x);
        std::vector<double> row;
        for (std::size_t j = 0; j < x.size(); ++j) {
            row.push_back(x[j]);
            for (std::size_t k = 0; k <= j; ++k) {
                row.push_back(x[j] * x[k]);
            }
        }
        monomials.push_back(row);
    }
    const Dataset mapped = toys::make_rows(monomials, data.targets);
    const Model linear = train(mapped, machine("least-squares", "linear"), context).model;
    const std::vector<double> f = decision_function(direct, data, context);
    const std::vector<double> g = decision_function(linear, mapped, context);
    double risk = 0.0;
    double reduced = 0.0;
    for (std::size_t i = 0; i < f.size(); ++i) {
        risk += (f[i] - data.targets[i]) * (f[i] - data.targets[i]);
        reduced += (g[i] - data.targets[i]) * (g[i] - data.targets[i]);
        EXPECT_NEAR(f[i], g[i], 1e-8);
    }
    expect_fact("D07", "empirical risk and that of the monomials apart, relative",
                std::abs(risk - reduced) / risk);
}

}  // namespace
}  // namespace mercer
