// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/fit/plan_test.cpp - the bytes of the plan are those of the listed blocks.
#include "mercer/fit/plan.hpp"

#include <gtest/gtest.h>

#include "mercer/base/error.hpp"
#include "mercer/data/generate.hpp"
#include "mercer/fit/machines.hpp"
#include "unit/fit/toys.hpp"

namespace mercer {
namespace {

TEST(Plan, RidgeNeedsTheSquareOfItsRows) {
    ContextOptions small;
    small.memory = index_t{1} << 23;
    Context context(small);
    const Dataset data = generate({.name = "sinc", .rows = 500, .seed = 1}, context);
    const TrainPlan plan = plan_training(data, toys::krr_options("rbf(gamma=1)", 1.0), context);
    EXPECT_EQ(plan.matrix_bytes, 500 * 500 * 8);
    EXPECT_TRUE(plan.fits);
    EXPECT_EQ(plan.solver, "cholesky");
    EXPECT_GT(plan.values_per_second, 0.0);
    EXPECT_LE(plan.seconds_least, plan.seconds_most);
    const Dataset large = generate({.name = "sinc", .rows = 2000, .seed = 1}, context);
    TrainOptions options = toys::krr_options("rbf(gamma=1)", 1.0);
    options.run.solver = SolverId::cholesky;
    EXPECT_FALSE(plan_training(large, options, context).fits);
}

TEST(Plan, RidgeGoesByProductsWhenTheSquareOfItsRowsDoesNotFit) {
    ContextOptions small;
    small.memory = index_t{1} << 23;
    Context context(small);
    const Dataset large = generate({.name = "sinc", .rows = 2000, .seed = 1}, context);
    TrainOptions options = toys::krr_options("rbf(gamma=1)", 1.0);
    const TrainPlan plan = plan_training(large, options, context);
    EXPECT_EQ(plan.solver, "conjugate-gradient");
    EXPECT_TRUE(plan.fits);
    options.outputs.leave_one_out = true;  // only the factorisation gives these
    EXPECT_FALSE(plan_training(large, options, context).fits);
    options.outputs.leave_one_out = false;
    options.objective.alpha = 0.0;
    EXPECT_FALSE(plan_training(large, options, context).fits);
}

TEST(Plan, SolversByProductsNeedNoSquareOfTheRows) {
    ContextOptions small;
    small.memory = index_t{1} << 23;
    Context context(small);
    const Dataset numbers = generate({.name = "sinc", .rows = 2000, .seed = 1}, context);
    TrainOptions options = toys::krr_options("rbf(gamma=1)", 1.0);
    for (const char* solver : {"conjugate-gradient", "gradient-descent"}) {
        options.run.solver = solver;
        const TrainPlan plan = plan_training(numbers, options, context);
        EXPECT_EQ(plan.solver, solver);
        EXPECT_EQ(plan.matrix_bytes, 0);
        EXPECT_TRUE(plan.fits);
    }
    const Dataset classes = generate({.name = "moons", .rows = 2000, .seed = 1}, context);
    options.model = machine_of(MachineId::klr).name;
    options.objective.alpha.reset();
    for (const char* solver : {"lbfgs", "conjugate-gradient", "gradient-descent"}) {
        options.run.solver = solver;
        const TrainPlan plan = plan_training(classes, options, context);
        EXPECT_EQ(plan.solver, solver);
        EXPECT_EQ(plan.matrix_bytes, 0);
        EXPECT_TRUE(plan.fits);
    }
    options.run.solver = "newton";
    EXPECT_FALSE(plan_training(classes, options, context).fits);
}

TEST(Plan, ALinearKernelNeedsNoSquareOfItsRows) {
    ContextOptions small;
    small.memory = index_t{1} << 24;
    Context context(small);
    const Dataset data = generate({.name = "friedman1", .rows = 4000, .seed = 1}, context);
    const TrainPlan plan = plan_training(data, toys::krr_options("linear", 1.0), context);
    EXPECT_EQ(plan.matrix_bytes, 0);
    EXPECT_LT(plan.needed_bytes, index_t{1} << 20);  // K would take 128 MB
    EXPECT_TRUE(plan.fits);
    EXPECT_EQ(plan.solver, "cholesky");
    EXPECT_EQ(train(data, toys::krr_options("linear", 1.0), context).model.status, "converged");
    EXPECT_EQ(plan_training(data, toys::krr_options("rbf(gamma=1)", 1.0), context).solver,
              "conjugate-gradient");
}

/// The smallest budget that the plan accepts.
index_t planned_bytes(const Dataset& data, const TrainOptions& options, int threads) {
    Context roomy({.threads = threads, .memory = index_t{1} << 32});
    return plan_training(data, options, roomy).needed_bytes;
}

TEST(SlowPlan, WhatFitsRunsAndWhatDoesNotIsRefusedBeforeAnyWork) {
    Context context;
    const Dataset classes =
        generate({.name = "xor", .rows = 3000, .columns = 8, .noise = 0.2, .seed = 1}, context);
    const Dataset many = generate(
        {.name = "blobs", .rows = 1500, .columns = 4, .classes = 5, .noise = 2.0, .seed = 1},
        context);
    const Dataset numbers = generate({.name = "friedman1", .rows = 1200, .seed = 1}, context);
    for (const int threads : {1, 2}) {
        for (const auto& [model, data] :
             {std::pair{"svc", &classes}, std::pair{"svc", &many}, std::pair{"klr", &numbers},
              std::pair{"krr", &numbers}, std::pair{"svr", &numbers}, std::pair{"ls-svc", &classes},
              std::pair{"l2-svc", &classes}}) {
            TrainOptions options;
            options.model = model;
            options.kernel = parse_kernel("rbf(gamma=0.2)").value();
            options.run.gap_tolerance = 1e-2;
            Dataset rows = *data;
            if (is_classifier(model) && rows.label_names.empty()) {
                rows.label_names = {"-1", "1"};
                for (double& target : rows.targets) {
                    target = target > 14.0 ? 1.0 : 0.0;
                }
            }
            const index_t bytes = planned_bytes(rows, options, threads);
            SCOPED_TRACE(::testing::Message() << model << ' ' << threads << ' ' << bytes);
            Context enough({.threads = threads, .memory = bytes + bytes / 50});
            EXPECT_TRUE(plan_training(rows, options, enough).fits);
            EXPECT_EQ(train(rows, options, enough).model.status, "converged");
            Context little({.threads = threads, .memory = bytes - bytes / 10});
            if (plan_training(rows, options, little).fits) {
                continue;  // another solver, which stores no matrix
            }
            const Context::WorkMeter meter(little);
            EXPECT_THROW(static_cast<void>(train(rows, options, little)), ResourceError);
            EXPECT_EQ(meter.work().kernel_rows, 0);
        }
    }
}

TEST(Plan, OnlyALinearKernelIsPlannedInTheColumns) {
    Context context;
    const Dataset data = generate({.name = "moons", .rows = 200, .seed = 1}, context);
    TrainOptions options = toys::svc_options("linear", 1.0);
    options.run.solver = "interior-point";
    EXPECT_EQ(plan_training(data, options, context).matrix_bytes, 0);
    options.kernel = parse_kernel("rbf(gamma=1)").value();
    const TrainPlan plan = plan_training(data, options, context);
    EXPECT_EQ(plan.matrix_bytes, 200 * 200 * 8);
    EXPECT_GE(plan.needed_bytes, plan.matrix_bytes);
}

TEST(Plan, PerceptronNeedsEightNumbersPerRowAndOnePerColumn) {
    Context context;
    Dataset data = toys::make_classes({{1, 1, 0}, {0, 1, 1}, {2, 0, 1}, {1, 3, 1}}, {0, 1, 1, 0});
    TrainOptions options;
    options.model = "perceptron";
    for (const char* kernel : {"linear", "rbf(gamma=1)"}) {
        options.kernel = parse_kernel(kernel).value();
        EXPECT_EQ(plan_training(data, options, context).needed_bytes, (4 * 8 + 3) * 8) << kernel;
    }
}

TEST(Plan, SvcCountsOnlyRowsThatHaveWeight) {
    Context context;
    Dataset data = toys::exclusive_or();
    data.weights = {1, 0, 1, 1};
    const TrainPlan plan = plan_training(data, toys::svc_options("linear", 1.0), context);
    EXPECT_EQ(plan.rows, 3);
    EXPECT_EQ(plan.cache_bytes, 3 * 3 * 4);
    EXPECT_EQ(plan.solver, "decomposition");
}

}  // namespace
}  // namespace mercer
