// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/solvers/l1_state_test.cpp - steps of one coefficient, by hand.
#include "solvers/l1_state.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "mercer/data/dataset.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {
namespace {

TEST(l1_state, a_step_where_the_loss_is_linear_takes_the_greatest_curvature) {
    // One row (1, 1) of class y at w = (-3 y, 0): y z = -3 is on the linear piece of the modified
    // Huber loss, of slope 2 and without curvature. With the greatest one, which is 1, the second
    // coefficient moves to the minimum of -2 y w + |w| + w^2 / 2, which is y.
    const std::vector<double> row{1.0, 1.0};
    Context context;
    for (const double y : {-1.0, 1.0}) {
        SparseColumnProblem problem;
        problem.risk.gram =
            make_gram(linear_kernel(), Dataset(MatrixView<const double>(row.data(), 1, 2)));
        problem.risk.loss = ModifiedHuberLoss{};
        problem.risk.targets = {y};
        problem.risk.costs = {1.0};
        problem.risk.intercept = false;
        problem.l1 = 1.0;
        const ColumnBasis basis(problem);
        const std::vector<double> start{-3.0 * y, 0.0};
        L1State state(basis, start);
        state.refresh(context);
        const double column = 1.0;
        EXPECT_EQ(state.product(1, &column), 2.0 * y);
        EXPECT_EQ(state.step(1, &column), 1.0);  // |2 y| - 1 was the violation
        EXPECT_EQ(state.beta()[1], y);
    }
}

}  // namespace
}  // namespace mercer
