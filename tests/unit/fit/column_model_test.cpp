// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/fit/column_model_test.cpp - linear machines with weights that were
// written by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/error.hpp"
#include "unit/fit/toys.hpp"

namespace mercer {
namespace {

TrainOptions machine(const std::string& model, const std::string& kernel) {
    TrainOptions options;
    options.model = model;
    options.kernel = parse_kernel(kernel).value();
    return options;
}

Dataset rows_of_classes(index_t classes) {
    Dataset data = toys::make_rows({{0, 1}, {1, 3}, {2, 0}, {3, 2}, {4, 4}, {1, 1}},
                                   {0, 0, 1, 1, classes - 1.0, classes - 1.0});
    for (index_t c = 0; c < classes; ++c) {
        data.label_names.push_back(std::to_string(c));
    }
    return data;
}

TEST(column_model, written_weights_predict_and_state_nothing) {
    Context context;
    const Dataset data = rows_of_classes(2);
    const Model trained = train(data, machine("logistic", "linear"), context).model;
    const std::vector<double> w{2.0, -1.0};
    const std::vector<double> b{0.5};
    const Model model = with_weights(trained, {w.data(), 1, 2}, b);
    EXPECT_EQ(model.status, kImported);
    EXPECT_TRUE(std::isnan(model.certificates[0].gap));
    const std::vector<double> f = decision_function(model, data, context);
    EXPECT_EQ(f, (std::vector<double>{-0.5, -0.5, 4.5, 4.5, 4.5, 1.5}));
    EXPECT_NEAR(class_probabilities(model, f)[1], 1.0 / (1.0 + std::exp(0.5)), 1e-15);
    EXPECT_FALSE(verify_model(model, data, context).states);
}

TEST(column_model, written_weights_of_many_classes_have_a_row_each) {
    Context context;
    const Dataset data = rows_of_classes(3);
    const Model trained = train(data, machine("klr", "linear"), context).model;
    const std::vector<double> w{1.0, 0.0, 0.0, 1.0, -1.0, -1.0};
    const std::vector<double> b{0.0, 1.0, 2.0};
    const std::vector<double> f =
        decision_function(with_weights(trained, {w.data(), 3, 2}, b), data, context);
    EXPECT_EQ(std::vector<double>(f.begin() + 3, f.begin() + 6),
              (std::vector<double>{1.0, 4.0, -2.0}));
}

TEST(column_model, weights_of_other_sizes_and_of_other_kernels_are_refused) {
    Context context;
    const Dataset data = rows_of_classes(2);
    const std::vector<double> w{1.0, 1.0, 1.0};
    const std::vector<double> b{0.0};
    const Model linear = train(data, machine("logistic", "linear"), context).model;
    EXPECT_THROW((void)with_weights(linear, {w.data(), 1, 3}, b), InvalidArgument);
    EXPECT_THROW((void)with_weights(linear, {w.data(), 1, 2}, w), InvalidArgument);
    const Model curved = train(data, machine("klr", "rbf(gamma=1)"), context).model;
    EXPECT_THROW((void)with_weights(curved, {w.data(), 1, 2}, b), InvalidArgument);
}

}  // namespace
}  // namespace mercer
