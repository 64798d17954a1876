// SPDX-License-Identifier: Apache-2.0
//
// tests/property/capacity_test.cpp - laws of capacity and risk on random input.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/random.hpp"
#include "mercer/theory/bounds.hpp"
#include "mercer/theory/hyperplane.hpp"
#include "mercer/theory/risk.hpp"
#include "support/facts.hpp"

namespace mercer {
namespace {

TEST(capacity, vc_bound_is_monotone_in_dimension_rows_and_delta) {
    Random random(21);
    index_t wrong = 0;
    const auto term = [](index_t n, index_t h, double delta) {
        return vc_bound(n, h, delta, 0.0).complexity_term;
    };
    for (int round = 0; round < 20'000; ++round) {
        const index_t n = 3 + random.below(index_t{1} << (2 + random.below(30)));
        const index_t h = random.below(n - 1);
        const double delta = std::pow(10.0, -6.0 * random.uniform());
        const double here = term(n, h, delta);
        const index_t further = h + 1 + random.below(n - h - 1);
        wrong += !(term(n, further, delta) > here);
        wrong += !(term(n + 1 + random.below(n), h, delta) < here);
        const double larger = delta + (1.0 - delta) * random.uniform(0.01, 0.99);
        wrong += !(term(n, h, larger) < here);
        wrong += !(vc_bound(n, h, delta, 0.3).bound == 0.3 + here);
    }
    expect_fact("V05", "random n, h, delta: steps in the wrong direction", wrong);
}

TEST(capacity, scaling_a_hyperplane_keeps_labels_and_distances) {
    Random random(22);
    index_t changed = 0;
    double error = 0.0;
    for (int round = 0; round < 20'000; ++round) {
        Hyperplane plane{{}, random.normal()};
        std::vector<double> x;
        for (index_t j = 0; j < 1 + random.below(6); ++j) {
            plane.w.push_back(random.normal());
            x.push_back(3.0 * random.normal());
        }
        x.resize(plane.w.size());
        const double factor = std::pow(10.0, random.uniform(-5.0, 5.0));
        const Hyperplane other = scaled(plane, factor);
        const double margin = functional_margin(plane, x);
        // A point on the plane up to rounding has no definite side.
        const double size = std::abs(plane.b) + 20.0 * static_cast<double>(x.size());
        if (margin > 1e-9 * size) {
            changed += side_of(other, x) != side_of(plane, x);
            error = std::max(
                error, std::abs(functional_margin(other, x) - factor * margin) / (factor * size));
            error = std::max(error, std::abs(distance_to(other, x) - distance_to(plane, x)) /
                                        (distance_to(plane, x) + size));
        }
    }
    expect_fact("V07", "random planes, points and factors: labels that change", changed);
    expect_fact("V07", "largest relative error of margin and distance", error);
}

TEST(capacity, every_loss_is_never_negative_and_zero_where_the_truth_is_said) {
    Random random(23);
    index_t negative = 0;
    index_t paid = 0;
    for (const RiskLoss& loss : all_risk_losses(0.25)) {
        for (int round = 0; round < 5000; ++round) {
            const double y = is_classification(loss) ? (random.below(2) == 0 ? -1.0 : 1.0)
                                                     : 5.0 * random.normal();
            negative += !(loss_value(loss, y, 5.0 * random.normal()) >= 0.0);
            paid += !is_surrogate(loss) && loss_value(loss, y, y) != 0.0;
        }
    }
    expect_fact("L10", "all losses, random y and f: negative values", negative);
    expect_fact("L10", "losses that are no surrogates, random y: c(y, y) not 0", paid);
}

TEST(capacity, the_risk_is_linear_in_the_distribution) {
    // A row of weight 2 is the row twice, and weights may be scaled.
    Random random(24);
    for (const RiskLoss& loss : all_risk_losses(0.25)) {
        std::vector<double> y;
        std::vector<double> f;
        std::vector<double> weights;
        std::vector<double> twice_y;
        std::vector<double> twice_f;
        for (int i = 0; i < 50; ++i) {
            y.push_back(random.below(2) == 0 ? -1.0 : 1.0);
            f.push_back(2.0 * random.normal());
            weights.push_back(static_cast<double>(random.below(3)));
            for (double copy = 0.0; copy < weights.back(); ++copy) {
                twice_y.push_back(y.back());
                twice_f.push_back(f.back());
            }
        }
        const double weighted = empirical_risk(loss, y, f, weights).risk;
        EXPECT_NEAR(weighted, empirical_risk(loss, twice_y, twice_f).risk, 1e-13) << name_of(loss);
        for (double& weight : weights) {
            weight *= 7.0;
        }
        EXPECT_NEAR(empirical_risk(loss, y, f, weights).risk, weighted, 1e-13) << name_of(loss);
    }
}

}  // namespace
}  // namespace mercer
