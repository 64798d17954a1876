// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/search/cross_validation_test.cpp - predictions for rows that no machine was trained
// on.
#include "mercer/search/cross_validation.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/data/generate.hpp"
#include "mercer/data/split.hpp"
#include "unit/fit/toys.hpp"

namespace mercer {
namespace {

using toys::clouds;
using toys::svc_options;

TEST(CrossValidation, EveryRowIsPredictedByAMachineThatHasNotSeenIt) {
    Context context;
    // Each row differs in class from its neighbours: a machine trained with it would be right, one
    // trained without it predicts the class of the neighbours.
    std::vector<std::vector<double>> rows;
    std::vector<double> targets;
    for (int i = 0; i < 40; ++i) {
        rows.push_back({static_cast<double>(i)});
        targets.push_back(i % 2);
    }
    Dataset data = toys::make_classes(rows, targets);
    TrainOptions options = svc_options("rbf(gamma=0.5)", 1000);
    options.run.gap_tolerance = 1e-4;
    const std::vector<double> predicted = cross_validate(data, options, 40, context);
    index_t wrong = 0;
    for (std::size_t i = 1; i + 1 < predicted.size(); ++i) {
        wrong += predicted[i] != targets[i];
    }
    EXPECT_EQ(wrong, 38);
    EXPECT_THROW(static_cast<void>(cross_validate(data, options, 41, context)), InvalidArgument);
}

TEST(CrossValidation, AClassWithOneRowIsLeftOutOfItsFold) {
    Context context;
    Dataset data = clouds(5);
    data.targets[2] = 2.0;
    for (std::size_t i = 0; i < data.targets.size(); ++i) {
        data.targets[i] = i == 2 ? 2.0 : (data.targets[i] == 2.0 ? 1.0 : data.targets[i]);
    }
    TrainOptions options = svc_options("rbf(gamma=0.5)", 1);
    options.run.gap_tolerance = 1e-4;
    options.objective.class_weights = {{"2", 3.0}};
    const std::vector<double> predicted = cross_validate(data, options, 5, context);
    EXPECT_NE(predicted[2], 2.0);
}

TEST(CrossValidation, FoldsSideBySideHaveTheBitsOfFoldsOneByOne) {
    const Dataset data = clouds(30);
    TrainOptions options = svc_options("rbf(gamma=scale)", 1);
    options.scale.method = "standard";
    Context one(ContextOptions{.threads = 1});
    Context four(ContextOptions{.threads = 4});
    const std::vector<double> expected = cross_validate(data, options, 9, one);
    EXPECT_EQ(cross_validate(data, options, 9, four), expected);
    Dataset numbers = data;
    numbers.label_names.clear();
    options.model = "svr";
    EXPECT_EQ(cross_validate(numbers, options, 9, four), cross_validate(numbers, options, 9, one));
}

TEST(CrossValidation, IsTrainingOnCopiesOfTheRows) {
    const Dataset data = clouds(20);
    const TrainOptions options = svc_options("rbf(gamma=scale)", 1);
    Context context;
    const std::vector<double> predicted = cross_validate(data, options, 5, context);
    for (const Split& fold : make_folds(data, {.folds = 5, .seed = 0})) {
        const Model model = train(data.select(fold.train), options, context).model;
        const std::vector<index_t> classes =
            predict_classes(model, decision_function(model, data.select(fold.test), context));
        for (std::size_t i = 0; i < classes.size(); ++i) {
            EXPECT_EQ(predicted[static_cast<std::size_t>(fold.test[i])],
                      static_cast<double>(classes[i]));
        }
    }
}

}  // namespace
}  // namespace mercer
