// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/fit/start_test.cpp - warm starts from the coefficients of an earlier model.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <utility>

#include "mercer/base/error.hpp"
#include "mercer/base/random.hpp"
#include "unit/fit/toys.hpp"

namespace mercer {
namespace {

using testing::HasSubstr;

/// Rows around a wave; the classes are above and below it, or the target is its noisy height.
Dataset wave(index_t rows, index_t classes) {
    Random random(21);
    std::vector<std::vector<double>> points;
    std::vector<double> targets;
    for (index_t i = 0; i < rows; ++i) {
        const double x = random.uniform(-3.0, 3.0);
        const double y = random.uniform(-2.0, 2.0);
        const double height = std::sin(2.0 * x) + 0.4 * random.normal();
        points.push_back({x, y});
        targets.push_back(classes == 0 ? height
                          : classes == 2
                              ? (y > height ? 1.0 : 0.0)
                              : std::floor(std::min(2.99, std::max(0.0, y - height + 1.5))));
    }
    Dataset data = toys::make_rows(points, targets);
    for (index_t c = 0; c < classes; ++c) {
        data.label_names.push_back("class " + std::to_string(c));
    }
    return data;
}

Dataset first(const Dataset& data, index_t count) {
    std::vector<index_t> rows(static_cast<std::size_t>(count));
    std::iota(rows.begin(), rows.end(), index_t{0});
    return data.select(rows);
}

TrainOptions machine(const std::string& model, double cost) {
    TrainOptions options;
    options.model = model;
    options.kernel = parse_kernel("rbf(gamma=1)").value();
    options.objective.cost = given(cost);
    options.run.gap_tolerance = 1e-6;
    return options;
}

/// Trains from zero and from `start`: the same objective to the tolerance, in fewer iterations.
void expect_head_start(const Dataset& data, TrainOptions options, const Model& start) {
    Context context({.threads = 1});
    const TrainResult cold = train(data, options, context);
    options.run.start = &start;
    const TrainResult warm = train(data, options, context);
    EXPECT_EQ(warm.model.status, "converged");
    const Certificate a = total_certificate(cold.model.certificates);
    const Certificate b = total_certificate(warm.model.certificates);
    EXPECT_LE(relative_gap(b), 1e-6);
    // Each primal is above the optimum, and above it by no more than its gap.
    EXPECT_LE(std::abs(a.primal - b.primal), std::max(a.gap, b.gap));
    EXPECT_LT(warm.model.iterations, cold.model.iterations);
}

TEST(start, of_a_greater_and_a_smaller_cost) {
    const Dataset data = wave(1000, 2);
    Context context;
    const Model start = train(data, machine("svc", 10.0), context).model;
    expect_head_start(data, machine("svc", 20.0), start);
    expect_head_start(data, machine("svc", 5.0), start);
    expect_head_start(data, machine("svc", 10.0), start);
}

TEST(start, of_fewer_rows) {
    const Dataset data = wave(1000, 2);
    Context context;
    const Model start = train(first(data, 950), machine("svc", 10.0), context).model;
    expect_head_start(data, machine("svc", 10.0), start);
}

TEST(start, of_another_tube) {
    const Dataset data = wave(800, 0);
    Context context;
    TrainOptions options = machine("svr", 10.0);
    options.objective.epsilon = 0.1;
    const Model start = train(data, options, context).model;
    options.objective.epsilon = 0.15;
    expect_head_start(data, options, start);
}

/// A machine with a free width, determined by nu.
TrainOptions share_machine(const std::string& model, double nu) {
    TrainOptions options = machine(model, model == "nu-svr" ? 10.0 : kNaN);
    options.objective.nu = nu;
    return options;
}

TEST(start, of_another_share_carries_the_new_mass) {
    Context context;
    for (const std::string model : {"nu-svc", "one-class", "nu-svr"}) {
        const Dataset data = wave(600, model == "nu-svc" ? 2 : 0);
        const Model start = train(data, share_machine(model, 0.3), context).model;
        for (const double nu : {0.3, 0.25, 0.35, 0.2, 0.6}) {
            SCOPED_TRACE(model + " from 0.3 to " + std::to_string(nu));
            TrainOptions options = share_machine(model, nu);
            const TrainResult cold = train(data, options, context);
            options.run.start = &start;
            const TrainResult warm = train(data, options, context);
            EXPECT_EQ(warm.model.status, "converged");
            const Certificate& a = cold.model.certificates[0];
            const Certificate& b = warm.model.certificates[0];
            EXPECT_LE(std::abs(a.primal - b.primal), std::max(a.gap, b.gap));
            EXPECT_NEAR(warm.outputs[0].absolute_sum, cold.outputs[0].absolute_sum,
                        1e-9 * cold.outputs[0].absolute_sum);
            if (nu == 0.3) {
                EXPECT_LT(warm.model.iterations, cold.model.iterations / 2);
            }
        }
    }
}

TEST(start, of_a_free_tube_at_another_cost) {
    const Dataset data = wave(600, 0);
    Context context;
    const Model start = train(data, share_machine("nu-svr", 0.3), context).model;
    for (const double cost : {2.0, 9.0, 11.0, 100.0}) {
        TrainOptions options = share_machine("nu-svr", 0.3);
        options.objective.cost = cost;
        const TrainResult cold = train(data, options, context);
        options.run.start = &start;
        const TrainResult warm = train(data, options, context);
        EXPECT_EQ(warm.model.status, "converged") << cost;
        const Certificate& a = cold.model.certificates[0];
        const Certificate& b = warm.model.certificates[0];
        EXPECT_LE(std::abs(a.primal - b.primal), std::max(a.gap, b.gap)) << cost;
    }
}

TEST(start, of_fewer_rows_with_a_free_width) {
    Context context;
    for (const std::string model : {"nu-svc", "one-class", "nu-svr"}) {
        SCOPED_TRACE(model);
        const Dataset data = wave(600, model == "nu-svc" ? 2 : 0);
        const Model start = train(first(data, 570), share_machine(model, 0.3), context).model;
        expect_head_start(data, share_machine(model, 0.3), start);
    }
}

TEST(start, of_a_closed_tube_opens_it) {
    // The start has less mass than the new machine needs, and no row on one of the edges.
    const Dataset data = wave(300, 0);
    Context context;
    const Model start = train(data, share_machine("nu-svr", 1.0), context).model;
    TrainOptions options = share_machine("nu-svr", 0.4);
    options.run.start = &start;
    const TrainResult result = train(data, options, context);
    EXPECT_EQ(result.model.status, "converged");
    EXPECT_GT(result.tube, 0.0);
}

TEST(start, of_many_classes_finds_each_pair_and_each_class) {
    const Dataset data = wave(1200, 3);
    Context context;
    for (const char* way : {"ovo", "ovr"}) {
        TrainOptions options = machine("svc", 5.0);
        options.outputs.multiclass = way;
        const Model start = train(data, options, context).model;
        options.objective.cost = 7.0;
        expect_head_start(data, options, start);
    }
}

TEST(start, follows_the_names_of_the_classes_not_their_order) {
    const Dataset data = wave(1000, 2);
    Context context;
    const Model start = train(data, machine("svc", 10.0), context).model;
    Dataset turned = data;
    std::swap(turned.label_names[0], turned.label_names[1]);
    for (double& target : turned.targets) {
        target = 1.0 - target;
    }
    expect_head_start(turned, machine("svc", 20.0), start);
}

/// Logistic machines: two classes with a kernel, in the columns, and three classes jointly.
std::vector<std::pair<Dataset, TrainOptions>> logistic_machines() {
    TrainOptions linear = machine("logistic", 2.0);
    linear.kernel = parse_kernel("linear").value();
    return {{wave(200, 2), machine("klr", 2.0)},
            {wave(200, 2), linear},
            {wave(150, 3), machine("klr", 2.0)}};
}

TEST(start, of_logistic_machines_saves_steps) {
    for (auto& [data, options] : logistic_machines()) {
        for (const char* solver : {"auto", "newton", "lbfgs"}) {
            SCOPED_TRACE(options.model + " by " + solver);
            options.run.solver = SolverChoice(std::string(solver));
            Context context;
            const Model start = train(data, options, context).model;
            TrainOptions more = options;
            more.objective.cost = 2.2;
            expect_head_start(data, more, start);
        }
    }
}

TEST(start, alone_is_zero_or_the_model_certified_without_a_step) {
    for (auto& [data, options] : logistic_machines()) {
        SCOPED_TRACE(options.model);
        Context context;
        const Model start = train(data, options, context).model;
        options.run.start_only = true;
        const Model zero = train(data, options, context).model;
        EXPECT_EQ(zero.status, "iteration-limit");
        EXPECT_EQ(zero.iterations, 0);
        EXPECT_TRUE(zero.coefficients.empty());
        for (const double b : zero.intercepts) {
            EXPECT_EQ(b, 0.0);
        }
        // f = 0 costs C log(classes) for each row, and its dual value is 0.
        const double loss = 2.0 * static_cast<double>(data.rows()) *
                            std::log(static_cast<double>(data.label_names.size()));
        EXPECT_NEAR(zero.certificates[0].primal, loss, 1e-9);
        EXPECT_NEAR(zero.certificates[0].gap, loss, 1e-9);
        EXPECT_TRUE(toys::failures(zero, data).empty());
        options.run.start = &start;
        const Model same = train(data, options, context).model;
        EXPECT_EQ(same.status, "converged");
        EXPECT_EQ(same.iterations, 0);
        EXPECT_NEAR(same.certificates[0].primal, start.certificates[0].primal,
                    start.certificates[0].gap + same.certificates[0].gap + 1e-9);
        EXPECT_TRUE(toys::failures(same, data).empty());
    }
    TrainOptions options = machine("svc", 1.0);
    options.run.start_only = true;
    Context context;
    EXPECT_THROW(static_cast<void>(train(wave(50, 2), options, context)), InvalidArgument);
}

TEST(start, refuses_other_rows_naming_the_first) {
    const Dataset data = wave(200, 2);
    Context context;
    const Model start = train(data, machine("svc", 10.0), context).model;
    TrainOptions options = machine("svc", 20.0);
    options.run.start = &start;
    std::vector<index_t> rows(200);
    std::iota(rows.begin(), rows.end(), index_t{0});
    const auto moved = static_cast<std::size_t>(start.support_rows[3]);
    std::swap(rows[moved], rows[moved == 0 ? 1 : moved - 1]);
    try {
        static_cast<void>(train(data.select(rows), options, context));
        FAIL() << "rows in another order were taken";
    } catch (const DataError& error) {
        EXPECT_THAT(error.what(), HasSubstr("start: row "));
    }
    EXPECT_THROW(static_cast<void>(train(first(data, 50), options, context)), DataError);
}

TEST(start, refuses_machines_that_cannot_use_it) {
    const Dataset data = wave(100, 2);
    Context context;
    const Model start = train(data, machine("svc", 10.0), context).model;
    TrainOptions options = machine("ls-svc", 1.0);
    options.run.start = &start;
    try {
        static_cast<void>(train(data, options, context));
        FAIL() << "ls-svc took a start";
    } catch (const InvalidArgument& error) {
        EXPECT_THAT(error.what(), HasSubstr("start: ls-svc does not take it; these do: svc"));
    }
    options.model = "l2-svc";
    EXPECT_THROW(static_cast<void>(train(data, options, context)), InvalidArgument);
}

}  // namespace
}  // namespace mercer
