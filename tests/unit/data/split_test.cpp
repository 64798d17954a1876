// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/data/split_test.cpp - divisions are complete, disjoint, balanced and repeatable.
#include "mercer/data/split.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mercer/base/error.hpp"
#include "unit/data/reading.hpp"

namespace mercer {
namespace {

/// 100 rows: 60 of class a, 30 of b, 10 of c.
Dataset hundred() {
    static const std::vector<double> values(100, 1.0);
    Dataset data(MatrixView<const double>(values.data(), 100, 1));
    data.targets.assign(100, 0.0);
    std::fill(data.targets.begin() + 60, data.targets.begin() + 90, 1.0);
    std::fill(data.targets.begin() + 90, data.targets.end(), 2.0);
    data.label_names = {"a", "b", "c"};
    return data;
}

std::vector<index_t> class_counts(const Dataset& data, const std::vector<index_t>& rows) {
    std::vector<index_t> counts(3, 0);
    for (const index_t row : rows) {
        ++counts[static_cast<std::size_t>(data.targets[static_cast<std::size_t>(row)])];
    }
    return counts;
}

bool is_whole(const Split& split, index_t rows) {
    std::vector<index_t> all = split.train;
    all.insert(all.end(), split.test.begin(), split.test.end());
    std::sort(all.begin(), all.end());
    std::vector<index_t> expected(static_cast<std::size_t>(rows));
    std::iota(expected.begin(), expected.end(), 0);
    return all == expected;
}

TEST(Split, parts_are_disjoint_and_complete_and_keep_class_shares) {
    const Dataset data = hundred();
    for (const double fraction : {0.0, 0.1, 0.25, 0.333, 0.5, 1.0}) {
        SplitOptions options;
        options.test_fraction = fraction;
        const Split split = split_rows(data, options);
        EXPECT_TRUE(is_whole(split, 100));
        EXPECT_EQ(static_cast<double>(split.test.size()), std::round(100 * fraction));
        const std::vector<index_t> counts = class_counts(data, split.test);
        const double sizes[] = {60, 30, 10};
        for (std::size_t c = 0; c < 3; ++c) {
            EXPECT_LT(std::abs(static_cast<double>(counts[c]) - fraction * sizes[c]), 1.0);
        }
    }
}

TEST(Split, the_seed_decides) {
    const Dataset data = hundred();
    SplitOptions options;
    const Split first = split_rows(data, options);
    EXPECT_EQ(split_rows(data, options).test, first.test);
    options.seed = 1;
    EXPECT_NE(split_rows(data, options).test, first.test);
    options.stratify = false;
    EXPECT_TRUE(is_whole(split_rows(data, options), 100));
}

TEST(Split, bad_fractions_are_refused) {
    SplitOptions options;
    options.test_fraction = 1.5;
    EXPECT_THROW((void)split_rows(hundred(), options), InvalidArgument);
    EXPECT_TRUE(split_rows(Dataset(), SplitOptions{}).train.empty());
}

TEST(Folds, every_row_is_tested_once_and_folds_are_balanced) {
    const Dataset data = hundred();
    for (const index_t count : {2, 3, 7, 100}) {
        FoldOptions options;
        options.folds = count;
        const std::vector<Split> folds = make_folds(data, options);
        ASSERT_EQ(static_cast<index_t>(folds.size()), count);
        std::vector<index_t> tested;
        for (const Split& fold : folds) {
            EXPECT_TRUE(is_whole(fold, 100));
            tested.insert(tested.end(), fold.test.begin(), fold.test.end());
            EXPECT_LE(std::abs(static_cast<double>(fold.test.size()) - 100.0 / count), 1.0);
            const std::vector<index_t> counts = class_counts(data, fold.test);
            const double sizes[] = {60, 30, 10};
            for (std::size_t c = 0; c < 3; ++c) {
                EXPECT_LE(std::abs(static_cast<double>(counts[c]) - sizes[c] / count), 1.0);
            }
        }
        std::sort(tested.begin(), tested.end());
        EXPECT_EQ(std::unique(tested.begin(), tested.end()) - tested.begin(), 100);
    }
}

TEST(Folds, more_folds_than_rows_are_refused) {
    FoldOptions options;
    options.folds = 101;
    EXPECT_THROW((void)make_folds(hundred(), options), InvalidArgument);
    options.folds = 1;
    EXPECT_THROW((void)make_folds(hundred(), options), InvalidArgument);
}

}  // namespace
}  // namespace mercer
