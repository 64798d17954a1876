// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/fit/multiclass_test.cpp - three classes on a line, solved by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mercer/audit/verify.hpp"
#include "mercer/base/error.hpp"
#include "mercer/formats/model_file.hpp"
#include "unit/fit/toys.hpp"

namespace mercer {
namespace {

using testing::HasSubstr;
using toys::clouds;
using toys::svc_options;

constexpr double kExact = 1e-8;

/// x = 0, 2, 6 in classes a, b, c.
Dataset three() {
    Dataset data = toys::make_rows({{0.0}, {2.0}, {6.0}}, {0, 1, 2});
    data.label_names = {"a", "b", "c"};
    return data;
}

TEST(Multiclass, PairsOnALineAreHardMarginPairs) {
    Context context;
    const TrainResult result = train(three(), svc_options("linear", 10), context);
    const Model& model = result.model;
    ASSERT_EQ(model.outputs(), 3);
    EXPECT_EQ(model.multiclass, "ovo");
    // A pair at distance d: w = -2/d (the first class is positive), coefficients 2/d^2, P = 2/d^2.
    const double distance[3] = {2, 6, 4};
    const double middle[3] = {1, 3, 4};
    double total = 0.0;
    for (std::size_t p = 0; p < 3; ++p) {
        const double value = 2.0 / (distance[p] * distance[p]);
        EXPECT_NEAR(model.certificates[p].primal, value, kExact);
        EXPECT_NEAR(model.certificates[p].dual, value, kExact);
        EXPECT_NEAR(model.intercepts[p], 2.0 / distance[p] * middle[p], kExact);
        EXPECT_NEAR(result.outputs[p].absolute_sum, 2.0 * value, kExact);
        EXPECT_EQ(result.outputs[p].support, 2);
        total += value;
    }
    EXPECT_NEAR(total_certificate(model.certificates).primal, total, kExact);
    EXPECT_EQ(model.class_support, (std::vector<index_t>{1, 1, 1}));
    // row of class b: negative against a, positive against c
    EXPECT_NEAR(model.coefficients[2], -0.5, kExact);
    EXPECT_NEAR(model.coefficients[3], 0.125, kExact);
    const Dataset probe = toys::make_rows({{0.9}, {1.1}, {3.9}, {4.1}}, {});
    EXPECT_EQ(predict_classes(model, decision_function(model, probe, context)),
              (std::vector<index_t>{0, 1, 1, 2}));
}

TEST(Multiclass, OneAgainstTheRestHasOneMachinePerClass) {
    Context context;
    TrainOptions options = svc_options("linear", 10);
    options.outputs.multiclass = "ovr";
    const Model model = train(three(), options, context).model;
    ASSERT_EQ(model.outputs(), 3);
    EXPECT_EQ(model.multiclass, "ovr");
    // a against {b, c}: distance 2; c against {a, b}: distance 4.
    EXPECT_NEAR(model.certificates[0].primal, 0.5, kExact);
    EXPECT_NEAR(model.certificates[2].primal, 0.125, kExact);
    // b lies between the others, so no line separates it; the certificate itself proves optimality.
    EXPECT_NEAR(model.certificates[1].gap, 0.0, 1e-7);
    EXPECT_GT(model.certificates[1].primal, 1.0);
    EXPECT_TRUE(model.class_support.empty());
}

TEST(Multiclass, TwoClassesAreOneMachineWhateverIsAskedFor) {
    Context context;
    TrainOptions options = svc_options("linear", 10);
    const Model ovo = train(toys::pair(), options, context).model;
    options.outputs.multiclass = "ovr";
    const Model ovr = train(toys::pair(), options, context).model;
    EXPECT_EQ(ovr.multiclass, "");
    EXPECT_EQ(ovo.coefficients, ovr.coefficients);
}

TEST(Multiclass, VerifyHoldsAndSeesEveryChange) {
    Context context;
    const Dataset data = clouds(15);
    for (const char* way : {"ovo", "ovr"}) {
        TrainOptions options = svc_options("rbf(gamma=0.5)", 2.0);
        options.outputs.multiclass = way;
        options.run.gap_tolerance = 1e-6;
        options.objective.class_weights = {{"1", 2.0}};
        const Model model = train(data, options, context).model;
        const VerifyReport report = verify_model(model, data, context);
        EXPECT_TRUE(report.holds) << way;
        EXPECT_EQ(report.recomputed.size(), 3U);
        Model changed = model;
        *std::max_element(changed.coefficients.begin(), changed.coefficients.end()) *= 1.001;
        EXPECT_FALSE(verify_model(changed, data, context).holds) << way;
        changed = model;
        changed.certificates[2].primal *= 1.0 + 1e-6;
        EXPECT_FALSE(verify_model(changed, data, context).holds) << way;
        changed = model;
        changed.intercepts[1] += 1e-3;
        EXPECT_FALSE(verify_model(changed, data, context).holds) << way;
    }
}

TEST(Multiclass, PairOfThreeEqualsTheTwoClassMachineOfItsRows) {
    Context context;
    const Dataset data = clouds(20);
    const TrainOptions options = svc_options("rbf(gamma=0.5)", 3.0);
    const Model all = train(data, options, context).model;
    std::vector<index_t> rows;
    for (const double own : {0.0, 2.0}) {  // the rows of a pair's first class come first
        for (index_t i = 0; i < data.rows(); ++i) {
            if (data.targets[static_cast<std::size_t>(i)] == own) {
                rows.push_back(i);
            }
        }
    }
    Dataset pair = data.select(rows);
    for (double& target : pair.targets) {  // in a two-class machine the second class is positive
        target = target == 0.0 ? 1.0 : 0.0;
    }
    pair.label_names = {"2", "0"};
    const Model alone = train(pair, options, context).model;
    EXPECT_EQ(alone.intercepts[0], all.intercepts[1]);
    EXPECT_EQ(alone.certificates[0].primal, all.certificates[1].primal);
    const std::vector<double> f = decision_function(all, data, context);
    const std::vector<double> g = decision_function(alone, data, context);
    for (std::size_t i = 0; i < g.size(); ++i) {
        EXPECT_NEAR(f[3 * i + 1], g[i], 1e-12);
    }
}

TEST(Multiclass, EveryKindOfClassifierTakesManyClassesWithProof) {
    Context context;
    const Dataset data = clouds(12);
    for (const char* model : {"svc", "klr", "l2-svc", "huber-svc", "ls-svc"}) {
        for (const char* way : {"ovo", "ovr"}) {
            TrainOptions options = svc_options("rbf(gamma=0.5)", 2.0);
            options.model = model;
            options.outputs.multiclass = way;
            options.run.gap_tolerance = 1e-6;
            const Model machine = train(data, options, context).model;
            EXPECT_EQ(machine.status, "converged") << model;
            EXPECT_TRUE(verify_model(machine, data, context).holds) << model << " " << way;
            EXPECT_EQ(machine.link.kind, std::string(model) == "klr" ? "sigmoid" : "") << model;
            const std::vector<index_t> classes =
                predict_classes(machine, decision_function(machine, data, context));
            index_t right = 0;
            for (std::size_t i = 0; i < classes.size(); ++i) {
                right += static_cast<double>(classes[i]) == data.targets[i];
            }
            EXPECT_GT(right, 24) << model << " " << way;
        }
    }
}

TEST(Multiclass, LogisticPairIsItsOwnLink) {
    Context context;
    TrainOptions options = svc_options("linear", 1.0);
    options.model = "klr";
    const Model model = train(toys::pair(), options, context).model;
    const std::vector<double> f = decision_function(model, toys::pair(), context);
    // w of the pair with C = 1 is 0.6748316143, so f = -w and w
    const double p = 1.0 / (1.0 + std::exp(-0.6748316143));
    const std::vector<double> found = class_probabilities(model, f);
    EXPECT_NEAR(found[3], p, 1e-6);
    EXPECT_NEAR(found[0], p, 1e-6);
}

TEST(Multiclass, ThreadsDoNotChangeABit) {
    Dataset data = clouds(30);
    Random random(1);  // ten classes: more pairs than twice the number of threads
    for (double& target : data.targets) {
        target = static_cast<double>(random.below(10));
    }
    data.label_names = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
    TrainOptions options = svc_options("rbf(gamma=0.5)", 3.0);
    options.run.gap_tolerance = 1e-4;
    options.outputs.probability = true;
    std::vector<Model> models;
    for (const int threads : {1, 2, 7}) {
        Context context(ContextOptions{.threads = threads});
        models.push_back(train(data, options, context).model);
    }
    for (const Model& model : models) {
        EXPECT_EQ(model.coefficients, models[0].coefficients);
        EXPECT_EQ(model.intercepts, models[0].intercepts);
        EXPECT_EQ(model.link.a, models[0].link.a);
        EXPECT_EQ(model.link.b, models[0].link.b);
    }
}

/// Records what is noted.
class Notes final : public Observer {
public:
    void progress(const Progress&) override {}
    void note(std::string_view text) override { all.emplace_back(text); }
    std::vector<std::string> all;
};

TEST(Multiclass, MachinesTrainedTogetherCacheTheRowsOfHalfAWorkingSet) {
    std::vector<std::vector<double>> rows;
    std::vector<double> targets;
    Random random(2);
    for (int i = 0; i < 40; ++i) {
        rows.push_back({random.normal(), random.normal()});
        targets.push_back(i % 10);
    }
    Dataset data = toys::make_rows(rows, targets);
    data.label_names = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
    Notes notes;
    Context context(ContextOptions{.threads = 2, .observer = &notes});
    (void)train(data, svc_options("rbf(gamma=0.5)", 3.0), context);
    // A pair has 8 rows, all of them in its working set: 4 rows of 8 float32 numbers, plus one.
    EXPECT_THAT(notes.all, testing::Contains("45 two-class machines, 2 at a time, row cache up to "
                                             "129 B each"));
}

TEST(SlowMulticlass, LongRowsAndManyWorkingSetsDoNotChangeABitEither) {
    // 450 columns: kernel rows within a class are retained for all pairs. 240 rows in a pair: more
    // than one working set, and rows that several pairs need.
    constexpr index_t kColumns = 450;
    constexpr index_t kRows = 720;
    Random random(3);
    std::vector<double> values;
    std::vector<double> targets;
    for (index_t i = 0; i < kRows; ++i) {
        for (index_t j = 0; j < kColumns; ++j) {
            values.push_back((j % 6 == i % 6 ? 0.25 : 0.0) + random.normal());
        }
        targets.push_back(static_cast<double>(i % 6));
    }
    Dataset data(MatrixView<const double>(values.data(), kRows, kColumns));
    data.targets = targets;
    data.label_names = {"0", "1", "2", "3", "4", "5"};
    TrainOptions options = svc_options("rbf(gamma=0.001)", 2.0);
    options.run.gap_tolerance = 1e-6;
    std::vector<Model> models;
    for (const int threads : {1, 2, 7}) {
        Context context(ContextOptions{.threads = threads});
        models.push_back(train(data, options, context).model);
        EXPECT_EQ(models.back().status, "converged");
        EXPECT_TRUE(verify_model(models.back(), data, context).holds);
    }
    for (const Model& model : models) {
        EXPECT_EQ(model.coefficients, models[0].coefficients);
        EXPECT_EQ(model.intercepts, models[0].intercepts);
    }
}

TEST(Multiclass, OrderOfTheLabelsIsTheCallers) {
    Context context;
    Dataset data = three();
    data.label_names = {"c", "b", "a"};
    const Model model = train(data, svc_options("linear", 10), context).model;
    EXPECT_EQ(model.labels, data.label_names);
    EXPECT_TRUE(verify_model(model, three(), context).recomputed.empty() ||
                !verify_model(model, three(), context).holds);
    EXPECT_TRUE(verify_model(model, data, context).holds);
}

TEST(Multiclass, TooManyClassesAreRefusedBeforeAnyWork) {
    std::vector<std::vector<double>> rows;
    std::vector<double> targets;
    Dataset data;
    std::vector<std::string> names;
    for (int i = 0; i < 47000; ++i) {
        rows.push_back({1.0});
        targets.push_back(i);
        names.push_back(std::to_string(i));
    }
    data = toys::make_rows(rows, targets);
    data.label_names = names;
    Context context;
    try {
        static_cast<void>(train(data, svc_options("linear", 1), context));
        FAIL() << "accepted";
    } catch (const InvalidArgument& fault) {
        EXPECT_THAT(fault.what(), HasSubstr("47000 classes"));
    }
}

TEST(Multiclass, StopLeavesAModelWithItsGaps) {
    std::atomic<bool> stop = true;
    for (const int threads : {1, 2}) {
        Context context(ContextOptions{.threads = threads, .stop_flag = &stop});
        Dataset data = clouds(20);
        Random random(1);
        for (double& target : data.targets) {
            target = static_cast<double>(random.below(6));
        }
        data.label_names = {"0", "1", "2", "3", "4", "5"};
        TrainOptions options = svc_options("rbf(gamma=0.5)", 3.0);
        options.outputs.probability = true;
        const Model model = train(data, options, context).model;
        EXPECT_EQ(model.status, "interrupted");
        EXPECT_TRUE(model.link.empty());
        for (const Certificate& proof : model.certificates) {
            EXPECT_GT(proof.gap, 0.0);
            EXPECT_NEAR(proof.gap, proof.primal - proof.dual, 1e-12 * proof.primal);
        }
        EXPECT_NO_THROW(require_consistent(model));
        Context going;
        EXPECT_TRUE(verify_model(model, data, going).holds);
    }
}

}  // namespace
}  // namespace mercer
