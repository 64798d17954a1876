// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/search/select_test.cpp - grids, and choices confirmed by refits.
#include "mercer/search/select.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/data/generate.hpp"
#include "mercer/data/labels.hpp"
#include "mercer/data/split.hpp"
#include "unit/fit/toys.hpp"

namespace mercer {
namespace {

using testing::HasSubstr;

double measure(const SelectRow& row, const std::string& name) {
    for (const auto& [known, value] : row.measures) {
        if (known == name) {
            return value;
        }
    }
    ADD_FAILURE() << "no measure " << name;
    return kNaN;
}

TEST(Grid, ListsAndRangesAreReadWithTheirEnds) {
    const auto values = [](const char* text) { return parse_grid_axis(text).value().values; };
    EXPECT_EQ(parse_grid_axis("gamma=1,2.5,1e-3").value().name, "gamma");
    EXPECT_EQ(values("gamma=1,2.5,1e-3"), (std::vector<double>{1.0, 2.5, 1e-3}));
    const std::vector<double> decades = values("C=0.1:100:log10");
    ASSERT_EQ(decades.size(), 4U);
    EXPECT_DOUBLE_EQ(decades[0], 0.1);
    EXPECT_DOUBLE_EQ(decades[3], 100.0);
    EXPECT_EQ(values("C=1:16:log2").size(), 5U);
    EXPECT_EQ(values("d=2:5:lin"), (std::vector<double>{2, 3, 4, 5}));
    const std::vector<double> five = values("C=1:100:log10:5");
    ASSERT_EQ(five.size(), 5U);
    EXPECT_NEAR(five[1], std::pow(10.0, 0.5), 1e-14);
    EXPECT_EQ(five[4], 100.0);
}

TEST(Grid, WhatIsNoGridIsRefusedWithItsReason) {
    for (const char* text : {"C", "=1", "C=", "C=1,x", "C=1:2:log3", "C=0:1:log10", "C=2:1:lin",
                             "C=1:2:lin:0", "C=1:2:lin:1.5", "C=nan", "C=1:2"}) {
        const Result<GridAxis> axis = parse_grid_axis(text);
        ASSERT_FALSE(axis.ok()) << text;
        EXPECT_THAT(axis.diagnostic().message, HasSubstr(text));
    }
}

TEST(Grid, PathIsANameWithOrWithoutItsEnds) {
    EXPECT_EQ(parse_path_axis("C").value().name, "C");
    EXPECT_TRUE(std::isnan(parse_path_axis("C").value().from));
    const PathAxis axis = parse_path_axis("epsilon=0.5:0").value();
    EXPECT_EQ(axis.name, "epsilon");
    EXPECT_EQ(axis.from, 0.5);
    EXPECT_EQ(axis.to, 0.0);
    for (const char* text : {"", "=1:2", "C=", "C=1", "C=1:2:3", "C=1:inf", "C=a:2"}) {
        EXPECT_FALSE(parse_path_axis(text)) << text;
    }
}

TEST(Select, RidgeLeaveOneOutIsThatOfRefits) {
    Context context;
    const Dataset data = generate({.name = "friedman1", .rows = 25, .seed = 2}, context);
    for (const bool intercept : {true, false}) {
        SelectOptions options;
        options.train = toys::krr_options("rbf(gamma=0.3)", kNaN);
        options.train.objective.intercept = intercept;
        options.grid = {{"alpha", {0.01, 0.1, 1.0}}};
        options.leave_one_out = true;
        const SelectResult result = select_model(data, options, context);
        EXPECT_TRUE(result.one_decomposition);
        EXPECT_EQ(result.measure, "loo_rmse");
        double least = kInfinity;
        std::size_t best = 0;
        for (std::size_t g = 0; g < 3; ++g) {
            double squares = 0.0;
            for (index_t out = 0; out < 25; ++out) {
                Dataset without = data;
                without.weights.assign(25, 1.0);
                without.weights[static_cast<std::size_t>(out)] = 0.0;
                TrainOptions train_with = options.train;
                train_with.objective.alpha = options.grid[0].values[g];
                const Model model = train(without, train_with, context).model;
                const index_t row[] = {out};
                const double miss = decision_function(model, data.select(row), context)[0] -
                                    data.targets[static_cast<std::size_t>(out)];
                squares += miss * miss;
            }
            EXPECT_NEAR(measure(result.table[g], "loo_mse"), squares / 25.0, 1e-9);
            if (squares < least) {
                least = squares;
                best = g;
            }
        }
        EXPECT_EQ(result.best, best);
        EXPECT_EQ(result.refit->model.cost, 1.0 / (2.0 * options.grid[0].values[best]));
    }
}

TEST(Select, RidgeFoldsAreThoseOfRefits) {
    Context context;
    const Dataset data = generate({.name = "friedman1", .rows = 40, .seed = 3}, context);
    SelectOptions options;
    options.train = toys::krr_options("rbf(gamma=0.3)", kNaN);
    options.grid = {{"gamma", {0.1, 1.0}}, {"alpha", {0.1, 1.0}}};
    options.folds = 4;
    const SelectResult result = select_model(data, options, context);
    ASSERT_EQ(result.table.size(), 4U);
    EXPECT_EQ(result.table[1].values, (std::vector<double>{0.1, 1.0}));
    for (const SelectRow& row : result.table) {
        double squares = 0.0;
        for (const Split& fold : make_folds(data, {.folds = 4, .seed = 0})) {
            TrainOptions train_with = options.train;
            train_with.kernel =
                parse_kernel("rbf(gamma=" + std::to_string(row.values[0]) + ")").value();
            train_with.objective.alpha = row.values[1];
            const Model model = train(data.select(fold.train), train_with, context).model;
            const RegressionReport report = evaluate_values(model, data.select(fold.test), context);
            squares += report.rmse * report.rmse * static_cast<double>(report.rows);
        }
        EXPECT_NEAR(measure(row, "cv_mse"), squares / 40.0, 1e-8);
    }
}

TEST(Select, OrderOfTheAxesIsTheOrderOfTheTableAndNothingElse) {
    Context context;
    const Dataset data = generate({.name = "friedman1", .rows = 30, .seed = 4}, context);
    SelectOptions options;
    options.train = toys::krr_options("matern(nu=1.5, length=1)", kNaN);
    options.leave_one_out = true;
    options.grid = {{"length", {0.5, 2.0}}, {"alpha", {0.1, 1.0, 10.0}}};
    const SelectResult one = select_model(data, options, context);
    std::swap(options.grid[0], options.grid[1]);
    const SelectResult other = select_model(data, options, context);
    EXPECT_EQ(other.table[1].values, (std::vector<double>{0.1, 2.0}));
    for (std::size_t length = 0; length < 2; ++length) {
        for (std::size_t alpha = 0; alpha < 3; ++alpha) {
            EXPECT_EQ(one.table[3 * length + alpha].measures,
                      other.table[2 * alpha + length].measures);
        }
    }
    EXPECT_EQ(one.table[one.best].values[0], other.table[other.best].values[1]);
}

TEST(Select, ClassesAreJudgedByTheirFoldsAndTheBestIsRefit) {
    Context context;
    const Dataset data =
        to_classes(generate({.name = "moons", .rows = 80, .noise = 0.2, .seed = 1}, context));
    SelectOptions options;
    options.train = toys::svc_options("rbf(gamma=1)", kNaN);
    options.train.run.gap_tolerance = 1e-6;
    options.grid = {{"C", {0.001, 10.0}}};
    options.folds = 4;
    const SelectResult result = select_model(data, options, context);
    EXPECT_FALSE(result.one_decomposition);
    EXPECT_EQ(result.measure, "cv_accuracy");
    double right = 0.0;
    for (const Split& fold : make_folds(data, {.folds = 4, .seed = 0})) {
        TrainOptions train_with = options.train;
        train_with.objective.cost = 10.0;
        const Model model = train(data.select(fold.train), train_with, context).model;
        const ClassificationReport report =
            evaluate_classes(model, data.select(fold.test), context);
        right += report.accuracy * static_cast<double>(report.rows);
    }
    EXPECT_NEAR(measure(result.table[1], "cv_accuracy"), right / 80.0, 1e-12);
    EXPECT_EQ(result.best, 1U);
    EXPECT_EQ(result.refit->model.cost, 10.0);
}

TEST(Select, AValidationSetDecidesByTheMetricAskedFor) {
    Context context;
    const Dataset data = generate({.name = "sinc", .rows = 60, .noise = 0.1, .seed = 4}, context);
    SelectOptions options;
    options.train = toys::krr_options("rbf(gamma=1)", kNaN);
    options.grid = {{"alpha", {1e-3, 1.0, 1000.0}}};
    options.validation = generate({.name = "sinc", .rows = 40, .noise = 0.1, .seed = 5}, context);
    options.metric = "mae";
    const SelectResult result = select_model(data, options, context);
    EXPECT_EQ(result.measure, "validation_mae");
    for (const SelectRow& row : result.table) {
        TrainOptions train_with = options.train;
        train_with.objective.alpha = row.values[0];
        const Model model = train(data, train_with, context).model;
        EXPECT_NEAR(measure(row, "validation_mae"),
                    evaluate_values(model, *options.validation, context).mae, 1e-12);
        EXPECT_GE(measure(row, "validation_mae"),
                  measure(result.table[result.best], "validation_mae"));
    }
}

TEST(Select, NamesGoToTheMachineOrToTheKernel) {
    Context context;
    const Dataset data = generate({.name = "sinc", .rows = 40, .noise = 0.05, .seed = 4}, context);
    SelectOptions options;
    options.train = toys::krr_options("matern(nu=1.5, length=1)", kNaN);
    options.folds = 2;
    options.grid = {{"nu", {0.5, 2.5}}, {"length", {3.0}}};
    const SelectResult kernel = select_model(data, options, context);
    const double nu = kernel.table[kernel.best].values[0];
    EXPECT_EQ(kernel.refit->model.kernel, matern_kernel(nu, 3.0));
    options.train = toys::krr_options("rbf(gamma=1)", kNaN);
    options.train.model = "svr";
    options.train.objective.cost = 10.0;
    options.grid = {{"epsilon", {0.01, 2.0}}};
    const SelectResult tube = select_model(data, options, context);
    EXPECT_EQ(tube.best, 0U);  // a tube wider than the targets fits a constant
    EXPECT_EQ(tube.refit->model.epsilon, 0.01);
}

TEST(Select, RefusalsNameWhatIsWrong) {
    Context context;
    const Dataset data = toys::ridge_pair();
    SelectOptions options;
    options.train = toys::krr_options("rbf(gamma=1)", kNaN);
    const auto refusal = [&]() -> std::string {
        try {
            (void)select_model(data, options, context);
        } catch (const InvalidArgument& fault) {
            return fault.what();
        }
        return "accepted";
    };
    options.folds = 2;
    options.grid = {{"length", {1.0}}};
    EXPECT_THAT(refusal(), HasSubstr("length: rbf(gamma=1) has no such parameter; it has gamma"));
    options.grid = {{"alpha", {1.0}}, {"alpha", {2.0}}};
    EXPECT_THAT(refusal(), HasSubstr("alpha is given twice"));
    options.grid = {{"alpha", {}}};
    EXPECT_THAT(refusal(), HasSubstr("alpha has no values"));
    options.grid = {{"alpha", {1.0}}};
    options.metric = "accuracy";
    EXPECT_THAT(refusal(), HasSubstr("metric: got 'accuracy'"));
    options.metric = "";
    options.folds = 3;
    EXPECT_THAT(refusal(), HasSubstr("folds"));
    options.grid = {{"alpha", {0.0}}};
    options.leave_one_out = true;
    EXPECT_THAT(refusal(), HasSubstr("alpha: got 0"));
}

TEST(Select, JudgesARankingByWholeQueries) {
    Random random(43, 0);
    std::vector<std::vector<double>> rows;
    std::vector<double> grades;
    for (index_t i = 0; i < 60; ++i) {
        rows.push_back({random.normal(), random.normal()});
        grades.push_back(std::round(rows.back()[0] + rows.back()[1] + 0.5 * random.normal()));
    }
    Dataset data = toys::make_rows(rows, grades);
    for (index_t i = 0; i < 60; ++i) {
        data.queries.push_back(i / 10);
    }
    SelectOptions options;
    options.train.model = "rank";
    options.train.kernel = linear_kernel();
    options.grid = {{"C", {0.01, 1.0}}};
    options.folds = 3;
    Context context;
    const SelectResult result = select_model(data, options, context);
    ASSERT_EQ(result.table.size(), 2U);
    EXPECT_EQ(result.table.front().measures.front().first, "cv_pair_accuracy");
    EXPECT_GT(result.table.front().measures.front().second, 0.5);
    options.folds = 7;
    EXPECT_THROW((void)select_model(data, options, context), InvalidArgument);
}

/// Rows of two overlapping classes, one three times as large as the other.
Dataset uneven_moons(Context& context) {
    const Dataset data =
        to_classes(generate({.name = "moons", .rows = 120, .noise = 0.4, .seed = 2}, context));
    std::vector<index_t> rows;
    for (index_t i = 0; i < data.rows(); ++i) {
        if (data.targets[static_cast<std::size_t>(i)] == 0.0 || i % 3 == 0) {
            rows.push_back(i);
        }
    }
    return data.select(rows);
}

/// Accuracy over the folds, by machines trained one by one.
double accuracy_by_hand(const Dataset& data, const TrainOptions& options, Context& context) {
    double right = 0.0;
    for (const Split& fold : make_folds(data, {.folds = 5, .seed = 0})) {
        const Model model = train(data.select(fold.train), options, context).model;
        const ClassificationReport report =
            evaluate_classes(model, data.select(fold.test), context);
        right += report.accuracy * static_cast<double>(report.rows);
    }
    return right / static_cast<double>(data.rows());
}

TEST(Select, ClassWeightsAreThoseOfTheMachinesInEveryFoldAndInTheEnd) {
    Context context;
    const Dataset data = uneven_moons(context);
    const std::string rare = data.label_names[1];
    for (const char* model : {"svc", "l2-svc", "klr", "ls-svc", "logistic"}) {
        SelectOptions options;
        options.train.model = model;
        options.train.kernel = is_linear_machine(model) ? linear_kernel() : rbf_kernel(1.0);
        options.train.objective.class_weights = {{rare, 4.0}};
        options.grid = {{"C", {0.1, 1.0}}};
        const SelectResult result = select_model(data, options, context);
        for (const SelectRow& row : result.table) {
            TrainOptions one = options.train;
            one.objective.cost = row.values[0];
            EXPECT_NEAR(measure(row, "cv_accuracy"), accuracy_by_hand(data, one, context), 1e-12)
                << model;
        }
        EXPECT_EQ(result.refit->model.class_weights, options.train.objective.class_weights)
            << model;
        options.train.objective.class_weights.clear();
        EXPECT_NE(select_model(data, options, context).table[0].measures, result.table[0].measures)
            << model;
    }
}

TEST(Select, ClassWeightsHoldAlongAPath) {
    Context context;
    const Dataset data = uneven_moons(context);
    SelectOptions options;
    options.train = toys::svc_options("rbf(gamma=1)", kNaN);
    options.train.objective.class_weights = {{data.label_names[1], 4.0}};
    options.path = PathAxis{"C", 0.1, 10.0};
    const SelectResult result = select_model(data, options, context);
    const SelectRow& row = result.table.front();
    TrainOptions best = options.train;
    best.objective.cost = row.values[0];
    EXPECT_NEAR(measure(row, "cv_accuracy"), accuracy_by_hand(data, best, context), 1e-12);
    EXPECT_EQ(result.refit->model.class_weights, options.train.objective.class_weights);
}

TEST(Select, ClassWeightsThatMeanNothingAreRefusedBeforeAnyWork) {
    Context context;
    const auto refusal = [&](const Dataset& data, const SelectOptions& options) -> std::string {
        try {
            static_cast<void>(select_model(data, options, context));
        } catch (const InvalidArgument& fault) {
            return fault.what();
        }
        return "";
    };
    const Dataset numbers = generate({.name = "sinc", .rows = 20, .seed = 1}, context);
    SelectOptions options;
    options.train.objective.class_weights = {{"1", 2.0}};
    options.train.model = "krr";
    options.grid = {{"alpha", {0.1, 1.0}}};
    EXPECT_EQ(refusal(numbers, options), "weight: krr has no classes; give row weights");
    options.train.model = "svr";
    options.grid.clear();
    options.path = PathAxis{"C"};
    EXPECT_EQ(refusal(numbers, options), "weight: svr has no classes; give row weights");
    const Dataset data = uneven_moons(context);
    options.path.reset();
    options.grid = {{"gamma", {1.0, 2.0}}};
    options.train.kernel = rbf_kernel(1.0);
    options.train.model = "perceptron";
    EXPECT_THAT(refusal(data, options), testing::StartsWith("weight: a perceptron"));
    options.train.model = "svc";
    options.train.objective.class_weights = {{"other", 2.0}};
    EXPECT_THAT(refusal(data, options), testing::StartsWith("weight: there is no class other"));
}

TEST(Select, WarmStartsChangeNothingBeyondTheTolerance) {
    Context context;
    const Dataset data = generate({.name = "sinc", .rows = 120, .noise = 0.1, .seed = 1}, context);
    SelectOptions options;
    options.train.model = "svr";
    options.train.kernel = rbf_kernel(1.0);
    options.train.run.gap_tolerance = 1e-9;
    options.grid = {{"C", {0.1, 1.0, 10.0}}, {"gamma", {0.5, 1.0}}};
    options.warm_start = false;
    const SelectResult cold = select_model(data, options, context);
    options.warm_start = true;
    const SelectResult warm = select_model(data, options, context);
    EXPECT_NE(warm.table[4].measures, cold.table[4].measures);
    for (std::size_t k = 0; k < cold.table.size(); ++k) {
        EXPECT_NEAR(measure(warm.table[k], "cv_rmse"), measure(cold.table[k], "cv_rmse"), 1e-5);
    }
    EXPECT_EQ(warm.best, cold.best);
    EXPECT_EQ(warm.refit->model.coefficients, cold.refit->model.coefficients);
    Context two(ContextOptions{.threads = 2});
    Context one(ContextOptions{.threads = 1});
    EXPECT_EQ(select_model(data, options, two).table[4].measures,
              select_model(data, options, one).table[4].measures);
    options.train.model = "krr";  // it has no warm start, and needs none
    options.grid = {{"gamma", {0.5, 1.0}}};
    options.train.run.gap_tolerance.reset();
    EXPECT_NO_THROW(static_cast<void>(select_model(data, options, context)));
}

}  // namespace
}  // namespace mercer
