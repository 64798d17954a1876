// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/solvers/path_test.cpp - paths of a hyperparameter that are known by hand.
#include "mercer/solvers/path.hpp"

#include <gtest/gtest.h>

#include <algorithm>
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

/// x = -1 and 1 with these numbers as targets, costs 1, the linear kernel, no intercept.
PathProblem line_of_two(const std::vector<double>& x, const Loss& loss, PathParameter parameter) {
    PathProblem moving;
    moving.problem.gram =
        make_gram(linear_kernel(), Dataset(MatrixView<const double>(x.data(), 2, 1)));
    moving.problem.loss = loss;
    moving.problem.targets = x;
    moving.problem.costs = {1.0, 1.0};
    moving.problem.intercept = false;
    moving.parameter = parameter;
    return moving;
}

TEST(path, knots_state_the_dual_value_and_the_norm) {
    const std::vector<double> x{-1.0, 1.0};
    Context context;
    // Hinge: |beta| = a = min(C, 1/2), w = 2 a, and the dual value is 2 a - w^2 / 2.
    const PathProblem classes = line_of_two(x, HingeLoss{}, PathParameter::cost);
    const SolutionPath costs = trace_path(classes, {}, 0.125, 2.0, context);
    ASSERT_GE(costs.knots.size(), 2U);
    EXPECT_EQ(costs.knots.front().t, 0.125);
    for (const PathKnot& knot : costs.knots) {
        const double a = std::min(knot.t, 0.5);
        EXPECT_NEAR(knot.dual, 2.0 * a - 2.0 * a * a, 1e-14) << knot.t;
        EXPECT_NEAR(knot.squared_norm, 4.0 * a * a, 1e-14) << knot.t;
    }
    // Tube: w = 1 - epsilon, |beta| = w / 2, and the dual value is w (1 - epsilon) - w^2 / 2.
    const PathProblem numbers = line_of_two(x, EpsilonInsensitiveLoss{0.0}, PathParameter::width);
    const SolutionPath widths = trace_path(numbers, {}, 0.25, 0.75, context);
    ASSERT_GE(widths.knots.size(), 2U);
    EXPECT_EQ(widths.knots.back().t, 0.75);
    for (const PathKnot& knot : widths.knots) {
        const double w = 1.0 - knot.t;
        EXPECT_NEAR(knot.dual, 0.5 * w * w, 1e-14) << knot.t;
        EXPECT_NEAR(knot.squared_norm, w * w, 1e-14) << knot.t;
    }
}

}  // namespace
}  // namespace mercer
