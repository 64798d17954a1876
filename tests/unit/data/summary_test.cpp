// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/data/summary_test.cpp - counts and moments checked by hand.
#include "mercer/data/summary.hpp"

#include <cmath>

#include "mercer/data/convert.hpp"
#include "unit/data/reading.hpp"

namespace mercer {
namespace {

using testing::read_text;

TEST(Summary, sparse_rows_are_counted_with_their_zeros) {
    const Dataset data = read_text("1 1:2 3:4\n-1\n1 1:-2 4:0\n").value();
    const DatasetSummary summary = summarize(data);
    EXPECT_EQ(summary.rows, 3);
    EXPECT_EQ(summary.columns, 4);
    EXPECT_EQ(summary.stored, 4);
    EXPECT_EQ(summary.nonzero, 3);
    EXPECT_DOUBLE_EQ(summary.density, 0.25);
    EXPECT_EQ(summary.storage, "sparse");
    EXPECT_EQ(summary.minimum, -2.0);
    EXPECT_EQ(summary.maximum, 4.0);
    EXPECT_DOUBLE_EQ(summary.mean, 4.0 / 12.0);
    EXPECT_DOUBLE_EQ(summary.variance, 24.0 / 12.0 - 1.0 / 9.0);
    EXPECT_EQ(summary.constant_columns, 2);
    EXPECT_EQ(summary.empty_rows, 1);
    ASSERT_EQ(summary.classes.size(), 2U);
    EXPECT_EQ(summary.classes[1].name, "1");
    EXPECT_EQ(summary.classes[1].rows, 2);
    EXPECT_DOUBLE_EQ(summary.target_mean, 1.0 / 3.0);
    EXPECT_DOUBLE_EQ(scale_gamma(data), 1.0 / (4.0 * summary.variance));
}

TEST(Summary, entries_that_are_not_stored_count_among_the_extremes) {
    const DatasetSummary positive = summarize(read_text("1 1:2 2:3\n1 1:4\n").value());
    EXPECT_EQ(positive.minimum, 0.0);
    EXPECT_EQ(positive.maximum, 4.0);
    const DatasetSummary negative = summarize(read_text("1 1:-2 2:-3\n1 1:-4\n").value());
    EXPECT_EQ(negative.minimum, -4.0);
    EXPECT_EQ(negative.maximum, 0.0);
    const DatasetSummary full = summarize(read_text("1 1:2 2:3\n1 1:4 2:5\n").value());
    EXPECT_EQ(full.minimum, 2.0);
}

TEST(Summary, dense_and_sparse_storage_agree) {
    const Dataset sparse = read_text("1 1:2 3:4\n-1 2:7\n1 1:-2 4:1\n").value();
    const DatasetSummary a = summarize(sparse);
    const DatasetSummary b = summarize(to_dense(sparse));
    EXPECT_NEAR(a.variance, b.variance, 1e-14);
    EXPECT_EQ(a.constant_columns, b.constant_columns);
    EXPECT_EQ(a.empty_rows, b.empty_rows);
    EXPECT_EQ(a.nonzero, b.nonzero);
    EXPECT_EQ(b.storage, "float64");
}

TEST(Summary, a_weight_of_two_counts_like_the_row_twice) {
    Dataset once = read_text("1 1:1\n1 1:5 2:1\n").value();
    once.weights = {1.0, 2.0};
    const Dataset twice = read_text("1 1:1\n1 1:5 2:1\n1 1:5 2:1\n").value();
    EXPECT_DOUBLE_EQ(value_variance(once), value_variance(twice));
    EXPECT_DOUBLE_EQ(scale_gamma(once), scale_gamma(twice));
}

TEST(Summary, gamma_is_one_when_the_data_are_constant_or_absent) {
    EXPECT_EQ(scale_gamma(Dataset()), 1.0);
    EXPECT_EQ(scale_gamma(read_text("3,0\n3,0\n", "a.csv").value()), 1.0);
    EXPECT_EQ(scale_gamma(read_text("1\n2\n").value()), 1.0);
    EXPECT_TRUE(std::isnan(summarize(Dataset()).mean));
}

TEST(Summary, wide_sparse_data_take_memory_by_entries) {
    const DatasetSummary summary = summarize(read_text("1 1:1 2147483649:1\n-1 1:2\n").value());
    EXPECT_EQ(summary.columns, 2147483649);
    EXPECT_EQ(summary.constant_columns, 2147483647);
    EXPECT_GT(summary.variance, 0.0);
}

TEST(Summary, numbers_to_regress_on_are_not_classes) {
    const DatasetSummary summary = summarize(read_text("1,0.5\n2,1.5\n3,2.5\n", "a.csv").value());
    EXPECT_TRUE(summary.classes.empty());
    EXPECT_EQ(summary.target_minimum, 0.5);
    EXPECT_EQ(summary.target_maximum, 2.5);
    EXPECT_EQ(summary.target_mean, 1.5);
    EXPECT_DOUBLE_EQ(summary.target_deviation, std::sqrt(2.0 / 3.0));
}

TEST(Summary, hints_name_what_looks_wrong) {
    const DatasetSummary summary =
        summarize(read_text("1,1000,7,5\n2,900000,7,5\n3,5,7,5\n", "a.csv").value());
    ASSERT_EQ(summary.hints.size(), 3U);
    EXPECT_EQ(summary.hints[0].substr(0, 23), "features look unscaled:");
    EXPECT_EQ(summary.hints[1].substr(0, 14), "1 of 3 columns");
    EXPECT_EQ(summary.hints[2].substr(0, 30), "all rows have the one target 5");
}

}  // namespace
}  // namespace mercer
