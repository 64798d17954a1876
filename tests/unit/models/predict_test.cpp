// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/models/predict_test.cpp - a row's value depends only on the row and the model.
#include "mercer/models/predict.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "mercer/base/error.hpp"
#include "mercer/runtime/context.hpp"
#include "row_sets.hpp"
#include "support/facts.hpp"
#include "support/hand_models.hpp"

namespace mercer {
namespace {

using namespace testing;

constexpr const char* kKernels[] = {"linear", "0.3 * linear", "rbf(gamma=0.2)",
                                    "poly(degree=3, coef0=1, scale=0.1) + laplace(gamma=0.1)"};

/// sum_j c_j k(s_j, x_i) + b with scalar kernel values.
std::vector<double> plain_sums(const Model& model, const Dataset& rows) {
    std::vector<double> x(static_cast<std::size_t>(rows.columns()));
    std::vector<double> s(x.size());
    std::vector<double> out;
    for (index_t i = 0; i < rows.rows(); ++i) {
        rows.copy_row(i, x);
        for (index_t t = 0; t < model.outputs(); ++t) {
            double sum = model.intercepts[static_cast<std::size_t>(t)];
            for (index_t j = 0; j < model.support.rows(); ++j) {
                model.support.copy_row(j, s);
                sum += model.coefficients[static_cast<std::size_t>(j * model.outputs() + t)] *
                       model.kernel(s, x);
            }
            out.push_back(sum);
        }
    }
    return out;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * 8) == 0;
}

TEST(predict, values_equal_plain_kernel_sums) {
    RowSet set(150, 9, 3, 0.7);
    Context context;
    for (const char* kernel : kKernels) {
        for (const index_t outputs : {1, 3}) {
            for (const char* storage : {"f64", "f32", "csr"}) {
                const Model model = random_model(kernel, 70, 9, storage, outputs);
                const std::vector<double> expected = plain_sums(model, set.dense());
                const std::vector<double> got = decision_function(model, set.dense(), context);
                ASSERT_EQ(got.size(), expected.size());
                double apart = 0.0;
                for (std::size_t i = 0; i < got.size(); ++i) {
                    apart = std::max(apart,
                                     std::abs(got[i] - expected[i]) / (1 + std::abs(expected[i])));
                }
                expect_fact("S05", "random models: |f - (sum beta k + b)| / (1 + |f|)", apart);
            }
        }
    }
}

TEST(predict, company_threads_and_memory_do_not_matter) {
    RowSet set(300, 9, 4, 0.7);
    for (const char* kernel : kKernels) {
        const Model model = random_model(kernel, 600, 9, "f64", 2);
        Context context({.threads = 1});
        const Dataset rows = set.dense();
        const std::vector<double> batch = decision_function(model, rows, context);
        for (const int threads : {2, 5}) {
            Context many({.threads = threads});
            EXPECT_TRUE(same_bits(batch, decision_function(model, rows, many))) << kernel;
        }
        Context poor({.threads = 1, .memory = index_t{4} << 20});
        EXPECT_TRUE(same_bits(batch, decision_function(model, rows, poor))) << kernel;
        for (index_t i = 0; i < rows.rows(); ++i) {
            const std::vector<index_t> chosen = {i};
            const std::vector<double> alone =
                decision_function(model, rows.select(chosen), context);
            EXPECT_TRUE(same_bits(alone, {batch[static_cast<std::size_t>(2 * i)],
                                          batch[static_cast<std::size_t>(2 * i + 1)]}))
                << kernel << " row " << i;
        }
    }
}

TEST(predict, many_batches_equal_one_row_at_a_time) {
    RowSet set(9000, 3, 5, 0.7);
    Context context;
    const Model model = random_model("rbf(gamma=0.2)", 20, 3, "csr");
    for (const Dataset& rows : {set.dense(), set.sparse()}) {
        const std::vector<double> batch = decision_function(model, rows, context);
        for (const index_t i : {index_t{0}, index_t{8191}, index_t{8192}, index_t{8999}}) {
            const std::vector<index_t> chosen = {i};
            EXPECT_EQ(decision_function(model, rows.select(chosen), context).front(),
                      batch[static_cast<std::size_t>(i)]);
        }
    }
}

TEST(predict, dense_and_sparse_rows_agree) {
    RowSet set(200, 12, 6, 0.3);
    Context context;
    for (const char* kernel : kKernels) {
        const Model dense = random_model(kernel, 70, 12, "f64");
        const Model sparse = random_model(kernel, 70, 12, "csr");
        const std::vector<double> a = decision_function(dense, set.dense(), context);
        for (const Model* model : {&dense, &sparse}) {
            const std::vector<double> b = decision_function(*model, set.sparse(), context);
            for (std::size_t i = 0; i < a.size(); ++i) {
                EXPECT_NEAR(a[i], b[i], 1e-12 * (1 + std::abs(a[i]))) << kernel;
            }
        }
    }
}

TEST(predict, no_support_rows_leave_the_intercept) {
    Model model = pair_model().model;
    model.support = Dataset();
    model.support_rows.clear();
    model.coefficients.clear();
    model.intercepts = {0.75};
    Context context;
    EXPECT_EQ(decision_function(model, dense_rows(std::vector<double>{1, 2, 3}, 1), context),
              (std::vector<double>{0.75, 0.75, 0.75}));
    EXPECT_TRUE(decision_function(model, Dataset(), context).empty());
}

TEST(predict, rows_are_scaled_and_padded) {
    Model model = random_model("linear", 5, 3, "f64");
    Context context;
    const std::vector<double> raw = {1, 2, 3, 4};
    model.scaling = Scaling{"minmax", 3, {}, {1, 2, 3}, {2, 0.5, 0.25}, -1.0};
    const std::vector<double> scaled = {-1, -1, -1.75, 3, 0, -1.75};
    Model plain = model;
    plain.scaling.reset();
    const std::vector<double> expected = decision_function(plain, dense_rows(scaled, 3), context);
    EXPECT_EQ(decision_function(model, dense_rows(raw, 2), context), expected);
    EXPECT_EQ(decision_function(model, dense_rows(std::vector<float>{1, 2, 3, 4}, 2), context),
              expected);
    EXPECT_EQ(decision_function(model, sparse_rows(raw, 2), context), expected);
    EXPECT_THROW(static_cast<void>(decision_function(
                     model, dense_rows(std::vector<double>{1, 2, 3, 4}, 4), context)),
                 InvalidArgument);
    const std::vector<double> padded = {1, 2, 0, 3, 4, 0};
    EXPECT_EQ(decision_function(plain, dense_rows(raw, 2), context),
              decision_function(plain, dense_rows(padded, 3), context));
}

TEST(predict, overflow_is_told) {
    const Model model = pair_model().model;
    Context context;
    Model wild = model;
    wild.coefficients = {1e308, 1e308};
    wild.support = dense_rows(std::vector<double>{1e10, 1e10}, 1);
    EXPECT_THROW(static_cast<void>(
                     decision_function(wild, dense_rows(std::vector<double>{1e10}, 1), context)),
                 InvalidArgument);
}

TEST(predict, the_boundary_belongs_to_the_second_class) {
    const Model model = pair_model().model;
    EXPECT_EQ(predict_classes(model, {-1e-300, -0.0, 0.0, 2.0}),
              (std::vector<index_t>{0, 1, 1, 1}));
    EXPECT_THROW(static_cast<void>(predict_classes(krr2_model().model, {1.0})), InvalidArgument);
}

TEST(predict, labels_are_the_names_of_the_classes) {
    Model model = pair_model().model;  // f = x / 2
    model.labels = {"left", "right"};
    Context context;
    const Dataset rows = dense_rows(std::vector<double>{-2, 0, 3}, 1);
    EXPECT_EQ(predict_labels(model, rows, context),
              (std::vector<std::string>{"left", "right", "right"}));
    EXPECT_THROW(static_cast<void>(predict_labels(krr2_model().model, rows, context)),
                 InvalidArgument);
}

TEST(evaluate, classes_are_counted) {
    const Model model = pair_model().model;  // f = x / 2
    Context context;
    Dataset rows = dense_rows(std::vector<double>{-2, -1, 1, 1, 2, 3}, 1);
    rows.targets = {-1, 1, -1, 1, 1, 1};  // numbers as in a file
    const ClassificationReport report = evaluate_classes(model, rows, context);
    EXPECT_EQ(report.rows, 6);
    EXPECT_DOUBLE_EQ(report.accuracy, 4.0 / 6.0);
    EXPECT_DOUBLE_EQ(report.balanced_accuracy, 0.5 * (0.5 + 0.75));
    EXPECT_EQ(report.confusion, (std::vector<std::vector<index_t>>{{1, 1}, {1, 3}}));
    // 8 pairs: 6 in order, one tie, one reversed.
    EXPECT_DOUBLE_EQ(report.auc, 6.5 / 8.0);
    rows.targets = {1, 1, 1, 1, 1, 7};  // one class only, and an unknown one
    const ClassificationReport single = evaluate_classes(model, rows, context);
    EXPECT_DOUBLE_EQ(single.accuracy, 3.0 / 6.0);
    EXPECT_DOUBLE_EQ(single.balanced_accuracy, 3.0 / 5.0);
    EXPECT_TRUE(std::isnan(single.auc));
    rows.targets.clear();
    EXPECT_THROW(static_cast<void>(evaluate_classes(model, rows, context)), InvalidArgument);
}

TEST(evaluate, errors_of_values_are_measured) {
    const TrainedModel krr = krr2_model();  // f = (0.625, 0.125) on its rows
    Context context;
    const RegressionReport report = evaluate_values(krr.model, krr.data, context);
    EXPECT_DOUBLE_EQ(report.mae, 0.25);
    EXPECT_DOUBLE_EQ(report.max_error, 0.375);
    EXPECT_DOUBLE_EQ(report.rmse, std::sqrt((0.140625 + 0.015625) / 2.0));
    EXPECT_DOUBLE_EQ(report.r2, 1.0 - (0.140625 + 0.015625) / 0.5);
    EXPECT_TRUE(std::isnan(evaluate_values(krr.model, Dataset(), context).rmse));
}

}  // namespace
}  // namespace mercer
