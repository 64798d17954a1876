// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/base/distributions_test.cpp - probabilities against closed forms and tables.
#include "mercer/base/distributions.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace mercer {
namespace {

TEST(Distributions, TheIncompleteBetaFunctionHasItsClosedForms) {
    for (const double x : {0.05, 0.3, 0.5, 0.81, 0.99}) {
        EXPECT_NEAR(incomplete_beta(1.0, 1.0, x), x, 1e-14);
        EXPECT_NEAR(incomplete_beta(3.0, 1.0, x), x * x * x, 1e-14);
        EXPECT_NEAR(incomplete_beta(1.0, 4.0, x), 1.0 - std::pow(1.0 - x, 4.0), 1e-14);
        EXPECT_NEAR(incomplete_beta(0.5, 0.5, x), 2.0 / M_PI * std::asin(std::sqrt(x)), 1e-13);
        EXPECT_NEAR(incomplete_beta(7.5, 2.25, x) + incomplete_beta(2.25, 7.5, 1.0 - x), 1.0,
                    1e-13);
    }
}

TEST(Distributions, StudentHasItsClosedFormsForOneAndTwoDegrees) {
    for (const double t : {0.0, 0.3, 1.0, 2.5, 40.0}) {
        EXPECT_NEAR(student_two_sided(t, 1.0), 1.0 - 2.0 / M_PI * std::atan(t), 1e-13);
        EXPECT_NEAR(student_two_sided(-t, 2.0), 1.0 - t / std::sqrt(2.0 + t * t), 1e-13);
    }
}

TEST(Distributions, StudentBoundsAreThoseOfTheTables) {
    // scipy.stats.t.ppf(0.975, d) and ppf(0.95, d).
    EXPECT_NEAR(student_bound(0.95, 1.0), 12.706204736174694, 1e-9);
    EXPECT_NEAR(student_bound(0.95, 4.0), 2.7764451051977934, 1e-11);
    EXPECT_NEAR(student_bound(0.95, 9.0), 2.262157162798205, 1e-11);
    EXPECT_NEAR(student_bound(0.90, 30.0), 1.697260886593957, 1e-11);
    EXPECT_NEAR(student_two_sided(student_bound(0.8, 7.0), 7.0), 0.2, 1e-12);
}

}  // namespace
}  // namespace mercer
