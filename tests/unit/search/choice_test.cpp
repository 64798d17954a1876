// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/search/choice_test.cpp - the selected row of a table, compared with rules applied by
// hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/data/fold_kinds.hpp"
#include "mercer/data/generate.hpp"
#include "mercer/data/labels.hpp"
#include "mercer/fit/checkpoint.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/models/predict.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/memory_files.hpp"
#include "mercer/search/select.hpp"

namespace mercer {
namespace {

double measure(const SelectResult& result, std::size_t row) {
    for (const auto& [name, value] : result.table[row].measures) {
        if (name == result.measure) {
            return value;
        }
    }
    return kNaN;
}

Dataset noisy_moons(index_t rows, index_t seed, Context& context) {
    return to_classes(
        generate({.name = "moons", .rows = rows, .noise = 0.4, .seed = seed}, context));
}

SelectOptions moons_options() {
    SelectOptions options;
    options.train.kernel = rbf_kernel(1.0);
    options.grid = {{"C", {0.01, 0.1, 1.0, 10.0, 100.0}}, {"gamma", {0.1, 1.0, 10.0}}};
    return options;
}

TEST(Choice, OneStandardErrorTakesTheLeastCostThenTheSmoothestKernel) {
    Context context;
    for (index_t seed = 1; seed <= 5; ++seed) {
        const Dataset data = noisy_moons(120, seed, context);
        SelectOptions options = moons_options();
        options.refit = false;
        const SelectResult plain = select_model(data, options, context);
        options.search.rule = SelectionRule::one_standard_error;
        const SelectResult ruled = select_model(data, options, context);
        EXPECT_EQ(ruled.top, plain.best);
        // Brute force: of all rows within the standard error, the least (C, gamma).
        double mean = 0.0;
        double squares = 0.0;
        const std::vector<double>& scores = plain.table[plain.best].scores;
        for (const double score : scores) {
            mean += score / 5.0;
        }
        for (const double score : scores) {
            squares += (score - mean) * (score - mean);
        }
        const double bound = measure(plain, plain.best) - std::sqrt(squares / 4.0 / 5.0);
        std::vector<double> simplest{kInfinity, kInfinity};
        for (std::size_t i = 0; i < plain.table.size(); ++i) {
            if (measure(plain, i) >= bound && plain.table[i].values < simplest) {
                simplest = plain.table[i].values;
            }
        }
        EXPECT_EQ(ruled.table[ruled.best].values, simplest);
    }
}

TEST(Choice, TheNextBestIsComparedFoldByFold) {
    Context context;
    const Dataset data = noisy_moons(120, 1, context);
    SelectOptions options = moons_options();
    options.division.repeats = 2;
    const SelectResult result = select_model(data, options, context);
    ASSERT_TRUE(result.runner_up);
    for (std::size_t i = 0; i < result.table.size(); ++i) {
        EXPECT_EQ(result.table[i].scores.size(), 10U);
        EXPECT_LE(measure(result, i), measure(result, result.top));
        if (i != result.top) {
            EXPECT_LE(measure(result, i), measure(result, result.runner_up->row));
        }
    }
    double mean = 0.0;
    for (std::size_t f = 0; f < 10; ++f) {
        mean +=
            (result.table[result.top].scores[f] - result.table[result.runner_up->row].scores[f]) /
            10.0;
    }
    EXPECT_NEAR(result.runner_up->comparison.difference.mean, mean, 1e-14);
}

TEST(Choice, WhatDidNotConvergeIsTakenLast) {
    Context context;
    const Dataset data = noisy_moons(100, 1, context);
    SelectOptions options = moons_options();
    options.train.run.max_iterations = 40;  // enough for small costs
    options.refit = false;
    const SelectResult result = select_model(data, options, context);
    const auto converged = std::count_if(result.table.begin(), result.table.end(),
                                         [](const SelectRow& row) { return row.converged; });
    ASSERT_GT(converged, 0);
    ASSERT_LT(converged, static_cast<std::ptrdiff_t>(result.table.size()));
    EXPECT_TRUE(result.table[result.best].converged);
}

TEST(Choice, ValuesAreAddedBeyondTheEdgeTheBestLiesOn) {
    Context context;
    const Dataset data = noisy_moons(150, 2, context);
    SelectOptions options = moons_options();
    options.grid = {{"C", {1.0}}, {"gamma", {0.03, 0.1}}};
    options.search.extensions = 4;
    const SelectResult result = select_model(data, options, context);
    EXPECT_GT(result.table.size(), 2U);
    EXPECT_GT(result.table[result.best].values[1], 0.1);
    options.search.extensions = 0;
    EXPECT_EQ(select_model(data, options, context).table.size(), 2U);
}

TEST(Choice, FoldsOfManyKindsJudgeAsMachinesTrainedOneByOne) {
    Context context;
    const Dataset data = noisy_moons(90, 3, context);
    SelectOptions options = moons_options();
    options.grid = {{"C", {0.1, 10.0}}};
    options.refit = false;
    options.division.given = {{{0, 3, 6, 9, 12, 15, 18, 21, 24, 50, 60, 70}, {1, 2, 4, 5}},
                              {{1, 2, 4, 5, 40, 41, 42, 80, 81, 82}, {0, 3, 6, 9, 12}}};
    const SelectResult given = select_model(data, options, context);
    options.division.given.clear();
    options.division.time_ordered = true;
    const SelectResult ordered = select_model(data, options, context);
    for (const auto& [result, folds] :
         {std::pair{&given,
                    std::vector<Split>{{{0, 3, 6, 9, 12, 15, 18, 21, 24, 50, 60, 70}, {1, 2, 4, 5}},
                                       {{1, 2, 4, 5, 40, 41, 42, 80, 81, 82}, {0, 3, 6, 9, 12}}}},
          std::pair{&ordered, make_time_folds(90, 5)}}) {
        for (const SelectRow& row : result->table) {
            TrainOptions one = options.train;
            one.objective.cost = row.values[0];
            for (std::size_t f = 0; f < folds.size(); ++f) {
                const Model model = train(data.select(folds[f].train), one, context).model;
                EXPECT_NEAR(row.scores[f],
                            evaluate_classes(model, data.select(folds[f].test), context).accuracy,
                            1e-12);
            }
        }
    }
}

TEST(Choice, AStoppedSearchGoesOnToTheSameTable) {
    Context context;
    const Dataset data = generate({.name = "sinc", .rows = 400, .noise = 0.2, .seed = 4}, context);
    SelectOptions options = moons_options();
    options.train.model = "svr";  // regression errors reveal every bit of a start
    options.train.run.gap_tolerance = 1e-7;
    options.refit = false;
    const SelectResult whole = select_model(data, options, context);
    MemoryFiles files;
    index_t runs = 0;
    SelectResult found;
    for (double limit = 0.02;; limit *= 1.3) {
        Context limited(ContextOptions{.threads = 2, .time_limit = limit});
        Checkpoint checkpoint({.path = "c", .seconds = 0.0, .resume = true}, limited, files);
        options.search.checkpoint = &checkpoint;
        ++runs;
        try {
            found = select_model(data, options, limited);
            if (found.unjudged == 0) {
                break;
            }
        } catch (const Interrupted&) {
        }
    }
    EXPECT_GT(runs, 1);
    ASSERT_EQ(found.table.size(), whole.table.size());
    for (std::size_t i = 0; i < whole.table.size(); ++i) {
        EXPECT_EQ(found.table[i].measures, whole.table[i].measures) << i;
        EXPECT_EQ(found.table[i].scores, whole.table[i].scores) << i;
    }
    options.grid[0].values.push_back(1000.0);
    Checkpoint other({.path = "c", .seconds = 0.0, .resume = true}, context, files);
    options.search.checkpoint = &other;
    EXPECT_THROW((void)select_model(data, options, context), DataError);
}

TEST(Choice, HeldValuesStayWithinTheMemoryAndChangeNothingBeyondTheTolerance) {
    Context roomy;
    const Dataset data = noisy_moons(1500, 5, roomy);
    SelectOptions options = moons_options();
    options.train.run.gap_tolerance = 1e-6;
    options.grid = {{"C", {0.1, 10.0}}, {"gamma", {1.0, 10.0}}};
    options.refit = false;
    const SelectResult held = select_model(data, options, roomy);
    constexpr index_t kTooLittle = index_t{16} << 20;  // K takes 9 MB, more than half of it
    Context narrow(ContextOptions{.threads = 2, .memory = kTooLittle});
    const SelectResult computed = select_model(data, options, narrow);
    EXPECT_LE(narrow.memory()->peak(), kTooLittle);
    ASSERT_EQ(held.table.size(), computed.table.size());
    for (std::size_t i = 0; i < held.table.size(); ++i) {
        EXPECT_NEAR(measure(held, i), measure(computed, i), 3.0 / 1500.0) << i;
    }
}

/// Four classes: the side of the moons' first column, and the moon.
Dataset four_classes(index_t rows, Context& context) {
    Dataset data = noisy_moons(rows, 7, context);
    std::vector<double> row(static_cast<std::size_t>(data.columns()));
    for (index_t i = 0; i < data.rows(); ++i) {
        data.copy_row(i, row);
        data.targets[static_cast<std::size_t>(i)] += row[0] > 0.5 ? 2.0 : 0.0;
    }
    data.label_names = {"a", "b", "c", "d"};
    return data;
}

TEST(Choice, OfManyClassesHasTheScoresOfMachinesTrainedOneByOne) {
    Context roomy(ContextOptions{.threads = 2});
    const Dataset data = four_classes(1500, roomy);
    SelectOptions options = moons_options();
    options.train.run.gap_tolerance = 1e-6;
    options.grid = {{"C", {0.1, 10.0}}, {"gamma", {1.0, 10.0}}};
    options.refit = false;
    const SelectResult held = select_model(data, options, roomy);
    Context alone(ContextOptions{.threads = 1});
    const SelectResult again = select_model(data, options, alone);
    // K takes 9 MB, more than half of this: every machine computes its own values.
    Context narrow(ContextOptions{.threads = 2, .memory = index_t{16} << 20});
    const SelectResult computed = select_model(data, options, narrow);
    ASSERT_EQ(held.table.size(), computed.table.size());
    for (std::size_t i = 0; i < held.table.size(); ++i) {
        EXPECT_NEAR(measure(held, i), measure(computed, i), 3.0 / 1500.0) << i;
        EXPECT_GT(measure(held, i), 0.5) << i;
        EXPECT_EQ(held.table[i].scores, again.table[i].scores) << i;
    }
}

TEST(Choice, DrawsLieBetweenTheEndsAndHalvingEndsOnAllRows) {
    Context context;
    const Dataset data = noisy_moons(900, 6, context);
    SelectOptions options = moons_options();
    options.refit = false;
    options.search = {.kind = SearchKind::random, .draws = 12};
    const SelectResult drawn = select_model(data, options, context);
    ASSERT_EQ(drawn.table.size(), 12U);
    for (const SelectRow& row : drawn.table) {
        EXPECT_TRUE(row.values[0] >= 0.01 && row.values[0] <= 100.0);
        EXPECT_TRUE(row.values[1] >= 0.1 && row.values[1] <= 10.0);
    }
    options.search = {.kind = SearchKind::halving};
    const SelectResult halved = select_model(data, options, context);
    ASSERT_EQ(halved.table.size(), 15U);
    index_t on_all = 0;
    for (const SelectRow& row : halved.table) {
        on_all += row.rows == 900;
    }
    EXPECT_EQ(on_all, 2);  // 15, 5, 2 on 100, 300 and 900 rows
    EXPECT_EQ(halved.table[halved.best].rows, 900);
}

TEST(Slow_choice, nested_intervals_of_pure_noise_contain_chance) {
    index_t contained = 0;
    for (index_t seed = 0; seed < 100; ++seed) {
        Context context(ContextOptions{.threads = 2, .seed = static_cast<std::uint64_t>(seed)});
        Dataset data = noisy_moons(80, seed, context);
        Random random = context.random(99);
        const std::vector<index_t> order = random.permutation(80);
        for (index_t i = 0; i < 80; ++i) {  // half of each class, unrelated to the columns
            data.targets[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])] =
                i % 2 == 0 ? 0.0 : 1.0;
        }
        SelectOptions options = moons_options();
        options.grid = {{"C", {0.1, 1.0, 10.0}}, {"gamma", {0.1, 1.0, 10.0}}};
        options.folds = 4;
        const NestedResult nested = nested_estimate(data, options, 5, 0, context);
        EXPECT_EQ(nested.measure, "accuracy");
        contained += nested.estimate.lower <= 0.5 && 0.5 <= nested.estimate.upper;
    }
    EXPECT_GE(contained, 90);
}

}  // namespace
}  // namespace mercer
