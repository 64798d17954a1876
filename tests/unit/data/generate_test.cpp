// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/data/generate_test.cpp - generated rows obey their formulas.
#include "mercer/data/generate.hpp"

#include <cmath>
#include <numbers>

#include "mercer/base/error.hpp"
#include "mercer/data/summary.hpp"
#include "unit/data/reading.hpp"

namespace mercer {
namespace {

using testing::row_of;

const std::vector<std::string> kClassifiers{"blobs", "gaussian-mixture", "moons", "spirals",
                                            "xor",   "checkerboard"};

GenerateOptions options(const std::string& name, double noise = 0.0, index_t rows = 400) {
    GenerateOptions result;
    result.name = name;
    result.noise = noise;
    result.rows = rows;
    return result;
}

Dataset make(const GenerateOptions& options) {
    Context context;
    return generate(options, context);
}

TEST(Generate, every_rule_is_repeatable_and_longer_sets_start_with_shorter_ones) {
    std::vector<std::string> names = kClassifiers;
    names.insert(names.end(), {"friedman1", "sinc", "ordinal", "queries"});
    for (const std::string& name : names) {
        const Dataset data = make(options(name, 0.2));
        EXPECT_EQ(data.rows(), 400) << name;
        EXPECT_TRUE(testing::same_data(make(options(name, 0.2)), data)) << name;
        const Dataset shorter = make(options(name, 0.2, 100));
        for (index_t i = 0; i < 100; ++i) {
            ASSERT_EQ(row_of(shorter, i), row_of(data, i)) << name;
        }
        GenerateOptions other = options(name, 0.2);
        other.seed = 1;
        EXPECT_FALSE(testing::same_data(make(other), data)) << name;
        EXPECT_EQ(make(options(name, 0.2, 0)).rows(), 0) << name;
    }
}

TEST(Generate, classes_are_balanced_and_named) {
    for (const std::string& name : kClassifiers) {
        const DatasetSummary summary = summarize(make(options(name, 0.1)));
        ASSERT_EQ(summary.classes.size(), 2U) << name;
        EXPECT_EQ(summary.classes[0].name, "-1");
        EXPECT_EQ(summary.classes[1].name, "1");
        EXPECT_GT(summary.classes[0].rows, 150) << name;
        EXPECT_GT(summary.classes[1].rows, 150) << name;
    }
    GenerateOptions many = options("blobs");
    many.classes = 5;
    const Dataset data = make(many);
    EXPECT_EQ(data.label_names, (std::vector<std::string>{"1", "2", "3", "4", "5"}));
    EXPECT_EQ(summarize(data).classes[4].rows, 80);
}

TEST(Generate, friedman1_without_noise_is_its_formula) {
    const Dataset data = make(options("friedman1"));
    EXPECT_EQ(data.columns(), 10);
    EXPECT_TRUE(data.label_names.empty());
    for (index_t i = 0; i < data.rows(); ++i) {
        const std::vector<double> x = row_of(data, i);
        const double y = 10 * std::sin(std::numbers::pi * x[0] * x[1]) +
                         20 * std::pow(x[2] - 0.5, 2) + 10 * x[3] + 5 * x[4];
        EXPECT_NEAR(data.targets[static_cast<std::size_t>(i)], y, 1e-12);
    }
}

TEST(Generate, sinc_without_noise_is_its_formula) {
    const Dataset data = make(options("sinc"));
    for (index_t i = 0; i < data.rows(); ++i) {
        const double x = row_of(data, i)[0];
        EXPECT_LE(std::abs(x), 10.0);
        EXPECT_NEAR(data.targets[static_cast<std::size_t>(i)], std::sin(x) / x, 1e-12);
    }
}

TEST(Generate, moons_without_noise_lie_on_two_half_circles) {
    const Dataset data = make(options("moons"));
    for (index_t i = 0; i < data.rows(); ++i) {
        const std::vector<double> x = row_of(data, i);
        const bool second = data.targets[static_cast<std::size_t>(i)] == 1.0;
        EXPECT_NEAR(second ? std::hypot(x[0] - 1.0, x[1] - 0.5) : std::hypot(x[0], x[1]), 1.0,
                    1e-12);
    }
}

TEST(Generate, spirals_without_noise_turn_with_the_radius) {
    GenerateOptions three = options("spirals");
    three.classes = 3;
    const Dataset data = make(three);
    for (index_t i = 0; i < data.rows(); ++i) {
        const std::vector<double> x = row_of(data, i);
        const double r = std::hypot(x[0], x[1]);
        const double angle =
            2 * std::numbers::pi * (1.5 * r + data.targets[static_cast<std::size_t>(i)] / 3.0);
        EXPECT_NEAR(x[0], r * std::cos(angle), 1e-12);
        EXPECT_NEAR(x[1], r * std::sin(angle), 1e-12);
    }
}

TEST(Generate, xor_and_checkerboard_without_noise_follow_their_parity) {
    GenerateOptions wide = options("xor");
    wide.columns = 3;
    const Dataset parity = make(wide);
    for (index_t i = 0; i < parity.rows(); ++i) {
        int positive = 0;
        for (const double value : row_of(parity, i)) {
            positive += value > 0.0;
        }
        EXPECT_EQ(parity.targets[static_cast<std::size_t>(i)], positive % 2);
    }
    GenerateOptions three = options("checkerboard");
    three.classes = 3;
    const Dataset board = make(three);
    for (index_t i = 0; i < board.rows(); ++i) {
        const std::vector<double> x = row_of(board, i);
        EXPECT_EQ(board.targets[static_cast<std::size_t>(i)],
                  static_cast<int>(std::floor(x[0]) + std::floor(x[1])) % 3);
    }
}

TEST(Generate, flipped_labels_are_as_many_as_the_noise_says) {
    const Dataset clean = make(options("xor", 0.0, 10000));
    GenerateOptions always = options("xor", 1.0);
    const Dataset flipped = make(always);
    for (index_t i = 0; i < flipped.rows(); ++i) {
        const std::vector<double> x = row_of(flipped, i);
        const int parity = ((x[0] > 0.0) + (x[1] > 0.0)) % 2;
        EXPECT_EQ(flipped.targets[static_cast<std::size_t>(i)], 1 - parity);
    }
    EXPECT_EQ(clean.rows(), 10000);
}

TEST(Generate, grades_follow_the_mean_of_the_columns_within_a_query) {
    GenerateOptions rule = options("ordinal");
    rule.classes = 4;
    const Dataset ordinal = make(rule);
    EXPECT_EQ(ordinal.label_names, (std::vector<std::string>{"1", "2", "3", "4"}));
    for (index_t i = 0; i < ordinal.rows(); ++i) {
        const std::vector<double> x = row_of(ordinal, i);
        EXPECT_EQ(ordinal.targets[static_cast<std::size_t>(i)],
                  std::floor(4.0 * (x[0] + x[1]) / 2.0));
    }
    rule.name = "queries";
    const Dataset queries = make(rule);
    EXPECT_TRUE(queries.label_names.empty());
    for (std::size_t i = 0; i < queries.targets.size(); ++i) {
        EXPECT_EQ(queries.queries[i], static_cast<index_t>(i / 10 + 1));
        const std::vector<double> a = row_of(queries, static_cast<index_t>(i));
        const auto first = static_cast<index_t>(i / 10 * 10);
        const std::vector<double> b = row_of(queries, first);
        if (queries.targets[i] > queries.targets[static_cast<std::size_t>(first)]) {
            EXPECT_GT(a[0] + a[1], b[0] + b[1]);
        }
    }
}

TEST(Generate, options_that_do_not_fit_the_rule_are_refused) {
    Context context;
    GenerateOptions bad = options("moons");
    bad.columns = 3;
    EXPECT_THROW((void)generate(bad, context), InvalidArgument);
    bad = options("moons");
    bad.classes = 3;
    EXPECT_THROW((void)generate(bad, context), InvalidArgument);
    bad = options("friedman1");
    bad.columns = 4;
    EXPECT_THROW((void)generate(bad, context), InvalidArgument);
    bad = options("xor", 1.5);
    EXPECT_THROW((void)generate(bad, context), InvalidArgument);
    bad = options("circles");
    EXPECT_THROW((void)generate(bad, context), InvalidArgument);
    Context small(ContextOptions{.memory = 1000});
    EXPECT_THROW((void)generate(options("blobs"), small), ResourceError);
}

}  // namespace
}  // namespace mercer
