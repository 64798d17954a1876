// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/report/intervals_test.cpp - intervals compared with tables and closed forms.
#include "mercer/report/intervals.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace mercer::report {
namespace {

/// P(at least `hits` of `rows`) for a share p, summed term by term.
double upper_tail(index_t hits, index_t rows, double p) {
    double sum = 0.0;
    for (index_t k = hits; k <= rows; ++k) {
        const auto a = static_cast<double>(k);
        const auto n = static_cast<double>(rows);
        sum += std::exp(std::lgamma(n + 1) - std::lgamma(a + 1) - std::lgamma(n - a + 1) +
                        a * std::log(p) + (n - a) * std::log1p(-p));
    }
    return sum;
}

TEST(IntervalsTest, TheEndsOfAnExactIntervalHaveTheirTails) {
    for (const auto& [hits, rows] :
         {std::pair<index_t, index_t>{8, 10}, {1, 7}, {50, 100}, {499, 500}}) {
        const Interval interval = exact_interval(hits, rows, 0.95);
        EXPECT_NEAR(upper_tail(hits, rows, interval.lower), 0.025, 1e-10);
        EXPECT_NEAR(1.0 - upper_tail(hits + 1, rows, interval.upper), 0.025, 1e-10);
    }
}

TEST(IntervalsTest, NoneAndAllHaveTheirClosedForms) {
    const Interval none = exact_interval(0, 20, 0.95);
    EXPECT_EQ(none.lower, 0.0);
    EXPECT_NEAR(none.upper, 1.0 - std::pow(0.025, 1.0 / 20.0), 1e-12);
    const Interval all = exact_interval(20, 20, 0.95);
    EXPECT_NEAR(all.lower, std::pow(0.025, 1.0 / 20.0), 1e-12);
    EXPECT_EQ(all.upper, 1.0);
    EXPECT_TRUE(std::isnan(exact_interval(0, 0, 0.95).lower));
}

TEST(IntervalsTest, TheBootstrapOfAMeanIsThatOfNormalTheory) {
    // 400 values of variance 1: the mean has the standard deviation 1/20.
    std::vector<double> values;
    for (int i = 0; i < 400; ++i) {
        values.push_back(i % 2 == 0 ? -1.0 : 1.0);
    }
    const auto mean = [&](std::span<const index_t> counts) {
        double sum = 0.0;
        for (std::size_t i = 0; i < counts.size(); ++i) {
            sum += static_cast<double>(counts[i]) * values[i];
        }
        return std::vector<double>{sum / 400.0, kNaN};
    };
    const std::vector<Interval> intervals =
        bootstrap_intervals(400, mean, {.samples = 4000, .level = 0.95, .seed = 3});
    EXPECT_NEAR(intervals[0].lower, -1.96 / 20.0, 0.008);
    EXPECT_NEAR(intervals[0].upper, 1.96 / 20.0, 0.008);
    EXPECT_TRUE(std::isnan(intervals[1].lower));
}

TEST(IntervalsTest, TheSameSeedGivesTheSameInterval) {
    const auto first = [](std::span<const index_t> counts) {
        return std::vector<double>{static_cast<double>(counts[0])};
    };
    const BootstrapOptions options{.samples = 50, .level = 0.9, .seed = 11};
    const Interval once = bootstrap_intervals(30, first, options).front();
    const Interval again = bootstrap_intervals(30, first, options).front();
    EXPECT_EQ(once.lower, again.lower);
    EXPECT_EQ(once.upper, again.upper);
}

}  // namespace
}  // namespace mercer::report
