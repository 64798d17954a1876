// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/kernels/error_bound_test.cpp - every rule covers the exact and the computed value of
// operands that are one known number, and hardly more.
#include "kernels/error_bound.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "mercer/base/quad.hpp"
#include "mercer/base/random.hpp"

namespace mercer::rounding {
namespace {

/// A definite kernel whose only value is v.
Bound at(double v) { return {{v, v}, 0.0, v, false, 0.0, true}; }

void expect_covered(const Bound& bound, Quad exact, double computed, const std::string& rule) {
    const auto value = static_cast<double>(exact);
    EXPECT_TRUE(Quad(bound.range.lower) <= exact && exact <= Quad(bound.range.upper)) << rule;
    EXPECT_TRUE(Quad(bound.diagonal) <= exact) << rule;
    EXPECT_TRUE(fabs(Quad(computed) - exact) <= Quad(bound.error)) << rule;
    EXPECT_TRUE(fabs(Quad(computed) - exact) <= Quad(bound.relative) * exact) << rule;
    EXPECT_GE(bound.diagonal, value * (1.0 - 1e-10)) << rule;
    EXPECT_LE(bound.range.upper - bound.range.lower, value * 1e-10) << rule;
    EXPECT_LE(bound.error, value * 1e-13) << rule;
    EXPECT_LE(bound.relative, 1e-13) << rule;
}

TEST(error_bound, every_rule_covers_the_exact_and_the_computed_value) {
    Random random(12);
    for (int round = 0; round < 200; ++round) {
        const double v = random.uniform(0.1, 10.0);
        const double w = random.uniform(0.1, 10.0);
        const double c = random.uniform(0.1, 10.0);
        const std::vector<double> coefficients{c, w, v};
        expect_covered(affine(at(v), w, c), Quad(w) * v + c, w * v + c, "affine");
        expect_covered(raised(at(v), 3.0), Quad(v) * v * v, v * v * v, "raised");
        expect_covered(exponential(at(v)), exp(Quad(v)), std::exp(v), "exponential");
        expect_covered(polynomial(coefficients, at(v)), (Quad(v) * v + w) * v + c,
                       (v * v + w) * v + c, "polynomial");
        expect_covered(sum(at(v), at(w)), Quad(v) + w, v + w, "sum");
        expect_covered(product(at(v), at(w)), Quad(v) * w, v * w, "product");
        expect_covered(scaled(at(v), {c, c}), Quad(c) * v * c, c * v * c, "scaled");
    }
}

}  // namespace
}  // namespace mercer::rounding
