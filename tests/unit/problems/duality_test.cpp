// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/problems/duality_test.cpp - convexity, saddle points and gaps of the problems solved.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "mercer/kernels/catalogue.hpp"
#include "mercer/problems/certificate.hpp"
#include "mercer/problems/problem.hpp"
#include "mercer/runtime/context.hpp"
#include "row_sets.hpp"
#include "support/facts.hpp"

namespace mercer {
namespace {

using testing::RowSet;

const std::vector<Loss> kLosses{
    SquaredLoss{},           HalfSquaredLoss{}, AbsoluteLoss{},     EpsilonInsensitiveLoss{0.2},
    SquaredEpsilonLoss{0.2}, HingeLoss{},       SquaredHingeLoss{}, LogisticLoss{},
    ModifiedHuberLoss{}};

Problem random_problem(const RowSet& rows, index_t n, const Loss& loss, Random& random) {
    Problem problem;
    problem.gram = make_gram(rbf_kernel(0.5), rows.dense());
    problem.loss = loss;
    for (index_t i = 0; i < n; ++i) {
        problem.targets.push_back(is_classification(loss) ? (random.below(2) == 0 ? -1.0 : 1.0)
                                                          : random.normal());
        problem.costs.push_back(random.uniform(0.1, 3.0));
    }
    return problem;
}

std::vector<double> random_beta(const Problem& problem, Random& random) {
    std::vector<double> beta;
    for (index_t i = 0; i < problem.size(); ++i) {
        beta.push_back(2.0 * random.normal());
    }
    project_onto_dual(problem, beta);
    return beta;
}

/// 1/2 beta'K beta + sum of losses at the given b: the primal by its definition.
double primal_at(const Problem& problem, const std::vector<double>& beta, double b,
                 Context& context) {
    const std::vector<double> f = decision_values(problem, beta, context);
    double value = 0.0;
    for (std::size_t i = 0; i < f.size(); ++i) {
        value += 0.5 * beta[i] * f[i];
        value +=
            problem.costs[i] *
            std::visit([&](const auto& kind) { return kind.value(problem.targets[i], f[i] + b); },
                       problem.loss);
    }
    return value;
}

std::vector<double> mixed(double t, const std::vector<double>& a, const std::vector<double>& b) {
    std::vector<double> out(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        out[i] = t * a[i] + (1.0 - t) * b[i];
    }
    return out;
}

TEST(duality, values_in_pieces_equal_plain_sums) {
    // Rows so wide that the support rows do not fit one block: 1,300 rows of 2,000 columns are 20
    // MB.
    constexpr index_t n = 1300;
    RowSet set(n, 2000, 31);
    Context context({.threads = 2});
    for (const index_t every : {1, 2, 9}) {  // all, half or few of the rows are support vectors
        Problem problem;
        problem.gram = make_gram(rbf_kernel(3e-4), set.dense());
        problem.loss = HingeLoss{};
        std::vector<double> beta(n, 0.0);
        for (index_t i = 0; i < n; i += every) {
            beta[static_cast<std::size_t>(i)] = i % 4 < 2 ? 0.7 : -1.3;
        }
        const std::vector<double> f = decision_values(problem, beta, context);
        ASSERT_EQ(f.size(), beta.size());
        for (const index_t i : {0, 1, 517, 523, 1046, 1299}) {
            double sum = 0.0;
            for (index_t j = 0; j < n; ++j) {
                if (beta[static_cast<std::size_t>(j)] == 0.0) {
                    continue;
                }
                double distance = 0.0;
                for (index_t c = 0; c < 2000; ++c) {
                    const double difference = set.at(i, c) - set.at(j, c);
                    distance += difference * difference;
                }
                sum += beta[static_cast<std::size_t>(j)] * std::exp(-3e-4 * distance);
            }
            EXPECT_NEAR(f[static_cast<std::size_t>(i)], sum, 1e-11) << every << " " << i;
        }
    }
}

TEST(duality, primals_lie_below_their_chords_and_duals_above) {
    Random random(21);
    Context context;
    for (const Loss& loss : kLosses) {
        for (int round = 0; round < 25; ++round) {
            const index_t n = 2 + random.below(15);
            const RowSet rows(n, 3, random.bits());
            const Problem problem = random_problem(rows, n, loss, random);
            const std::vector<double> a = random_beta(problem, random);
            const std::vector<double> b = random_beta(problem, random);
            const double t = random.uniform();
            const double slack = 1e-9;
            const double shift = random.normal();
            const double left = primal_at(problem, a, shift, context);
            const double right = primal_at(problem, b, -shift, context);
            EXPECT_LE(primal_at(problem, mixed(t, a, b), t * shift - (1.0 - t) * shift, context),
                      t * left + (1.0 - t) * right + slack * (1.0 + left + right))
                << name_of(loss);
            const auto dual = [&](std::vector<double> beta) {
                return certify(problem, beta, context).dual;
            };
            const double low = t * dual(a) + (1.0 - t) * dual(b);
            EXPECT_GE(dual(mixed(t, a, b)), low - slack * (1.0 + std::abs(low))) << name_of(loss);
        }
    }
}

TEST(duality, strict_convexity_of_the_norm_bends_the_chord_by_the_distance) {
    // P(mid) <= mean - |f_a - f_b|^2 / 8: the modulus that makes f unique.
    Random random(22);
    Context context;
    for (const Loss& loss : kLosses) {
        const index_t n = 12;
        const RowSet rows(n, 2, random.bits());
        const Problem problem = random_problem(rows, n, loss, random);
        const std::vector<double> a = random_beta(problem, random);
        const std::vector<double> b = random_beta(problem, random);
        std::vector<double> between(a.size());
        for (std::size_t i = 0; i < a.size(); ++i) {
            between[i] = a[i] - b[i];
        }
        const std::vector<double> f = decision_values(problem, between, context);
        double distance = 0.0;
        for (std::size_t i = 0; i < f.size(); ++i) {
            distance += between[i] * f[i];
        }
        const double mean =
            0.5 * (primal_at(problem, a, 0.3, context) + primal_at(problem, b, 0.3, context));
        EXPECT_LE(primal_at(problem, mixed(0.5, a, b), 0.3, context),
                  mean - distance / 8.0 + 1e-9 * (1.0 + mean))
            << name_of(loss);
    }
}

/// x = -1 and x = +1 with the hinge loss at C = 1/4.
Problem soft_pair() {
    static const std::vector<double> x{-1.0, 1.0};
    Problem problem;
    problem.gram = make_gram(linear_kernel(), Dataset(MatrixView<const double>(x.data(), 2, 1)));
    problem.targets = {-1.0, 1.0};
    problem.costs = {0.25, 0.25};
    return problem;
}

TEST(duality, every_intercept_of_the_interval_is_optimal_and_none_beside_it) {
    Context context;
    const Problem problem = soft_pair();
    const std::vector<double> best{-0.25, 0.25};
    const auto values = [&](std::vector<double> intercepts) {
        for (double& b : intercepts) {
            b = primal_at(problem, best, b, context);
        }
        return intercepts;
    };
    expect_fact("O09", "PAIR, C = 0.25: values at b = -0.5, -0.2, 0, 0.31, 0.5",
                values({-0.5, -0.2, 0.0, 0.31, 0.5}));
    expect_fact("O09", "PAIR, C = 0.25: value at b = 0.51 and -0.51", values({0.51, -0.51}));
}

TEST(duality, the_pair_is_a_saddle_point_of_its_lagrangian) {
    // L(w, b, xi; a) = w^2/2 + C sum xi + sum a_i (1 - xi_i - t_i (w x_i + b)); the constraint
    // xi >= 0 becomes a <= C after minimising over xi. Written out for the two points.
    const double c = 0.25;
    const auto lagrangian = [c](double w, double b, double xi1, double xi2, double a1, double a2) {
        return 0.5 * w * w + c * (xi1 + xi2) + a1 * (1.0 - xi1 - (w - b)) +
               a2 * (1.0 - xi2 - (w + b)) - (c - a1) * xi1 - (c - a2) * xi2;
    };
    const double value = lagrangian(0.5, 0.0, 0.5, 0.5, c, c);
    expect_fact("O03", "PAIR, C = 0.25: L at its saddle point", value);
    Random random(23);
    for (int round = 0; round < 1000; ++round) {
        const double a1 = c * random.uniform();
        const double a2 = c * random.uniform();
        EXPECT_LE(lagrangian(0.5, 0.0, 0.5, 0.5, a1, a2), value + 1e-12);
        EXPECT_GE(lagrangian(3.0 * random.normal(), 3.0 * random.normal(), random.uniform(),
                             random.uniform(), c, c),
                  value - 1e-12);
    }
    // The certificate agrees: value, feasibility and no violation.
    Context context;
    std::vector<double> beta{-c, c};
    const Certificate proof = certify(soft_pair(), beta, context);
    EXPECT_NEAR(proof.primal, value, 1e-15);
    EXPECT_NEAR(proof.dual, value, 1e-15);
    expect_fact("O05", "PAIR, C = 0.25: violation at the optimum", proof.kkt_violation);
    EXPECT_NEAR(proof.dual_infeasibility, 0.0, 1e-15);
}

TEST(duality, the_gap_shrinks_to_zero_on_the_way_to_the_optimum) {
    // At a = s (1/4, 1/4) of the pair: w = s/2, P = s^2/8 + (1 - s/2)/2, D = s/2 - s^2/8.
    Context context;
    std::vector<double> gaps;
    for (const double s : {0.0, 0.25, 0.5, 0.75, 1.0}) {
        std::vector<double> beta{-0.25 * s, 0.25 * s};
        const Certificate proof = certify(soft_pair(), beta, context);
        EXPECT_NEAR(proof.primal, s * s / 8.0 + (1.0 - s / 2.0) / 2.0, 1e-15);
        EXPECT_NEAR(proof.dual, s / 2.0 - s * s / 8.0, 1e-15);
        gaps.push_back(computed_gap(proof));
    }
    expect_fact("O06", "PAIR, C = 0.25: gap at s = 0, 1/4, 1/2, 3/4, 1 of the way", gaps);
}

TEST(duality, one_constraint_of_a_quadratic_program_has_both_values_one_half) {
    // min 1/2 x^2 with 1 - x <= 0: multiplier 1, x = 1. As one row x = 1 of class +1, no
    // intercept, a cost above the multiplier.
    static const std::vector<double> x{1.0};
    Problem problem;
    problem.gram = make_gram(linear_kernel(), Dataset(MatrixView<const double>(x.data(), 1, 1)));
    problem.targets = {1.0};
    problem.costs = {10.0};
    problem.intercept = false;
    Context context;
    std::vector<double> beta{1.0};
    const Certificate proof = certify(problem, beta, context);
    expect_fact("O07", "as a machine of one row: primal and dual",
                std::vector<double>{proof.primal, proof.dual});
    EXPECT_DOUBLE_EQ(proof.kkt_violation, 0.0);
    beta = {0.5};  // x = 1/2: P = 1/8 + 10/2, D = 1/2 - 1/8
    const Certificate off = certify(problem, beta, context);
    EXPECT_DOUBLE_EQ(off.primal, 5.125);
    EXPECT_DOUBLE_EQ(off.dual, 0.375);
    EXPECT_DOUBLE_EQ(off.kkt_violation, 0.5);
}

}  // namespace
}  // namespace mercer
