// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/problems/comparison_bound_test.cpp - the stated gap of comparisons against
// primal - dual in 113 bits.
#include "problems/comparison_bound.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "mercer/base/quad.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/problems/comparisons.hpp"
#include "mercer/runtime/context.hpp"
#include "row_sets.hpp"

namespace mercer {
namespace {

using testing::RowSet;

constexpr double kGamma = 0.7;

/// Rows of three levels with random multipliers: compared with two thresholds, or with each other.
struct ComparedToy {
    ComparedToy(index_t n, index_t thresholds, double cost, std::uint64_t seed) : rows(n, 3, seed) {
        Random random(seed + 1);
        for (index_t i = 0; i < n; ++i) {
            problem.weights.push_back(random.uniform(0.5, 2.0));
            for (index_t k = 0; k < (thresholds > 0 ? thresholds : i); ++k) {
                if (thresholds > 0) {
                    comparisons.push_back(i % 3 > k ? Comparison{i, n + k} : Comparison{n + k, i});
                } else if (i % 3 != k % 3) {
                    comparisons.push_back(i % 3 > k % 3 ? Comparison{i, k} : Comparison{k, i});
                }
            }
        }
        problem.gram = make_gram(rbf_kernel(kGamma), rows.dense());
        problem.cost = cost;
        problem.thresholds = thresholds;
        problem.comparisons = comparisons;
        for (std::size_t e = 0; e < comparisons.size(); ++e) {
            const double c = problem.cost_of(comparisons[e]);
            alpha.push_back(random.below(3) == 0 ? c : c * random.uniform(0.0, 0.9));
        }
    }
    ComparedToy(const ComparedToy&) = delete;
    ComparedToy& operator=(const ComparedToy&) = delete;

    /// The multipliers as numbers of 113 bits whose sums at the thresholds are 0: for each, the one
    /// with the most room to either side is moved.
    [[nodiscard]] std::vector<Quad> dual_point() const {
        std::vector<Quad> out(alpha.begin(), alpha.end());
        for (index_t k = problem.size(); k < problem.size() + problem.thresholds; ++k) {
            Quad sum = 0.0;
            std::size_t best = 0;
            double most = -1.0;
            for (std::size_t e = 0; e < alpha.size(); ++e) {
                if (comparisons[e].upper != k && comparisons[e].lower != k) {
                    continue;
                }
                sum += comparisons[e].upper == k ? out[e] : -out[e];
                const double room = std::min(alpha[e], problem.cost_of(comparisons[e]) - alpha[e]);
                if (room > most) {
                    most = room;
                    best = e;
                }
            }
            out[best] += comparisons[best].upper == k ? -sum : sum;
        }
        return out;
    }

    [[nodiscard]] std::vector<Quad> sums_of(const std::vector<Quad>& multipliers) const {
        std::vector<Quad> out(static_cast<std::size_t>(problem.size() + problem.thresholds));
        for (std::size_t e = 0; e < multipliers.size(); ++e) {
            out[static_cast<std::size_t>(comparisons[e].upper)] += multipliers[e];
            out[static_cast<std::size_t>(comparisons[e].lower)] -= multipliers[e];
        }
        return out;
    }

    /// Values of f at the rows.
    [[nodiscard]] std::vector<Quad> values_of(const std::vector<Quad>& beta) const {
        const Dataset data = rows.dense();
        const auto n = static_cast<std::size_t>(problem.size());
        std::vector<std::vector<double>> x(n, std::vector<double>(3));
        for (std::size_t i = 0; i < n; ++i) {
            data.copy_row(static_cast<index_t>(i), x[i]);
        }
        std::vector<Quad> f(n);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) {
                Quad distance = 0.0;
                for (std::size_t c = 0; c < 3; ++c) {
                    distance += (Quad(x[i][c]) - x[j][c]) * (Quad(x[i][c]) - x[j][c]);
                }
                f[i] += beta[j] * exp(-Quad(kGamma) * distance);
            }
        }
        return f;
    }

    /// Primal value of the stored coefficients and thresholds minus the dual value of dual_point().
    [[nodiscard]] double exact_gap(const std::vector<double>& thresholds) const {
        const std::vector<double> beta = coefficients_of(problem, alpha);
        const std::vector<Quad> stored(beta.begin(), beta.end());
        const std::vector<Quad> point = dual_point();
        const std::vector<Quad> sums = sums_of(point);
        std::vector<Quad> z = values_of(stored);
        const std::vector<Quad> dual_f = values_of(sums);
        Quad gap = 0.0;
        for (std::size_t i = 0; i < beta.size(); ++i) {
            gap += Quad(0.5) * (stored[i] * z[i] + sums[i] * dual_f[i]);
        }
        z.insert(z.end(), thresholds.begin(), thresholds.end());
        for (std::size_t e = 0; e < alpha.size(); ++e) {
            const Quad slack = Quad(1.0) - (z[static_cast<std::size_t>(comparisons[e].upper)] -
                                            z[static_cast<std::size_t>(comparisons[e].lower)]);
            gap += slack > 0.0 ? Quad(problem.cost_of(comparisons[e])) * slack : Quad(0.0);
            gap -= point[e];
        }
        return static_cast<double>(gap);
    }

    RowSet rows;
    ComparisonProblem problem;
    std::vector<Comparison> comparisons;
    std::vector<double> alpha;
};

TEST(comparison_bound, is_never_below_the_exact_gap) {
    Context context;
    for (const index_t thresholds : {0, 2}) {
        for (const double cost : {1e-6, 1e-3, 1.0, 1e4, 1e8, 1e12}) {
            for (std::uint64_t seed = 0; seed < 20; ++seed) {
                ComparedToy toy(6 + static_cast<index_t>(seed), thresholds, cost, seed);
                const ComparisonCertificate found = certify(toy.problem, toy.alpha, context);
                const double exact = toy.exact_gap(found.thresholds);
                EXPECT_GE(found.certificate.gap, exact) << cost << " " << seed;
                EXPECT_NEAR(computed_gap(found.certificate), exact, found.certificate.rounding);
                EXPECT_GE(found.certificate.rounding, 0.0);
                EXPECT_LE(found.certificate.rounding, 1e-11 * exact) << cost << " " << seed;
            }
        }
    }
}

TEST(comparison_bound, covers_multipliers_that_are_out_of_balance_at_a_threshold) {
    // K = I, rows above and below the threshold 1: beta = (1/2, -1/4), |f|^2 / 2 = 5/32.
    const RowSet rows(2, 1, 3);
    const std::vector<Comparison> comparisons{{0, 2}, {2, 1}};
    const ComparisonProblem problem{
        make_gram(parse_kernel("delta").value(), rows.dense()), 10.0, {1.0, 1.0}, 1, comparisons};
    const std::vector<double> alpha{0.5, 0.25};
    const std::vector<double> beta = coefficients_of(problem, alpha);
    const std::vector<double> z{0.5, -0.25, 1.0};
    const ComparisonBound bound(problem, alpha, beta, z);
    // Slacks 3/2 and -1/4: the terms are (10 - 1/2) 3/2 and 1/4 1/4.
    EXPECT_NEAR(bound.computed(), 14.3125, 1e-12);
    // Primal 15 + 5/32, dual 3/4 - 5/32 for the multipliers as they are.
    EXPECT_GE(bound.bound(), 14.5625);
    EXPECT_LE(bound.bound(), 14.5625 + 1e-12);
}

TEST(comparison_bound, comes_down_to_the_exact_gap_when_it_is_wanted) {
    Context context;
    for (const index_t thresholds : {0, 2}) {
        for (const double cost : {1.0, 1e8, 1e12}) {
            ComparedToy toy(20, thresholds, cost, 7);
            const Certificate plain = certify(toy.problem, toy.alpha, context).certificate;
            const double wanted = (computed_gap(plain) + 0.01 * plain.rounding) / plain.primal;
            const ComparisonCertificate close =
                certify(toy.problem, toy.alpha, context, {.relative = wanted});
            const double exact = toy.exact_gap(close.thresholds);
            EXPECT_GE(close.certificate.gap, exact);
            EXPECT_LE(close.certificate.gap, plain.gap);
            EXPECT_LE(close.certificate.gap, exact + 0.5 * plain.rounding) << cost;
        }
    }
}

}  // namespace
}  // namespace mercer
