// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/problems/sparse_test.cpp - certificates of problems with penalised coefficients.
#include "mercer/problems/sparse.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/runtime/context.hpp"
#include "row_sets.hpp"
#include "support/facts.hpp"
#include "support/origin.hpp"
#include "support/sparse_pair.hpp"

namespace mercer {
namespace {

using testing::set_kernel;

using testing::rows_of;

using testing::kernel_of;

using testing::RowSet;

const std::vector<Loss> kSloped{SquaredHingeLoss{}, ModifiedHuberLoss{},     LogisticLoss{},
                                SquaredLoss{},      SquaredEpsilonLoss{0.2}, HalfSquaredLoss{}};

SparseProblem random_problem(const RowSet& rows, index_t n, const Loss& loss, Random& random) {
    SparseProblem problem;
    problem.risk.gram = make_gram(rbf_kernel(0.5), rows.dense());
    problem.risk.loss = loss;
    problem.risk.intercept = random.below(2) == 0;
    for (index_t i = 0; i < n; ++i) {
        const double side = i % 2 == 0 ? -1.0 : 1.0;
        problem.risk.targets.push_back(is_classification(loss) ? side : random.normal());
        problem.risk.costs.push_back(random.uniform(0.1, 3.0));
    }
    problem.rkhs = random.below(2) == 0;
    problem.l1 = problem.rkhs && random.below(4) == 0 ? 0.0 : random.uniform(0.05, 2.0);
    return problem;
}

std::vector<double> random_beta(index_t n, Random& random) {
    std::vector<double> beta;
    for (index_t i = 0; i < n; ++i) {
        beta.push_back(random.below(2) == 0 ? 0.0 : random.normal());
    }
    return beta;
}

/// The objective by its definition, with its own kernel values.
double objective(const SparseProblem& problem, const std::vector<double>& beta, double b) {
    const index_t n = problem.size();
    const index_t width = rows_of(problem.risk).columns();
    std::vector<std::vector<double>> rows(static_cast<std::size_t>(n));
    for (index_t i = 0; i < n; ++i) {
        rows[static_cast<std::size_t>(i)].resize(static_cast<std::size_t>(width));
        rows_of(problem.risk).copy_row(i, rows[static_cast<std::size_t>(i)]);
    }
    double value = 0.0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        double f = 0.0;
        for (std::size_t j = 0; j < rows.size(); ++j) {
            f += beta[j] * kernel_of(problem.risk)(rows[j], rows[i]);
        }
        value += problem.l1 * std::abs(beta[i]) + (problem.rkhs ? 0.5 * beta[i] * f : 0.0);
        value +=
            problem.risk.costs[i] *
            std::visit([&](const auto& loss) { return loss.value(problem.risk.targets[i], f + b); },
                       problem.risk.loss);
    }
    return value;
}

TEST(sparse_certificate, no_dual_value_is_above_any_primal_one) {
    Random random(31);
    Context context;
    for (const Loss& loss : kSloped) {
        for (int round = 0; round < 40; ++round) {
            const index_t n = 2 + random.below(14);
            const RowSet rows(n, 3, random.bits());
            const SparseProblem problem = random_problem(rows, n, loss, random);
            double greatest_dual = -kInfinity;
            double least_primal = kInfinity;
            for (int point = 0; point < 6; ++point) {
                const std::vector<double> beta =
                    point == 0 ? std::vector<double>(static_cast<std::size_t>(n), 0.0)
                               : random_beta(n, random);
                const Certificate proof = certify(problem, beta, context);
                expect_fact("X19", "random problems of six losses: gap at any beta, below 0",
                            std::max(0.0, -proof.gap));
                EXPECT_NEAR(proof.primal - proof.dual, proof.gap,
                            1e-11 * (1.0 + std::abs(proof.primal)))
                    << name_of(loss) << " rkhs " << problem.rkhs << " l1 " << problem.l1;
                EXPECT_NEAR(proof.primal, objective(problem, beta, proof.intercept),
                            1e-11 * (1.0 + std::abs(proof.primal)));
                greatest_dual = std::max(greatest_dual, proof.dual);
                least_primal = std::min(least_primal, proof.primal);
            }
            expect_fact(
                "X19", "random problems of six losses: greatest D - least P, relative",
                std::max(0.0, greatest_dual - least_primal) / (1.0 + std::abs(least_primal)));
        }
    }
}

SparseProblem pair(double cost, double l1, bool rkhs) {
    return testing::pair(SquaredHingeLoss{}, cost, l1, rkhs);
}

TEST(sparse_certificate, is_tight_at_the_optimum_of_the_pair) {
    // l1 s + rho s^2 / 2 + C (1 - s)^2 is least at s = (2 C - l1) / (rho + 2 C), or 0.
    Context context;
    for (const bool rkhs : {false, true}) {
        for (const double cost : {0.3, 1.0, 20.0}) {
            for (const double l1 : {0.1, 0.5, 1.0, 3.0}) {
                const double rho = rkhs ? 1.0 : 0.0;
                const double s = std::max(0.0, (2.0 * cost - l1) / (rho + 2.0 * cost));
                const double least = l1 * s + 0.5 * rho * s * s + cost * (1.0 - s) * (1.0 - s);
                for (const double share : {0.0, 0.3, 0.5}) {  // of s between the two rows
                    const Certificate proof =
                        certify(pair(cost, l1, rkhs),
                                std::vector<double>{-share * s, (1.0 - share) * s}, context);
                    EXPECT_NEAR(proof.primal, least, 1e-14 * (1.0 + least));
                    EXPECT_NEAR(proof.dual, least, 1e-14 * (1.0 + least));
                    expect_fact("X19", "PAIR at its optimum: gap / (1 + P)",
                                proof.gap / (1.0 + least));
                    EXPECT_NEAR(proof.kkt_violation, 0.0, 1e-14 * (1.0 + cost));
                    EXPECT_EQ(proof.intercept, 0.0);
                }
            }
        }
    }
}

TEST(sparse_certificate, without_the_norm_any_kernel_will_do) {
    Context context;
    SparseProblem problem = pair(1.0, 1.0, false);
    set_kernel(problem.risk, parse_kernel("sigmoid(gamma=1, coef0=-1)").value());
    EXPECT_TRUE(certify(problem, std::vector<double>{0.0, 0.0}, context).exact);
    problem.rkhs = true;
    EXPECT_FALSE(certify(problem, std::vector<double>{0.0, 0.0}, context).exact);
}

TEST(sparse_certificate, refuses_what_is_no_problem) {
    Context context;
    EXPECT_THROW(require_well_formed(pair(1.0, 0.0, false)), InvalidArgument);
    EXPECT_THROW(require_well_formed(pair(1.0, -1.0, true)), InvalidArgument);
    EXPECT_NO_THROW(require_well_formed(pair(1.0, 0.0, true)));
    SparseProblem hinge = pair(1.0, 1.0, true);
    hinge.risk.loss = HingeLoss{};
    EXPECT_THROW(require_well_formed(hinge), InvalidArgument);
    EXPECT_THROW(
        static_cast<void>(certify(pair(1.0, 1.0, true), std::vector<double>{1.0}, context)),
        InvalidArgument);
    const Certificate none = certify(pair(1.0, 1.0, true), std::vector<double>{kNaN, 0.0}, context);
    EXPECT_TRUE(std::isnan(none.gap));
}

}  // namespace
}  // namespace mercer
