// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/solvers/path_test.cpp - paths of a hyperparameter that are known by hand.
#include "mercer/solvers/path.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "mercer/data/dataset.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {
namespace {

TEST(path, a_free_tube_closes_where_the_line_meets_its_targets_and_no_sooner) {
    // y = x at -1 and 1, costs 1: the tube width is the residual 1 - w, and 1/2 w^2 + 2 nu (1 - w)
    // has its minimum at w = 2 nu, that is beta = nu. At nu = 1/2 the residual and the tube width
    // are 0.
    const std::vector<double> x{-1.0, 1.0};
    PathProblem moving;
    moving.problem.gram =
        make_gram(linear_kernel(), Dataset(MatrixView<const double>(x.data(), 2, 1)));
    moving.problem.loss = EpsilonInsensitiveLoss{0.0};
    moving.problem.targets = x;
    moving.problem.costs = {1.0, 1.0};
    moving.parameter = PathParameter::mass;
    moving.problem.mass = 1.0;  // any number: it only marks the width as free
    Context context;
    const SolutionPath path = trace_path(moving, {}, 0.25, 1.0, context);
    EXPECT_EQ(path.status, SolveStatus::converged);
    EXPECT_TRUE(path.closed);
    EXPECT_FALSE(path.complete);
    EXPECT_NEAR(path.to, 0.5, 1e-14);
    for (const double nu : {0.25, 0.375}) {
        const std::vector<double> beta = coefficients_at(moving, path, nu, context);
        EXPECT_NEAR(beta[0], -nu, 1e-14);
        EXPECT_NEAR(beta[1], nu, 1e-14);
    }
    // In the other direction the tube only opens.
    const SolutionPath opening = trace_path(moving, {}, 0.375, 0.125, context);
    EXPECT_TRUE(opening.complete);
    EXPECT_FALSE(opening.closed);
    EXPECT_EQ(opening.to, 0.125);
}

}  // namespace
}  // namespace mercer
