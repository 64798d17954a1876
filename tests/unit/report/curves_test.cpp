// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/report/curves_test.cpp - curves and counts checked by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "mercer/runtime/context.hpp"
#include "report/gathering.hpp"

namespace mercer::report {
namespace {

TEST(CurvesTest, RocAndPrecisionOfFiveRows) {
    // Descending scores: + - + + -, the third and fourth tied.
    const ClassCurve curve =
        class_curve({5.0, 4.0, 3.0, 3.0, 1.0}, {true, false, true, true, false});
    EXPECT_EQ(curve.positives, 3);
    // Pairs in order: the first + beats both -, the tied ones beat the last -: 2 + 1 + 1 of 6.
    EXPECT_NEAR(curve.auc, 4.0 / 6.0, 1e-15);
    // Steps of recall: 1/3 at precision 1, 2/3 at precision 3/4.
    EXPECT_NEAR(curve.average_precision, 1.0 / 3.0 + 2.0 / 3.0 * 0.75, 1e-15);
    const std::vector<std::pair<double, double>> roc{
        {0.0, 0.0}, {0.0, 1.0 / 3.0}, {0.5, 1.0 / 3.0}, {0.5, 1.0}, {1.0, 1.0}};
    ASSERT_EQ(curve.roc.size(), roc.size());
    for (std::size_t k = 0; k < roc.size(); ++k) {
        EXPECT_NEAR(curve.roc[k].first, roc[k].first, 1e-15);
        EXPECT_NEAR(curve.roc[k].second, roc[k].second, 1e-15);
    }
}

TEST(CurvesTest, AClassWithoutRowsHasNoCurve) {
    const ClassCurve curve = class_curve({1.0, 2.0}, {false, false});
    EXPECT_TRUE(std::isnan(curve.auc));
    EXPECT_TRUE(curve.roc.empty());
}

TEST(CurvesTest, BinsOfProbabilitiesAreClosedAbove) {
    const std::vector<CalibrationBin> bins =
        calibration_of({0.05, 0.1, 0.11, 0.95, 1.0}, {false, true, true, true, true}, 0.95);
    ASSERT_EQ(bins.size(), 3U);
    EXPECT_EQ(bins[0].rows, 2);
    EXPECT_NEAR(bins[0].predicted, 0.075, 1e-15);
    EXPECT_NEAR(bins[0].observed, 0.5, 1e-15);
    EXPECT_EQ(bins[1].rows, 1);
    EXPECT_EQ(bins[2].rows, 2);
    EXPECT_EQ(bins[2].high, 1.0);
}

TEST(CurvesTest, AHistogramCountsEveryRowAndHasABorderAtZero) {
    std::vector<double> values;
    std::vector<std::string> classes;
    for (int i = 0; i < 1000; ++i) {
        values.push_back(0.013 * i - 3.0);
        classes.push_back(i % 3 == 0 ? "a" : "b");
    }
    const ReportHistogram histogram = histogram_of(values, classes, 30);
    index_t all = 0;
    for (const auto& [name, counts] : histogram.counts) {
        all += std::accumulate(counts.begin(), counts.end(), index_t{0});
    }
    EXPECT_EQ(all, 1000);
    EXPECT_NEAR(std::remainder(histogram.low, histogram.width), 0.0, 1e-9);
    const auto zero = static_cast<std::size_t>(std::lround(-histogram.low / histogram.width));
    const std::vector<index_t>& a = histogram.counts.at("a");
    // 77 rows of class a, 0, 3, ..., 228, have a value below 0: 0.013 * 230 < 3 < 0.013 * 231.
    EXPECT_EQ(std::accumulate(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(zero), index_t{0}),
              77);
}

TEST(CurvesTest, AThinnedCurveKeepsItsEnds) {
    std::vector<std::pair<double, double>> curve;
    for (int k = 0; k <= 5000; ++k) {
        curve.emplace_back(k / 5000.0, std::sqrt(k / 5000.0));
    }
    const auto few = thinned(curve, 100);
    EXPECT_LE(few.size(), 101U);
    EXPECT_GE(few.size(), 60U);
    EXPECT_EQ(few.front(), curve.front());
    EXPECT_EQ(few.back(), curve.back());
}

TEST(CurvesTest, SomeRowsAreSpreadOverAll) {
    Context context;
    const std::vector<index_t> some = some_of(1000, 10, context);
    ASSERT_EQ(some.size(), 10U);
    for (std::size_t k = 0; k < some.size(); ++k) {
        EXPECT_EQ(some[k] / 100, static_cast<index_t>(k));
    }
    EXPECT_EQ(some_of(3, 10, context), (std::vector<index_t>{0, 1, 2}));
}

}  // namespace
}  // namespace mercer::report
