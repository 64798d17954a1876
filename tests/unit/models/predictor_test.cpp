// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/models/predictor_test.cpp - a Predictor gives the same bits as its model.
#include "mercer/models/predictor.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <thread>

#include "mercer/base/error.hpp"
#include "mercer/models/predict.hpp"
#include "mercer/runtime/context.hpp"
#include "row_sets.hpp"
#include "support/hand_models.hpp"

namespace mercer {
namespace {

using namespace testing;

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * 8) == 0;
}

/// Values of the rows, predicted one at a time.
std::vector<double> one_by_one(const Predictor& predictor, const Dataset& rows, Context& context) {
    std::vector<double> out;
    for (index_t i = 0; i < rows.rows(); ++i) {
        const std::vector<index_t> chosen = {i};
        const std::vector<double> value = predictor.decision_values(rows.select(chosen), context);
        out.insert(out.end(), value.begin(), value.end());
    }
    return out;
}

TEST(predictor, a_thousand_single_rows_have_the_bits_of_one_batch) {
    RowSet set(1000, 9, 4, 0.7);
    Context context;
    for (const char* kernel :
         {"linear", "rbf(gamma=0.2)", "poly(degree=3, coef0=1, scale=0.1) + laplace(gamma=0.1)"}) {
        for (const char* storage : {"f64", "f32", "csr"}) {
            const Model model = random_model(kernel, 120, 9, storage, 2);
            const Predictor predictor(model, context);
            for (const Dataset& rows : {set.dense(), set.sparse()}) {
                const std::vector<double> batch = decision_function(model, rows, context);
                EXPECT_TRUE(same_bits(predictor.decision_values(rows, context), batch)) << kernel;
                EXPECT_TRUE(same_bits(one_by_one(predictor, rows, context), batch)) << kernel;
            }
        }
    }
}

TEST(predictor, pairs_of_classes_held_or_not_have_the_same_bits) {
    RowSet set(300, 2, 8);
    Model model = pairs_model(5, "rbf(gamma=0.5)");
    model.class_support[0] = 0;  // a class without support rows, and one with four
    model.class_support[1] = 4;
    Context context;
    const std::vector<double> expected = decision_function(model, set.dense(), context);
    const index_t before = context.memory()->used();
    const Predictor held(model, context);
    EXPECT_GT(context.memory()->used(), before);
    EXPECT_TRUE(same_bits(one_by_one(held, set.dense(), context), expected));
    Context poor({.threads = 1, .memory = 600});  // 10 rows take more than a quarter of it
    const Predictor lean(model, poor);
    EXPECT_EQ(poor.memory()->used(), 0);
    EXPECT_TRUE(same_bits(lean.decision_values(set.dense(), context), expected));
}

TEST(predictor, scaled_rows_and_kernel_values_are_understood) {
    RowSet set(50, 6, 9);
    Context context;
    Model scaled = random_model("rbf(gamma=0.2)", 40, 6, "f64");
    scaled.scaling = Scaling::fit(set.dense(), {});
    EXPECT_TRUE(same_bits(one_by_one(Predictor(scaled, context), set.dense(), context),
                          decision_function(scaled, set.dense(), context)));
    Model values = random_model("linear", 3, 6, "f64");
    values.kernel = parse_kernel("precomputed").value();
    values.support_rows = {1, 2, 5};
    const Predictor predictor(values, context);
    EXPECT_EQ(to_string(predictor.rule().kernel), "precomputed");
    EXPECT_TRUE(same_bits(one_by_one(predictor, set.dense(), context),
                          decision_function(values, set.dense(), context)));
}

TEST(predictor, the_rule_of_a_model_predicts_without_its_provenance_and_proof) {
    RowSet set(20, 4, 11);
    Context context;
    const Model model = random_model("rbf(gamma=0.3)", 30, 4, "f64");
    const PredictionRule rule = model;
    EXPECT_TRUE(same_bits(Predictor(rule, context).decision_values(set.dense(), context),
                          decision_function(model, set.dense(), context)));
}

TEST(predictor, labels_classes_and_probabilities_are_those_of_the_model) {
    RowSet set(40, 2, 10);
    const Dataset rows = set.dense();
    const Model model = pairs_model(4, "rbf(gamma=0.5)");
    Context context;
    const Predictor predictor(model, context);
    const std::vector<double> f = decision_function(model, rows, context);
    EXPECT_EQ(predictor.classes(rows, context), predict_classes(model, f));
    EXPECT_EQ(predictor.labels(rows, context), predict_labels(model, rows, context));
    EXPECT_TRUE(same_bits(predictor.probabilities(rows, context), class_probabilities(model, f)));
    const Predictor numbers(krr2_model().model, context);
    EXPECT_THROW(static_cast<void>(numbers.labels(Dataset(), context)), InvalidArgument);
}

TEST(predictor, outlives_the_model_and_the_context_it_was_made_with) {
    RowSet set(20, 9, 11);
    Context context;
    std::vector<double> expected;
    std::optional<Predictor> predictor;
    {
        const Model model = random_model("rbf(gamma=0.2)", 30, 9, "f64");
        Context first;
        predictor.emplace(model, first);
        expected = decision_function(model, set.dense(), context);
    }
    const Predictor copy = *predictor;
    predictor.reset();
    EXPECT_TRUE(same_bits(copy.decision_values(set.dense(), context), expected));
}

TEST(predictor, several_threads_may_ask_at_once) {
    RowSet set(200, 9, 12);
    Context context;
    const Predictor predictor(random_model("rbf(gamma=0.2)", 100, 9, "f64"), context);
    const std::vector<double> expected = predictor.decision_values(set.dense(), context);
    std::vector<std::vector<double>> found(4);
    std::vector<std::thread> threads;
    for (std::vector<double>& own : found) {
        threads.emplace_back([&] {
            Context mine({.threads = 1});
            own = one_by_one(predictor, set.dense(), mine);
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (const std::vector<double>& own : found) {
        EXPECT_TRUE(same_bits(own, expected));
    }
}

}  // namespace
}  // namespace mercer
