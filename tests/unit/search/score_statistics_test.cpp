// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/search/score_statistics_test.cpp - intervals and tests of scores, by scipy and by
// hand.
#include "mercer/search/score_statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace mercer {
namespace {

TEST(ScoreStatistics, StandardErrorCountsTheFoldsOfOneDivision) {
    const std::vector<double> scores{0.8, 0.9, 0.7, 0.8};
    // The mean is 0.8, the squares sum to 0.02.
    EXPECT_NEAR(standard_error(scores, 4), std::sqrt(0.02 / 3.0 / 4.0), 1e-15);
    EXPECT_NEAR(standard_error(scores, 2), std::sqrt(0.02 / 3.0 / 2.0), 1e-15);
    EXPECT_TRUE(std::isnan(standard_error(std::vector<double>{0.5}, 1)));
}

TEST(ScoreStatistics, TheShareIsThatOfTheRows) {
    const std::vector<Split> folds{{{0, 1, 2, 3}, {4}}, {{0, 1}, {2, 3, 4}}};
    EXPECT_NEAR(test_share(folds), 0.5 * (0.25 + 1.5), 1e-15);
}

TEST(ScoreStatistics, PairedComparisonIsTheCorrectedResampledTest) {
    // numpy and scipy: d = a - b, s2 = d.var(ddof=1), se = sqrt((1/5 + 1/4) s2),
    // p = 2 t.sf(d.mean() / se, 4), interval d.mean() -+ t.ppf(0.975, 4) se.
    const std::vector<double> a{0.81, 0.84, 0.79, 0.86, 0.83};
    const std::vector<double> b{0.80, 0.80, 0.78, 0.84, 0.83};
    const double mean = (0.01 + 0.04 + 0.01 + 0.02 + 0.0) / 5.0;
    double squares = 0.0;
    for (const double d : {0.01, 0.04, 0.01, 0.02, 0.0}) {
        squares += (d - mean) * (d - mean);
    }
    const double error = std::sqrt((0.2 + 0.25) * squares / 4.0);
    const PairedComparison pair = compare_paired(a, b, 0.25);
    EXPECT_NEAR(pair.difference.mean, mean, 1e-15);
    EXPECT_NEAR(pair.difference.standard_error, error, 1e-15);
    EXPECT_NEAR(pair.difference.lower, mean - 2.7764451051977987 * error, 1e-12);
    EXPECT_NEAR(pair.difference.upper, mean + 2.7764451051977987 * error, 1e-12);
    // Student with four degrees in closed form: F(t) = 1/2 + t (t^2 + 6) / (2 (t^2 + 4)^(3/2)).
    const double t = mean / error;
    const double p = 1.0 - t * (t * t + 6.0) / std::pow(t * t + 4.0, 1.5);
    EXPECT_NEAR(pair.p_value, p, 1e-12);
    EXPECT_EQ(compare_paired(a, a, 0.25).p_value, 1.0);
}

}  // namespace
}  // namespace mercer
