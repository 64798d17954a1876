// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/solvers/l1_newton_test.cpp - Newton steps on a lasso of three columns, by hand.
#include "solvers/l1_newton.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "mercer/data/dataset.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {
namespace {

TEST(l1_newton, of_zeros_that_would_move_the_wrong_way_only_the_worst_is_added) {
    // 1/2 |y - X w|^2 + |w|_1 with X'X = (1 - c) I + c 1 1', c = 0.49, and X'y = 1 + e. At w = 0
    // the slopes exceed 1 by e: all three by more than half of the most. Together the first would
    // become (e_1 - c / (1 + 2 c) sum e) / (1 - c) = -0.13; the second alone becomes e_2 = 1.
    constexpr double kCosine = 0.49;
    const std::vector<double> e{0.55, 1.0, 0.95};
    // X = a I + b 1 1', with a^2 = 1 - c and 2 a b + 3 b^2 = c, and y = X^-1 (1 + e).
    const double a = std::sqrt(1.0 - kCosine);
    const double b = (std::sqrt(a * a + 3.0 * kCosine) - a) / 3.0;
    const double sum = 3.0 + e[0] + e[1] + e[2];
    SparseColumnProblem problem;
    std::vector<double> rows(9, b);
    for (std::size_t j = 0; j < 3; ++j) {
        rows[4 * j] += a;
        problem.risk.targets.push_back((1.0 + e[j] - b * sum / (a + 3.0 * b)) / a);
    }
    problem.risk.gram =
        make_gram(linear_kernel(), Dataset(MatrixView<const double>(rows.data(), 3, 3)));
    problem.risk.loss = SquaredLoss{};
    problem.risk.costs = {0.5, 0.5, 0.5};
    problem.risk.intercept = false;
    problem.l1 = 1.0;
    const ColumnBasis basis(problem);
    const std::vector<double> zero(3, 0.0);
    L1State state(basis, zero);
    Context context;
    state.refresh(context);
    const std::vector<index_t> set{0, 1, 2};
    const std::vector<const double*> columns{rows.data(), rows.data() + 3, rows.data() + 6};
    EXPECT_EQ(newton_on_set(state, set, columns, 1e-12, 1, context).steps, 1);
    EXPECT_EQ(state.beta()[0], 0.0);
    EXPECT_NEAR(state.beta()[1], 1.0, 1e-9);
    EXPECT_EQ(state.beta()[2], 0.0);
    // At the end the first is out: the other two solve [[1, c], [c, 1]] w = (1, 0.95).
    const NewtonOutcome all = newton_on_set(state, set, columns, 1e-12, 20, context);
    EXPECT_LE(all.violation, 1e-12);
    EXPECT_LE(all.steps, 5);
    const double determinant = 1.0 - kCosine * kCosine;
    EXPECT_EQ(state.beta()[0], 0.0);
    EXPECT_NEAR(state.beta()[1], (e[1] - kCosine * e[2]) / determinant, 1e-12);
    EXPECT_NEAR(state.beta()[2], (e[2] - kCosine * e[1]) / determinant, 1e-12);
}

}  // namespace
}  // namespace mercer
