// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/theory/distance_summary_test.cpp - extremes, means and medians of known distances.
#include "mercer/theory/distance_summary.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "mercer/runtime/context.hpp"

namespace mercer {
namespace {

TEST(DistanceSummary, counts_each_pair_of_one_set_once) {
    // Points 0, 1, 3, 3 of the line.
    const std::vector<double> points{0, 1, 3, 3};
    std::vector<double> values;
    for (const double x : points) {
        for (const double z : points) {
            values.push_back(std::abs(x - z));
        }
    }
    Context context;
    DistanceCollector collector(true, 6, 2, context);
    collector.add_rows(0, MatrixView<const double>(values.data(), 3, 4));
    collector.add_rows(3, MatrixView<const double>(values.data() + 12, 1, 4));
    const DistanceSummary summary = collector.summary();
    EXPECT_EQ(summary.pairs, 6);
    EXPECT_EQ(summary.zero, 1);
    EXPECT_EQ(summary.least, 0.0);
    EXPECT_EQ(summary.greatest, 3.0);
    EXPECT_DOUBLE_EQ(summary.mean, (1 + 3 + 3 + 2 + 2 + 0) / 6.0);
    EXPECT_EQ(summary.median, 2.0);
    EXPECT_EQ(summary.median_error, 0.0);
    ASSERT_EQ(summary.nearest.size(), 2U);
    EXPECT_EQ(summary.nearest[0].row, 2);
    EXPECT_EQ(summary.nearest[0].column, 3);
    EXPECT_EQ(summary.nearest[1].distance, 1.0);
}

TEST(DistanceSummary, an_even_number_of_pairs_has_the_mean_of_the_middle_two) {
    const std::vector<double> values{1, 2, 4, 9};
    Context context;
    DistanceCollector collector(false, 4, 1, context);
    collector.add_rows(0, MatrixView<const double>(values.data(), 2, 2));
    EXPECT_EQ(collector.summary().median, 3.0);
}

TEST(DistanceSummary, no_pairs_have_no_numbers) {
    Context context;
    DistanceCollector collector(true, 0, 5, context);
    const DistanceSummary summary = collector.summary();
    EXPECT_EQ(summary.pairs, 0);
    EXPECT_TRUE(std::isnan(summary.median));
}

TEST(DistanceSummary, the_median_of_very_many_is_within_its_stated_error) {
    Context context;
    const index_t pairs = (index_t{1} << 24) + 1;
    DistanceCollector collector(false, pairs, 1, context);
    // 1/n, 2/n, ..., 1: the median is 1/2. Blocks of rows of 2^16.
    const index_t width = index_t{1} << 16;
    std::vector<double> row(static_cast<std::size_t>(width));
    index_t done = 0;
    for (index_t i = 0; done + width < pairs; ++i) {
        for (double& value : row) {
            value = static_cast<double>(++done) / static_cast<double>(pairs);
        }
        collector.add_rows(i, MatrixView<const double>(row.data(), 1, width));
    }
    const DistanceSummary summary = collector.summary();
    EXPECT_GT(summary.median_error, 0.0);
    EXPECT_NEAR(summary.median, 0.5, 0.5 * summary.median_error + 0.01);
    EXPECT_LE(summary.median_error, 2.5e-4);
}

}  // namespace
}  // namespace mercer
