// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/problems/sparse_columns_test.cpp - certificates of problems with a penalty on columns.
#include "mercer/problems/sparse_columns.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/runtime/context.hpp"
#include "row_sets.hpp"
#include "support/origin.hpp"

namespace mercer {
namespace {

using testing::rows_of;

using testing::RowSet;

SparseColumnProblem random_problem(const RowSet& rows, const Loss& loss, Random& random) {
    SparseColumnProblem problem;
    problem.risk.gram = make_gram(linear_kernel(), rows.dense());
    problem.risk.loss = loss;
    problem.risk.intercept = random.below(2) == 0;
    for (index_t i = 0; i < rows_of(problem.risk).rows(); ++i) {
        const double side = i % 2 == 0 ? -1.0 : 1.0;
        problem.risk.targets.push_back(is_classification(loss) ? side : random.normal());
        problem.risk.costs.push_back(random.uniform(0.1, 3.0));
    }
    problem.ridge = random.below(2) == 0;
    problem.l1 = random.uniform(0.05, 2.0);
    return problem;
}

TEST(sparse_columns, the_gap_is_primal_less_dual_and_no_dual_exceeds_any_primal) {
    Context context;
    Random random(1);
    const RowSet rows(15, 4, 2);
    for (const Loss& loss : {Loss(SquaredHingeLoss{}), Loss(ModifiedHuberLoss{}),
                             Loss(SquaredLoss{}), Loss(LogisticLoss{})}) {
        for (int trial = 0; trial < 50; ++trial) {
            const SparseColumnProblem problem = random_problem(rows, loss, random);
            double least = kInfinity;
            double greatest = -kInfinity;
            for (int point = 0; point < 8; ++point) {
                std::vector<double> w(4, 0.0);
                for (double& each : w) {
                    each = random.below(2) == 0 ? 0.0 : 0.5 * random.normal();
                }
                const Certificate proof = certify(problem, w, context);
                EXPECT_GE(proof.gap, 0.0);
                EXPECT_NEAR(proof.gap, proof.primal - proof.dual,
                            1e-11 * (1.0 + std::abs(proof.primal)));
                least = std::min(least, proof.primal);
                greatest = std::max(greatest, proof.dual);
            }
            EXPECT_LE(greatest, least * (1.0 + 1e-12));
        }
    }
}

TEST(sparse_columns, one_column_has_its_soft_threshold) {
    // 1/2 (y - w)^2 + l1 |w|, y = 3, l1 = 1: w = 2, and with 1/2 w^2 in addition w = 1.
    const std::vector<double> x{1.0};
    SparseColumnProblem problem;
    problem.risk.gram =
        make_gram(linear_kernel(), Dataset(MatrixView<const double>(x.data(), 1, 1)));
    problem.risk.targets = {3.0};
    problem.risk.costs = {1.0};
    problem.risk.loss = HalfSquaredLoss{};
    problem.risk.intercept = false;
    Context context;
    const Certificate lasso = certify(problem, std::vector<double>{2.0}, context);
    EXPECT_DOUBLE_EQ(lasso.primal, 2.5);
    EXPECT_DOUBLE_EQ(lasso.dual, 2.5);
    EXPECT_NEAR(lasso.kkt_violation, 0.0, 1e-15);
    problem.ridge = true;
    const Certificate net = certify(problem, std::vector<double>{1.0}, context);
    EXPECT_DOUBLE_EQ(net.primal, 3.5);
    EXPECT_DOUBLE_EQ(net.dual, 3.5);
    EXPECT_NEAR(net.gap, 0.0, 1e-15);
}

TEST(sparse_columns, malformed_weights_are_refused_and_wild_ones_prove_nothing) {
    Context context;
    Random random(3);
    const RowSet rows(6, 2, 4);
    SparseColumnProblem problem = random_problem(rows, SquaredLoss{}, random);
    EXPECT_THROW(static_cast<void>(certify(problem, std::vector<double>{1.0}, context)),
                 InvalidArgument);
    EXPECT_TRUE(std::isnan(certify(problem, std::vector<double>{kNaN, 0.0}, context).gap));
    problem.risk.loss = AbsoluteLoss{};
    EXPECT_THROW(static_cast<void>(certify(problem, std::vector<double>{1.0, 0.0}, context)),
                 InvalidArgument);
}

}  // namespace
}  // namespace mercer
