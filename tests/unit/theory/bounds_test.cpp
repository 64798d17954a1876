// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/theory/bounds_test.cpp - VC and margin bounds against their formulas.
#include "mercer/theory/bounds.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "mercer/base/error.hpp"
#include "support/facts.hpp"

namespace mercer {
namespace {

TEST(vc_bound, has_the_printed_values) {
    expect_fact("V05", "n=1000, h=10, delta=0.05", vc_bound(1000, 10, 0.05, 0.0).complexity_term);
    expect_fact("V05", "n=100, h=3, delta=0.1", vc_bound(100, 3, 0.1, 0.0).complexity_term);
    expect_fact("V05", "n=100, h=3, delta=0.1, risk=0.25", vc_bound(100, 3, 0.1, 0.25).bound);
}

TEST(vc_bound, grows_with_the_dimension_and_falls_with_rows_and_delta) {
    const double term = vc_bound(1000, 10, 0.05, 0.0).complexity_term;
    expect_fact("V05", "grows with h", vc_bound(1000, 11, 0.05, 0.0).complexity_term > term);
    expect_fact("V05", "falls with n", vc_bound(1001, 10, 0.05, 0.0).complexity_term < term);
    expect_fact("V05", "falls with delta", vc_bound(1000, 10, 0.06, 0.0).complexity_term < term);
}

TEST(vc_bound, names_the_least_number_of_rows_that_says_something) {
    for (const index_t dimension : {0, 1, 10, 5000}) {
        for (const double risk : {0.0, 0.3, 0.999}) {
            const index_t rows = vc_bound(dimension + 1, dimension, 0.05, risk).informative_rows;
            ASSERT_GT(rows, dimension);
            EXPECT_LT(vc_bound(rows, dimension, 0.05, risk).bound, 1.0);
            if (rows > dimension + 1) {
                EXPECT_GE(vc_bound(rows - 1, dimension, 0.05, risk).bound, 1.0);
            }
        }
    }
    EXPECT_EQ(vc_bound(100, 3, 0.05, 1.0).informative_rows, 0);
}

TEST(vc_bound, refuses_what_the_theorem_does_not_cover) {
    EXPECT_THROW((void)vc_bound(10, 10, 0.05, 0.0), InvalidArgument);
    EXPECT_THROW((void)vc_bound(10, -1, 0.05, 0.0), InvalidArgument);
    for (const double delta : {0.0, 1.0, -0.5, kNaN}) {
        EXPECT_THROW((void)vc_bound(10, 2, delta, 0.0), InvalidArgument) << delta;
    }
    for (const double risk : {-0.1, 1.1, kNaN}) {
        EXPECT_THROW((void)vc_bound(10, 2, 0.05, risk), InvalidArgument) << risk;
    }
}

/// The pair x = -1, +1 with f(x) = w x + b.
struct Pair {
    std::vector<double> targets{-1.0, 1.0};
    std::vector<double> values;
    MarginSample sample;

    Pair(double w, double b, bool intercept) : values{-w + b, w + b} {
        sample.targets = targets;
        sample.values = values;
        sample.squared_norm = w * w;
        sample.intercept = b;
        sample.has_intercept = intercept;
        sample.radius = 1.0;
        sample.trace = 2.0;
        sample.feature_dimension = 1;
    }
};

TEST(margin_bounds, a_pair_through_zero_has_dimension_one) {
    const Pair pair(1.0, 0.0, false);
    const MarginReport report = margin_bounds(pair.sample, 0.05);
    expect_fact("V06", "PAIR, R", report.embedded_radius);
    expect_fact("V06", "PAIR, Lambda", report.canonical_norm);
    expect_fact("V06", "PAIR, h at most", report.dimension);
    expect_fact("V06", "PAIR, distance of the nearest row", report.geometric_margin);
    // The canonical form does not depend on the scale of f.
    const Pair tripled(3.0, 0.0, false);
    EXPECT_DOUBLE_EQ(margin_bounds(tripled.sample, 0.05).dimension, 1.0);
}

TEST(margin_bounds, an_intercept_is_one_column_more) {
    // phi' = (x, R), w' = (w, b / R): R'^2 = 2 and |w'|^2 = 4 + 1 with min |f| = 1.
    const Pair pair(2.0, 1.0, true);
    const MarginReport report = margin_bounds(pair.sample, 0.05);
    EXPECT_DOUBLE_EQ(report.functional_margin, 1.0);
    EXPECT_DOUBLE_EQ(report.geometric_margin, 0.5);
    EXPECT_DOUBLE_EQ(report.embedded_radius, std::sqrt(2.0));
    EXPECT_DOUBLE_EQ(report.embedded_norm, std::sqrt(5.0));
    expect_fact("V06", "intercept as a column, w=2, b=1", report.dimension);
}

/// Sixty rows at distances 1.0 and 1.5 from a hyperplane through 0, six of them misclassified.
struct Crowd {
    std::vector<double> targets;
    std::vector<double> values;
    MarginSample sample;

    Crowd() {
        for (int i = 0; i < 60; ++i) {
            targets.push_back(i % 2 == 0 ? 1.0 : -1.0);
            values.push_back((i % 10 == 0 ? -1.0 : 1.5) * targets.back());
        }
        sample.targets = targets;
        sample.values = values;
        sample.squared_norm = 0.25;
        sample.has_intercept = false;
        sample.radius = 3.0;
        sample.trace = 60.0 * 9.0;
        sample.margin = 2.0;
        sample.feature_dimension = 4;
    }
};

const Bound& named(const std::vector<Bound>& bounds, const std::string& name) {
    for (const Bound& bound : bounds) {
        if (bound.name == name) {
            return bound;
        }
    }
    throw InternalError(name);
}

TEST(margin_bounds, are_the_formulas_of_their_theorems) {
    const Crowd crowd;
    const double delta = 0.1;
    const MarginReport report = margin_bounds(crowd.sample, delta);
    EXPECT_DOUBLE_EQ(report.risk, 0.1);
    EXPECT_DOUBLE_EQ(report.functional_margin, 1.0);
    EXPECT_DOUBLE_EQ(report.dimension, 9.0 * 0.25);
    const double n = 60.0;
    // Ramp loss at rho = 2: 1 for the six wrong rows, 1/4 for the others.
    const double ramp = (6.0 + 54.0 * 0.25) / 60.0;
    EXPECT_NEAR(margin_loss(crowd.targets, crowd.values, 2.0), ramp, 1e-15);
    const auto& bounds = report.bounds;
    EXPECT_DOUBLE_EQ(named(bounds, "vc").value, vc_bound(60, 4, delta, 0.1).bound);
    EXPECT_DOUBLE_EQ(named(bounds, "vc-margin").value, vc_bound(60, 2, delta, 0.1).bound);
    EXPECT_NEAR(
        named(bounds, "rademacher").value,
        ramp + 2.0 * std::sqrt(9.0 * 0.25 / (4.0 * n)) + std::sqrt(std::log(10.0) / (2.0 * n)),
        1e-14);
    // All rows have |x| = R here, so the trace gives the same middle term.
    EXPECT_NEAR(named(bounds, "rademacher-trace").value,
                ramp + 2.0 * std::sqrt(9.0 * 0.25 / (4.0 * n)) +
                    3.0 * std::sqrt(std::log(20.0) / (2.0 * n)),
                1e-14);
    double best = kInfinity;
    for (double rho = 1e-3; rho <= 1.5; rho += 1e-4) {  // R |w| = 1.5
        best = std::min(best, margin_loss(crowd.targets, crowd.values, rho) +
                                  4.0 * 1.5 / (rho * std::sqrt(n)) +
                                  std::sqrt(std::log(std::log2(3.0 / rho)) / n) +
                                  std::sqrt(std::log(20.0) / (2.0 * n)));
    }
    EXPECT_NEAR(named(bounds, "rademacher-uniform").value, best, 1e-3);
}

TEST(margin_bounds, composed_with_the_vc_bound_it_is_the_bound_of_its_dimension) {
    Crowd crowd;
    for (std::size_t i = 0; i < crowd.values.size(); ++i) {
        crowd.values[i] = 1.5 * crowd.targets[i];  // separated: the hard margin is 1.5
    }
    const MarginReport report = margin_bounds(crowd.sample, 0.1);
    EXPECT_DOUBLE_EQ(report.canonical_norm, 0.5 / 1.5);
    expect_fact("V06", "composed with V05: n=60, R=3, |w|=1/3, delta=0.1",
                named(report.bounds, "vc-margin").value);
}

TEST(margin_bounds, a_row_on_the_hyperplane_leaves_no_margin) {
    Crowd crowd;
    crowd.values[3] = 0.0;
    const MarginReport report = margin_bounds(crowd.sample, 0.1);
    EXPECT_EQ(report.dimension, kInfinity);
    EXPECT_TRUE(named(report.bounds, "vc-margin").vacuous());
    crowd.sample.feature_dimension = 0;
    EXPECT_FALSE(named(margin_bounds(crowd.sample, 0.1).bounds, "vc").applies());
}

TEST(margin_bounds, refuses_numbers_that_are_no_sample) {
    Crowd crowd;
    EXPECT_THROW((void)margin_bounds(crowd.sample, 1.0), InvalidArgument);
    crowd.values[0] = kNaN;
    EXPECT_THROW((void)margin_bounds(crowd.sample, 0.1), InvalidArgument);
    crowd.values[0] = 1.0;
    crowd.targets[0] = 2.0;
    EXPECT_THROW((void)margin_bounds(crowd.sample, 0.1), InvalidArgument);
    crowd.targets[0] = 1.0;
    crowd.sample.squared_norm = 0.0;
    EXPECT_THROW((void)margin_bounds(crowd.sample, 0.1), InvalidArgument);
    EXPECT_THROW((void)margin_bounds({}, 0.1), InvalidArgument);
    EXPECT_THROW((void)margin_dimension(-1.0, 1.0), InvalidArgument);
}

}  // namespace
}  // namespace mercer
