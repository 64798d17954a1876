// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/fit/sparse_test.cpp - machines with a penalty on the coefficients, from data to proof.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/data/generate.hpp"
#include "mercer/fit/plan.hpp"
#include "mercer/fit/variance.hpp"
#include "mercer/formats/model_file.hpp"
#include "mercer/models/predict.hpp"
#include "mercer/runtime/memory_files.hpp"
#include "mercer/search/compare.hpp"
#include "mercer/search/l1_path.hpp"
#include "mercer/search/select.hpp"
#include "support/facts.hpp"
#include "toys.hpp"

namespace mercer {
namespace {

using ::testing::HasSubstr;

TrainOptions sparse(const std::string& model, const std::string& penalty, double l1) {
    TrainOptions options;
    options.model = model;
    options.kernel = linear_kernel();
    options.objective.penalty = penalty;
    options.objective.l1 = given(l1);
    options.run.gap_tolerance = 1e-12;
    return options;
}

/// A band of three classes, or two, with noise.
Dataset points(index_t rows, index_t classes, std::uint64_t seed) {
    Random random(seed);
    std::vector<std::vector<double>> values;
    std::vector<double> targets;
    for (index_t i = 0; i < rows; ++i) {
        const index_t own = i % classes;
        values.push_back({static_cast<double>(own) + 0.6 * random.normal(), random.normal()});
        targets.push_back(static_cast<double>(own));
    }
    Dataset data = toys::make_rows(values, targets);
    for (index_t c = 0; c < classes; ++c) {
        data.label_names.push_back("class " + std::to_string(c));
    }
    return data;
}

Dataset waves(index_t rows, std::uint64_t seed) {
    Random random(seed);
    std::vector<std::vector<double>> values;
    std::vector<double> targets;
    for (index_t i = 0; i < rows; ++i) {
        const double x = random.uniform(-3.0, 3.0);
        values.push_back({x});
        targets.push_back(std::sin(2.0 * x) + 0.1 * random.normal());
    }
    return toys::make_rows(values, targets);
}

template <typename Action>
std::string refusal(const Action& action) {
    try {
        action();
    } catch (const InvalidArgument& fault) {
        return fault.what();
    }
    return "taken";
}

double slope(const Model& model) {
    double w = 0.0;
    for (std::size_t j = 0; j < model.support_rows.size(); ++j) {
        w += model.coefficients[j] * (model.support_rows[j] == 0 ? -1.0 : 1.0);
    }
    return w;
}

TEST(sparse, pair_has_the_slope_of_the_first_formulation) {
    // s = max(0, 1 - 1/(2C)); C = 1: s = 1/2 and the objective is 3/4; zero iff C <= 1/2.
    Context context;
    for (const char* model : {"l2-svc", "huber-svc"}) {
        std::vector<double> slopes;
        std::vector<double> none;
        for (const double cost : {0.2, 0.5, 0.6, 1.0, 4.0}) {
            TrainOptions options = sparse(model, kL1, kNaN);
            options.objective.cost = cost;
            const Model found = train(toys::pair(), options, context).model;
            slopes.push_back(slope(found));
            none.push_back(found.support.rows() == 0 ? 1.0 : 0.0);
            EXPECT_TRUE(toys::failures(found, toys::pair()).empty());
            if (cost == 1.0) {
                expect_fact("S15", "PAIR, C = 1: objective", found.certificates[0].primal);
                expect_fact("S15", "PAIR, C = 1: dual value", found.certificates[0].dual);
            }
        }
        expect_fact("S15", "PAIR, C = 0.2, 0.5, 0.6, 1, 4: slope", slopes);
        expect_fact("S15", "PAIR, C = 0.2, 0.5, 0.6, 1, 4: no coefficient (1) iff C <= 1/2", none);
    }
}

TEST(sparse, pair_has_the_slope_of_the_second_formulation) {
    // s = max(0, (2C - l1)/(1 + 2C)); l1 = 0, C = 1: 2/3; l1 = 1/2, C = 1: 1/2; zero iff l1 >= 2C.
    Context context;
    for (const double cost : {0.3, 1.0, 4.0}) {
        std::vector<double> slopes;
        std::vector<double> none;
        for (const double l1 : {0.0, 0.5, 0.6, 2.0, 8.0}) {
            TrainOptions options = sparse("l2-svc", kL1AndRkhs, l1);
            options.objective.cost = cost;
            const Model found = train(toys::pair(), options, context).model;
            slopes.push_back(slope(found));
            none.push_back(found.support.rows() == 0 ? 1.0 : 0.0);
            EXPECT_TRUE(toys::failures(found, toys::pair()).empty());
        }
        const std::string key = std::string("PAIR, C = ") +
                                (cost == 0.3   ? "0.3"
                                 : cost == 1.0 ? "1"
                                               : "4") +
                                ", lambda = 0, 0.5, 0.6, 2, 8: ";
        expect_fact("S16", key + "slope", slopes);
        expect_fact("S16", key + "no coefficient (1) iff lambda >= 2C", none);
    }
}

TEST(sparse, a_weight_of_nothing_is_the_usual_machine) {
    Context context;
    const Dataset data = points(60, 2, 3);
    for (const char* model : {"l2-svc", "huber-svc", "klr"}) {
        TrainOptions options = sparse(model, kL1AndRkhs, 0.0);
        options.kernel = rbf_kernel(0.8);
        const Model none = train(data, options, context).model;
        options.run.solver = "l1-descent";
        const Model descended = train(data, options, context).model;
        options.run.solver = "auto";
        options.objective.penalty = kRkhs;
        options.objective.l1.reset();
        const Model usual = train(data, options, context).model;
        EXPECT_EQ(none.penalty, kRkhs);
        expect_fact("S16", "60 random rows, lambda = 0: the coefficients of the usual machine",
                    none.coefficients == usual.coefficients);
        EXPECT_EQ(descended.penalty, kL1AndRkhs);
        expect_fact(
            "S16", "60 random rows, lambda = 0, by l1-descent: P over that of the machine, - 1",
            std::abs(descended.certificates[0].primal / usual.certificates[0].primal - 1.0));
    }
}

TEST(sparse, every_machine_that_takes_it_is_proved_and_verified) {
    Context context;
    int machines = 0;
    for (const std::string& model : machine_names()) {
        for (const char* penalty : {kL1, kL1AndRkhs}) {
            TrainOptions options = sparse(model, penalty, 0.3);
            options.kernel = is_linear_machine(model) ? linear_kernel() : rbf_kernel(0.8);
            options.run.gap_tolerance = 1e-9;
            const Dataset data = is_classifier(model) ? points(50, 2, 5) : waves(50, 5);
            if (!takes_sparse_penalty(model, penalty)) {
                EXPECT_THAT(refusal([&] { static_cast<void>(train(data, options, context)); }),
                            HasSubstr(takes_sparse_penalty(model)
                                          ? "svc takes l1"
                                          : "these do: svc, l2-svr, l2-svc, huber-svc, klr, krr, "
                                            "ls-svc, least-squares, logistic"))
                    << model;
                continue;
            }
            ++machines;
            for (const bool intercept : {true, false}) {
                options.objective.intercept = intercept;
                const Model found = train(data, options, context).model;
                EXPECT_EQ(found.status, "converged") << model << " " << penalty;
                EXPECT_EQ(found.solver, machine_solvers(model, 2, penalty).front());
                EXPECT_EQ(found.penalty, penalty);
                EXPECT_EQ(found.l1, 0.3);
                EXPECT_LE(relative_gap(found.certificates[0]), 1e-9);
                EXPECT_GT(found.support.rows(), 0);
                EXPECT_LT(found.support.rows(), 50) << model << " " << penalty;
                EXPECT_TRUE(toys::failures(found, data).empty())
                    << model << " " << penalty << ": " << toys::failures(found, data).front();
            }
        }
    }
    EXPECT_EQ(machines, 17);
}

TEST(sparse, logistic_takes_few_columns_and_predicts_their_weighted_sum) {
    Context context;
    const Dataset data = points(80, 2, 41);
    TrainOptions options = sparse("logistic", kL1, 3.0);
    const TrainResult found = train(data, options, context);
    const Model& model = found.model;
    EXPECT_TRUE(model.on_columns);
    EXPECT_EQ(model.solver, "l1-descent");
    EXPECT_EQ(model.cost, 1.0);
    ASSERT_EQ(found.weights.size(), 2U);
    EXPECT_GT(found.weights[0], 0.0);  // the second column is noise
    EXPECT_EQ(found.weights[1], 0.0);
    EXPECT_EQ(model.support.rows(), 1);
    const std::vector<double> f = decision_function(model, data, context);
    std::vector<double> row(2);
    double losses = 3.0 * found.weights[0];
    for (index_t i = 0; i < data.rows(); ++i) {
        const auto place = static_cast<std::size_t>(i);
        data.copy_row(i, row);
        EXPECT_NEAR(f[place], found.weights[0] * row[0] + model.intercepts[0], 1e-14);
        losses += std::log1p(std::exp(data.targets[place] == 1.0 ? -f[place] : f[place]));
    }
    EXPECT_NEAR(model.certificates[0].primal, losses, 1e-12 * losses);
    EXPECT_EQ(model.link.kind, "sigmoid");
    MemoryFiles files;
    save_model(model, "m", files);
    const Model again = load_model("m", context, files).value();
    EXPECT_TRUE(again.on_columns);
    EXPECT_EQ(again.coefficients, model.coefficients);
    EXPECT_TRUE(toys::failures(again, data).empty());
    Model forged = again;
    forged.coefficients[0] *= 1.01;
    EXPECT_FALSE(toys::failures(forged, data).empty());
}

TEST(sparse, least_squares_of_few_columns_is_the_point_of_the_path) {
    Context context;
    Random random(43);
    std::vector<std::vector<double>> values;
    std::vector<double> targets;
    for (int i = 0; i < 40; ++i) {
        values.push_back({random.normal(), random.normal(), random.normal(), random.normal()});
        targets.push_back(2.0 * values.back()[0] - values.back()[2] + 0.3 * random.normal() + 1.0);
    }
    const Dataset data = toys::make_rows(values, targets);
    SparsePathOptions traced;
    traced.machine.objective.penalty = kL1;
    traced.machine.objective.cost = 0.7;
    traced.loss = "squared";
    traced.features = true;
    const SparsePath path = trace_sparse(data, traced, context);
    for (const double l1 : {0.5, 5.0, 30.0}) {
        TrainOptions options = sparse("least-squares", kL1, l1);
        options.objective.cost = 0.7;
        const TrainResult found = train(data, options, context);
        const TrainResult read = path.at(l1, context);
        ASSERT_EQ(found.weights.size(), read.weights.size());
        for (std::size_t j = 0; j < found.weights.size(); ++j) {
            EXPECT_NEAR(found.weights[j], read.weights[j], 1e-7);
        }
        EXPECT_NEAR(found.model.certificates[0].primal, read.model.certificates[0].primal,
                    1e-11 * read.model.certificates[0].primal);
    }
}

TEST(sparse, machines_on_columns_take_weights_scaling_and_the_plan) {
    Context context;
    Dataset data = points(60, 2, 47);
    data.weights.assign(60, 1.0);
    data.weights[2] = 0.0;
    data.weights[7] = 2.5;
    TrainOptions options = sparse("logistic", kL1AndRkhs, 0.2);
    options.objective.class_weights = {{"class 1", 3.0}};
    options.scale.method = "standard";
    const Model found = train(data, options, context).model;
    EXPECT_EQ(found.status, "converged");
    EXPECT_TRUE(toys::failures(found, data).empty());
    const TrainPlan plan = plan_training(data, options, context);
    EXPECT_EQ(plan.solver, "l1-descent");
    EXPECT_TRUE(plan.fits);
    // With l1 = 0 the penalty 1/2 |w|^2 remains.
    options = sparse("logistic", kL1AndRkhs, 0.0);
    const Model none = train(data, options, context).model;
    options.objective.penalty = kRkhs;
    options.objective.l1.reset();
    const Model usual = train(data, options, context).model;
    EXPECT_NEAR(none.certificates[0].primal, usual.certificates[0].primal, 1e-10);
}

TEST(sparse, a_row_of_weight_two_is_the_row_twice_for_the_losses) {
    // The row occurs twice, so either copy may have the coefficient: the objectives are equal.
    Context context;
    const Dataset twice = toys::make_classes({{0.0}, {1.0}, {1.0}, {1.5}}, {0, 1, 1, 0});
    Dataset once = toys::make_classes({{0.0}, {1.0}, {1.5}}, {0, 1, 0});
    once.weights = {1.0, 2.0, 1.0};
    for (const char* penalty : {kL1, kL1AndRkhs}) {
        TrainOptions options = sparse("klr", penalty, 0.1);
        options.kernel = rbf_kernel(1.0);
        options.objective.cost = 3.0;
        const Model a = train(twice, options, context).model;
        const Model b = train(once, options, context).model;
        EXPECT_NEAR(a.certificates[0].primal, b.certificates[0].primal, 1e-10);
        EXPECT_TRUE(toys::failures(b, once).empty());
    }
}

TEST(sparse, rows_of_no_weight_and_class_weights_are_as_for_other_machines) {
    Context context;
    Dataset data = points(40, 2, 11);
    data.weights.assign(40, 1.0);
    data.weights[3] = data.weights[8] = 0.0;
    TrainOptions options = sparse("l2-svc", kL1, 0.2);
    options.kernel = rbf_kernel(0.5);
    options.objective.class_weights = {{"class 1", 3.0}};
    const Model found = train(data, options, context).model;
    EXPECT_EQ(found.status, "converged");
    EXPECT_TRUE(toys::failures(found, data).empty());
    for (const index_t row : found.support_rows) {
        EXPECT_TRUE(row != 3 && row != 8);
    }
}

TEST(sparse, many_classes_go_by_pairs_or_against_the_rest) {
    Context context;
    const Dataset data = points(90, 3, 7);
    for (const char* model : {"l2-svc", "klr"}) {
        for (const char* way : {"auto", "ovo", "ovr"}) {
            TrainOptions options = sparse(model, kL1AndRkhs, 0.4);
            options.kernel = rbf_kernel(0.5);
            options.outputs.multiclass = way;
            options.run.gap_tolerance = 1e-8;
            const Model found = train(data, options, context).model;
            EXPECT_EQ(found.multiclass, std::string(way) == "ovr" ? "ovr" : "ovo");
            EXPECT_EQ(found.status, "converged");
            EXPECT_EQ(found.outputs(), 3);
            EXPECT_TRUE(toys::failures(found, data).empty()) << model << " " << way;
        }
    }
    TrainOptions options = sparse("klr", kL1, 0.4);
    options.outputs.multiclass = kSoftmax;
    EXPECT_THAT(refusal([&] { static_cast<void>(train(data, options, context)); }),
                HasSubstr("takes ovo or ovr"));
}

TEST(sparse, verification_fails_when_anything_is_changed) {
    Context context;
    const Dataset data = points(60, 2, 13);
    for (const char* penalty : {kL1, kL1AndRkhs}) {
        TrainOptions options = sparse("klr", penalty, 0.3);
        options.kernel = rbf_kernel(0.5);
        const Model found = train(data, options, context).model;
        ASSERT_TRUE(toys::failures(found, data).empty());
        for (std::size_t j = 0; j < found.coefficients.size(); ++j) {
            for (const double factor : {0.0, 0.999, -1.0}) {
                Model mutant = found;
                mutant.coefficients[j] *= factor;
                expect_fact("X20", "every coefficient times 0, 0.999, -1: found",
                            !toys::failures(mutant, data).empty());
            }
        }
        const auto found_out = [&](auto change) {
            Model mutant = found;
            change(mutant);
            return !toys::failures(mutant, data).empty();
        };
        expect_fact("X20", "weight 0.31 for 0.3: found",
                    found_out([](Model& model) { model.l1 = 0.31; }));
        expect_fact("X20", "the other penalty, or none: found", found_out([](Model& model) {
                        model.penalty = model.penalty == kL1 ? kL1AndRkhs : kL1;
                    }));
        expect_fact("X20", "the other penalty, or none: found", found_out([](Model& model) {
                        model.penalty = kRkhs;
                        model.l1 = 0.0;
                    }));
        expect_fact("X20", "b + 0.001: found",
                    found_out([](Model& model) { model.intercepts[0] += 1e-3; }));
        expect_fact("X20", "D + 0.001: found",
                    found_out([](Model& model) { model.certificates[0].dual += 1e-3; }));
    }
}

TEST(sparse, the_model_file_keeps_penalty_and_weight) {
    Context context;
    const Dataset data = points(40, 2, 17);
    TrainOptions options = sparse("huber-svc", kL1AndRkhs, 0.7);
    options.kernel = rbf_kernel(0.5);
    const Model found = train(data, options, context).model;
    MemoryFiles files;
    save_model(found, "m", files);
    EXPECT_EQ(files.contents["m"][8], 4);  // the version
    const Model loaded = load_model("m", context, files).value();
    EXPECT_EQ(loaded.penalty, kL1AndRkhs);
    EXPECT_EQ(loaded.l1, 0.7);
    EXPECT_EQ(loaded.coefficients, found.coefficients);
    EXPECT_TRUE(toys::failures(loaded, data).empty());
    options.objective.penalty = kRkhs;
    options.objective.l1.reset();
    save_model(train(data, options, context).model, "plain", files);
    EXPECT_EQ(files.contents["plain"][8], 2);
    EXPECT_EQ(load_model("plain", context, files).value().penalty, kRkhs);
}

TEST(sparse, models_with_a_penalty_that_cannot_be_are_refused) {
    Context context;
    TrainOptions options = sparse("l2-svc", kL1, 1.0);
    Model found = train(toys::trio(), options, context).model;
    EXPECT_NO_THROW(require_consistent(found));
    for (const double weight : {0.0, -1.0, kInfinity, kNaN}) {
        Model bad = found;
        bad.l1 = weight;
        EXPECT_THROW(require_consistent(bad), InvalidArgument) << weight;
    }
    Model unknown = found;
    unknown.penalty = "l2";
    EXPECT_THROW(require_consistent(unknown), InvalidArgument);
    Model hinge = found;
    hinge.loss = "hinge";
    EXPECT_THROW(require_consistent(hinge), InvalidArgument);
    Model idle = found;
    idle.penalty = kRkhs;
    EXPECT_THROW(require_consistent(idle), InvalidArgument);
}

TEST(sparse, a_kernel_that_is_not_definite_is_proved_without_the_norm) {
    Context context;
    const Dataset data = points(40, 2, 19);
    TrainOptions options = sparse("l2-svc", kL1, 0.3);
    options.kernel = parse_kernel("sigmoid(gamma=0.5, coef0=-1)").value();
    options.allow_indefinite = true;
    options.run.gap_tolerance = 1e-8;
    const Model found = train(data, options, context).model;
    EXPECT_EQ(found.status, "converged");
    EXPECT_TRUE(found.certificates[0].exact);
    EXPECT_TRUE(toys::failures(found, data).empty());
}

TEST(sparse, a_stop_is_said_and_what_is_left_is_verified) {
    const Dataset data = points(80, 2, 23);
    const std::atomic<bool> stop{true};
    for (const char* model : {"klr", "l2-svc"}) {
        Context context({.stop_flag = &stop});
        TrainOptions options = sparse(model, kL1, 0.01);
        options.kernel = rbf_kernel(0.5);
        const Model found = train(data, options, context).model;
        EXPECT_EQ(found.status, "interrupted");
        EXPECT_GT(found.certificates[0].gap, 0.0);
        EXPECT_TRUE(toys::failures(found, data).empty());
    }
}

TEST(sparse, what_does_not_go_together_is_refused) {
    Context context;
    const Dataset data = points(30, 2, 29);
    const auto message = [&](auto change) {
        TrainOptions options = sparse("krr", kL1, 0.5);
        options.kernel = rbf_kernel(0.5);
        change(options);
        const Dataset rows = is_classifier(options.model) ? data : waves(30, 29);
        return refusal([&] { static_cast<void>(train(rows, options, context)); });
    };
    EXPECT_EQ(message([](TrainOptions&) {}), "taken");
    EXPECT_THAT(message([](TrainOptions& o) { o.outputs.leave_one_out = true; }),
                HasSubstr("leave_one_out: not together with the penalty l1"));
    EXPECT_THAT(message([](TrainOptions& o) { o.run.precision = "float32"; }),
                HasSubstr("precision"));
    EXPECT_THAT(message([](TrainOptions& o) { o.objective.alpha = 0.0; }),
                HasSubstr("alpha: got 0"));
    EXPECT_THAT(message([](TrainOptions& o) { o.objective.l1 = 0.0; }), HasSubstr("l1: got 0"));
    EXPECT_THAT(message([](TrainOptions& o) { o.objective.penalty = "l2"; }),
                HasSubstr("penalty: got"));
    EXPECT_THAT(message([](TrainOptions& o) { o.objective.penalty = kRkhs; }),
                HasSubstr("l1: belongs to the penalties l1 and l1+rkhs"));
    EXPECT_THAT(message([](TrainOptions& o) { o.run.solver = "cholesky"; }),
                HasSubstr("solved by: l1-descent"));
    EXPECT_THAT(message([](TrainOptions& o) {
                    o.model = "klr";
                    o.objective.cost = kInfinity;
                }),
                HasSubstr("cost: got inf"));
    EXPECT_THAT(message([](TrainOptions& o) {
                    o.model = "logistic";
                    o.kernel = rbf_kernel(1.0);
                }),
                HasSubstr("logistic is linear and takes none"));
    EXPECT_THAT(message([](TrainOptions& o) {
                    o.model = "logistic";
                    o.kernel = linear_kernel();
                    o.objective.cost = kInfinity;
                }),
                HasSubstr("cost: got inf"));
    EXPECT_THAT(message([](TrainOptions& o) {
                    o.model = "logistic";
                    o.kernel = linear_kernel();
                    o.objective.lambda = 0.0;
                }),
                HasSubstr("lambda: got 0"));
    EXPECT_THAT(message([](TrainOptions& o) {
                    o.model = "least-squares";
                    o.kernel = linear_kernel();
                    o.objective.alpha = 1.0;
                }),
                HasSubstr("alpha: least-squares does not take it; these do: krr, ridge"));
    TrainOptions svc = sparse("svc", kL1AndRkhs, 0.5);
    EXPECT_THAT(refusal([&] { static_cast<void>(plan_training(data, svc, context)); }),
                HasSubstr("svc takes l1"));
    TrainOptions klr = sparse("klr", kL1, 0.5);
    EXPECT_THAT(refusal([&] { static_cast<void>(compare_solvers(data, klr, {}, context)); }),
                HasSubstr("one solver"));
    EXPECT_THAT(refusal([&] { static_cast<void>(machine_solvers("svc", 2, kL1AndRkhs)); }),
                HasSubstr("svc does not take l1+rkhs"));
    EXPECT_EQ(machine_solvers("klr", 3, kL1), std::vector<std::string>{"l1-descent"});
    TrainOptions krr = sparse("krr", kL1, 1e-3);
    const Dataset rows = waves(12, 1);
    const Model few = train(rows, krr, context).model;
    EXPECT_THAT(refusal([&] { static_cast<void>(predictive_variance(few, rows, context)); }),
                HasSubstr("variance"));
}

TEST(sparse, has_the_same_bits_for_any_number_of_threads) {
    const Dataset data = points(150, 3, 31);
    std::vector<double> first;
    for (const int threads : {1, 2, 4}) {
        Context context({.threads = threads});
        TrainOptions options = sparse("klr", kL1AndRkhs, 0.2);
        options.kernel = rbf_kernel(0.5);
        options.run.gap_tolerance = 1e-8;
        const Model found = train(data, options, context).model;
        if (first.empty()) {
            first = found.coefficients;
        }
        EXPECT_EQ(found.coefficients, first) << threads;
    }
}

}  // namespace
}  // namespace mercer
