// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/problems/certificate_test.cpp - weak duality for any coefficients, exactness at the
// optimum, and the intercept as a one-dimensional problem.
#include "mercer/problems/certificate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "mercer/kernels/catalogue.hpp"
#include "mercer/problems/close_certificate.hpp"
#include "mercer/problems/problem.hpp"
#include "mercer/runtime/context.hpp"
#include "row_sets.hpp"

namespace mercer {
namespace {

using testing::RowSet;

const std::vector<Loss> kLosses{
    SquaredLoss{},           HalfSquaredLoss{}, AbsoluteLoss{},     EpsilonInsensitiveLoss{0.2},
    SquaredEpsilonLoss{0.2}, HingeLoss{},       SquaredHingeLoss{}, LogisticLoss{},
    ModifiedHuberLoss{}};

Problem random_problem(RowSet& rows, index_t n, const Loss& loss, Random& random) {
    Problem problem;
    problem.gram = make_gram(rbf_kernel(0.5), rows.dense());
    problem.loss = loss;
    problem.intercept = random.below(2) == 0;
    for (index_t i = 0; i < n; ++i) {
        problem.targets.push_back(is_classification(loss) ? (random.below(2) == 0 ? -1.0 : 1.0)
                                                          : random.normal());
        problem.costs.push_back(random.below(8) == 0 ? 0.0 : random.uniform(0.1, 3.0));
    }
    return problem;
}

TEST(certificate, the_gap_is_never_negative_and_duality_is_weak_for_any_coefficients) {
    Random random(1);
    Context context;
    for (const Loss& loss : kLosses) {
        for (int round = 0; round < 40; ++round) {
            const index_t n = 1 + random.below(30);
            RowSet rows(n, 3, random.bits());
            const Problem problem = random_problem(rows, n, loss, random);
            std::vector<double> beta(static_cast<std::size_t>(n));
            for (double& b : beta) {
                b = 3.0 * random.normal();
            }
            const Certificate certificate = certify(problem, beta, context);
            EXPECT_GE(certificate.gap, 0.0) << name_of(loss);
            EXPECT_LE(certificate.dual,
                      certificate.primal + 1e-9 * (1 + std::abs(certificate.primal)))
                << name_of(loss);
            EXPECT_NEAR(certificate.primal - certificate.dual, certificate.gap,
                        1e-9 * (1.0 + std::abs(certificate.primal)))
                << name_of(loss);
        }
    }
}

TEST(certificate, the_projection_lands_in_the_dual_set) {
    Random random(2);
    for (const Loss& loss : kLosses) {
        const index_t n = 25;
        RowSet rows(n, 2, random.bits());
        Problem problem = random_problem(rows, n, loss, random);
        problem.intercept = true;
        std::vector<double> beta(static_cast<std::size_t>(n));
        for (double& b : beta) {
            b = 5.0 * random.normal();
        }
        project_onto_dual(problem, beta);
        double sum = 0.0;
        double size = 0.0;
        for (index_t i = 0; i < n; ++i) {
            const Interval box = dual_box(problem, i);
            EXPECT_GE(beta[static_cast<std::size_t>(i)], box.lower);
            EXPECT_LE(beta[static_cast<std::size_t>(i)], box.upper);
            sum += beta[static_cast<std::size_t>(i)];
            size += std::abs(beta[static_cast<std::size_t>(i)]);
        }
        EXPECT_NEAR(sum, 0.0, 1e-12 * (1.0 + size)) << name_of(loss);
        EXPECT_NEAR(project_onto_dual(problem, beta), 0.0, 1e-12) << name_of(loss);
    }
}

TEST(certificate, coefficients_without_the_mass_of_a_free_width_prove_nothing) {
    Context context;
    RowSet rows(6, 2, 3);
    Problem problem;
    problem.gram = make_gram(rbf_kernel(0.5), rows.dense());
    problem.loss = HingeLoss{};
    problem.targets = {-1.0, -1.0, -1.0, 1.0, 1.0, 1.0};
    problem.costs.assign(6, 1.0);
    problem.mass = 3.0;
    std::vector<double> none(6, 0.0);  // no row has a sign, so none can be shifted
    EXPECT_EQ(certify(problem, none, context).gap, kInfinity);
    std::vector<double> carrying{-1.0, -0.5, 0.0, 0.0, 0.5, 1.0};
    EXPECT_TRUE(std::isfinite(certify(problem, carrying, context).gap));
}

TEST(certificate, mass_that_a_tube_leaves_unused_costs_its_width) {
    Context context;
    const std::vector<double> x{-1.0, 0.0, 1.0};
    Problem problem;
    problem.gram = make_gram(linear_kernel(), Dataset(MatrixView<const double>(x.data(), 3, 1)));
    problem.loss = EpsilonInsensitiveLoss{};
    problem.targets = {-1.0, 0.0, 1.0};
    problem.costs.assign(3, 4.0);
    problem.mass = 2.0;
    // f = x / 2: residuals -1/2, 0, 1/2. A tube of width w costs 2 w and the rows outside it
    // 8 (1/2 - w), so that w = 1/2 and primal = 1/8 + 1. The dual value is -1/8 + 1/2: the unused
    // half of the mass, 3/2, costs 3/4.
    std::vector<double> beta{-0.25, 0.0, 0.25};
    const Certificate proof = certify_closely(problem, beta, context, {});
    EXPECT_EQ(beta, (std::vector<double>{-0.25, 0.0, 0.25}));
    EXPECT_NEAR(proof.width, 0.5, 1e-15);
    EXPECT_NEAR(proof.primal, 1.125, 1e-14);
    EXPECT_NEAR(proof.dual, 0.375, 1e-14);
    EXPECT_NEAR(proof.gap, 0.75, 1e-12);
}

TEST(certificate, the_best_intercept_beats_its_neighbours) {
    Random random(3);
    for (const Loss& loss : kLosses) {
        for (int round = 0; round < 20; ++round) {
            const index_t n = 2 + random.below(20);
            RowSet rows(n, 2, random.bits());
            Problem problem = random_problem(rows, n, loss, random);
            problem.intercept = true;
            std::vector<double> f(static_cast<std::size_t>(n));
            for (double& value : f) {
                value = 2.0 * random.normal();
            }
            const Interval best = best_intercepts(problem, f);
            const auto total = [&](double b) {
                double sum = 0.0;
                std::visit(
                    [&](const auto& kind) {
                        for (std::size_t i = 0; i < f.size(); ++i) {
                            sum += problem.costs[i] * kind.value(problem.targets[i], f[i] + b);
                        }
                    },
                    problem.loss);
                return sum;
            };
            const double b = choose_intercept(best);
            for (const double step : {1e-3, 0.1, 1.0, 10.0}) {
                EXPECT_LE(total(b), total(b + step) + 1e-9) << name_of(loss);
                EXPECT_LE(total(b), total(b - step) + 1e-9) << name_of(loss);
            }
            if (std::isfinite(best.lower) && std::isfinite(best.upper)) {
                EXPECT_NEAR(total(best.lower), total(best.upper), 1e-9 * (1.0 + total(b)));
            }
        }
    }
}

// Kinks at whole numbers, most of them several times, and whole costs: all sums are exact, and the
// least total over whole b is that over all.
TEST(certificate, the_best_intercepts_are_all_that_minimise_the_loss) {
    constexpr index_t kFarthest = 40;
    Random random(11);
    int wide = 0;
    for (const Loss& loss :
         {Loss{HingeLoss{}}, Loss{AbsoluteLoss{}}, Loss{EpsilonInsensitiveLoss{2.0}}}) {
        for (int round = 0; round < 60; ++round) {
            const index_t n = 4 + random.below(400);
            RowSet rows(n, 2, random.bits());
            Problem problem = random_problem(rows, n, loss, random);
            problem.intercept = true;
            std::vector<double> f;
            for (index_t i = 0; i < n; ++i) {
                const auto at = static_cast<std::size_t>(i);
                f.push_back(static_cast<double>(random.below(21) - 10));
                problem.costs[at] = static_cast<double>(random.below(4));
                problem.targets[at] = is_classification(loss)
                                          ? (i % 2 == 0 ? 1.0 : -1.0)
                                          : static_cast<double>(random.below(11));
            }
            problem.costs[0] = problem.costs[1] = 2.0;  // so that both classes count
            double least = kInfinity;
            Interval expected;
            for (index_t b = -kFarthest; b <= kFarthest; ++b) {
                double total = 0.0;
                std::visit(
                    [&](const auto& kind) {
                        for (std::size_t i = 0; i < f.size(); ++i) {
                            total += problem.costs[i] *
                                     kind.value(problem.targets[i], f[i] + static_cast<double>(b));
                        }
                    },
                    problem.loss);
                if (total < least) {
                    least = total;
                    expected.lower = static_cast<double>(b);
                }
                if (total == least) {
                    expected.upper = static_cast<double>(b);
                }
            }
            const Interval best = best_intercepts(problem, f);
            EXPECT_EQ(best.lower, expected.lower) << name_of(loss) << ' ' << n;
            EXPECT_EQ(best.upper, expected.upper) << name_of(loss) << ' ' << n;
            wide += expected.upper > expected.lower ? 1 : 0;
        }
    }
    EXPECT_GT(wide, 3);  // some are flat at the bottom
}

TEST(certificate, a_flat_bottom_of_a_smooth_loss_is_found_to_its_ends) {
    RowSet rows(2, 2, 1);
    Random random(1);
    for (const Loss& loss :
         {Loss{SquaredHingeLoss{}}, Loss{ModifiedHuberLoss{}}, Loss{SquaredEpsilonLoss{1.5}}}) {
        Problem problem = random_problem(rows, 2, loss, random);
        problem.intercept = true;
        problem.costs = {1.0, 3.0};
        problem.targets = {1.0, -1.0};
        // Margins are met for -1 <= b <= 2; |1 - f - b| and |-1 - f - b| are at most 3/2 for the
        // same b.
        const std::vector<double> f = is_classification(loss) ? std::vector<double>{2.0, -3.0}
                                                              : std::vector<double>{0.5, -1.5};
        const Interval best = best_intercepts(problem, f);
        EXPECT_DOUBLE_EQ(best.lower, -1.0) << name_of(loss);
        EXPECT_DOUBLE_EQ(best.upper, 2.0) << name_of(loss);
        problem.targets = {1.0, 1.0};
        if (is_classification(loss)) {  // only the margins of one class: b >= 4
            const Interval open = best_intercepts(problem, f);
            EXPECT_DOUBLE_EQ(open.lower, 4.0) << name_of(loss);
            EXPECT_EQ(open.upper, kInfinity) << name_of(loss);
        }
    }
}

TEST(certificate, pair_with_every_loss_has_the_printed_value) {
    static const std::vector<double> x{-1.0, 1.0};
    Problem problem;
    problem.gram = make_gram(linear_kernel(), Dataset(MatrixView<const double>(x.data(), 2, 1)));
    problem.targets = {-1.0, 1.0};
    Context context;
    struct Row {
        Loss loss;
        double cost;
        double alpha;
        double value;
    };
    const std::vector<Row> rows{{HingeLoss{}, 0.25, 0.25, 0.375},
                                {HingeLoss{}, 10.0, 0.5, 0.5},
                                {SquaredHingeLoss{}, 1.0, 1.0 / 3.0, 1.0 / 3.0},
                                {ModifiedHuberLoss{}, 1.0, 1.0 / 3.0, 1.0 / 3.0},
                                {LogisticLoss{}, 1.0, 0.3374158072, 1.0509141452}};
    for (const Row& row : rows) {
        problem.loss = row.loss;
        problem.costs.assign(2, row.cost);
        std::vector<double> beta{-row.alpha, row.alpha};
        const Certificate certificate = certify(problem, beta, context);
        EXPECT_NEAR(certificate.primal, row.value, 2e-10) << name_of(row.loss);
        EXPECT_NEAR(certificate.dual, row.value, 2e-10) << name_of(row.loss);
    }
}

TEST(certificate, reg2_has_the_printed_value) {
    static const std::vector<double> x{0.0, 1.0};
    Problem problem;
    problem.gram = make_gram(linear_kernel(), Dataset(MatrixView<const double>(x.data(), 2, 1)));
    problem.targets = {0.0, 1.0};
    problem.loss = EpsilonInsensitiveLoss{0.1};
    problem.costs.assign(2, 1.0);
    std::vector<double> beta{-0.8, 0.8};
    Context context;
    const Certificate certificate = certify(problem, beta, context);
    EXPECT_NEAR(certificate.primal, 0.32, 1e-14);
    EXPECT_NEAR(certificate.dual, 0.32, 1e-14);
    EXPECT_NEAR(certificate.intercept, 0.1, 1e-14);
    EXPECT_NEAR(certificate.kkt_violation, 0.0, 1e-14);
}

TEST(certificate, an_indefinite_kernel_voids_it) {
    static const std::vector<double> x{0.0, 1.0};
    Problem problem;
    problem.gram = make_gram(parse_kernel("sigmoid(gamma=1, coef0=0)").value(),
                             Dataset(MatrixView<const double>(x.data(), 2, 1)));
    problem.targets = {-1.0, 1.0};
    problem.costs.assign(2, 1.0);
    std::vector<double> beta{-0.5, 0.5};
    Context context;
    EXPECT_FALSE(certify(problem, beta, context).exact);
}

TEST(certificate, numbers_that_are_none_give_no_gap) {
    static const std::vector<double> x{0.0, 1.0};
    Problem problem;
    problem.gram = make_gram(linear_kernel(), Dataset(MatrixView<const double>(x.data(), 2, 1)));
    problem.targets = {-1.0, 1.0};
    problem.costs.assign(2, 1.0);
    std::vector<double> beta{kNaN, 0.5};
    Context context;
    EXPECT_TRUE(std::isnan(certify(problem, beta, context).gap));
}

}  // namespace
}  // namespace mercer
