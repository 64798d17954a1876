// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/solvers/ridge_test.cpp - kernel ridge regression against hand-made numbers and refits.
#include "mercer/solvers/ridge.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "mercer/base/error.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/operators/gram.hpp"
#include "mercer/runtime/context.hpp"
#include "row_sets.hpp"
#include "support/facts.hpp"
#include "support/origin.hpp"

namespace mercer {
namespace {

using testing::set_rows;

using testing::rows_of;

using testing::kernel_of;

using testing::RowSet;

RidgeProblem krr2() {
    static const std::vector<double> rows{1, 1, 0, 0, 1, 1};
    RidgeProblem problem;
    problem.gram = make_gram(linear_kernel(), Dataset(MatrixView<const double>(rows.data(), 2, 3)));
    problem.targets = {1.0, 0.0};
    problem.alpha = 1.0;
    problem.intercept = false;
    return problem;
}

TEST(ridge, krr2_has_the_hand_made_solution) {
    Context context;
    const RidgeSolution solution = solve_ridge(krr2(), false, context);
    expect_fact("RR4", "KRR2, n lambda = 1: alpha", solution.beta);
    expect_fact("RR4", "KRR2: objective 1/2 |K a - y|^2 + 1/2 a'Ka",
                solution.certificates[0].primal);
    expect_fact("RR4", "KRR2: dual objective", solution.certificates[0].dual);
    EXPECT_EQ(solution.status, SolveStatus::converged);
}

TEST(ridge, a_duplicate_point_without_ridge_is_solved_by_the_pseudo_inverse) {
    static const std::vector<double> rows{1.0, 1.0};
    RidgeProblem problem;
    problem.gram = make_gram(linear_kernel(), Dataset(MatrixView<const double>(rows.data(), 2, 1)));
    problem.targets = {1.0, 0.0};
    problem.alpha = 0.0;
    problem.intercept = false;
    Context context;
    const RidgeSolution solution = solve_ridge(problem, false, context);
    expect_fact("RR9", "DUP, y = (1, 0): alpha", solution.beta);
    EXPECT_EQ(solution.rank, 1);
    EXPECT_FALSE(solution.consistent);
}

TEST(ridge, three_points_on_a_line_beside_the_origin_are_met_without_ridge) {
    // y = 2 x + 1 at 0, 1, 2: K has rank 1, and the line needs its intercept.
    static const std::vector<double> rows{0.0, 1.0, 2.0};
    RidgeProblem problem;
    problem.gram = make_gram(linear_kernel(), Dataset(MatrixView<const double>(rows.data(), 3, 1)));
    problem.targets = {1.0, 3.0, 5.0};
    problem.alpha = 0.0;
    problem.intercept = true;
    Context context;
    const RidgeSolution solution = solve_ridge(problem, false, context);
    EXPECT_TRUE(solution.consistent);
    EXPECT_EQ(solution.status, SolveStatus::converged);
    EXPECT_NEAR(solution.intercepts[0], 1.0, 1e-12);
    EXPECT_NEAR(solution.beta[1] + 2.0 * solution.beta[2], 2.0, 1e-12);
    problem.targets = {1.0, 3.0, 6.0};  // on no line
    EXPECT_FALSE(solve_ridge(problem, false, context).consistent);
}

TEST(ridge, a_strictly_definite_kernel_interpolates_without_ridge) {
    RowSet rows(20, 2, 1);
    RidgeProblem problem;
    problem.gram = make_gram(rbf_kernel(2.0), rows.dense());
    problem.alpha = 0.0;
    for (index_t i = 0; i < 20; ++i) {
        problem.targets.push_back(std::sin(static_cast<double>(i)));
    }
    Context context;
    for (const bool intercept : {false, true}) {
        problem.intercept = intercept;
        const RidgeSolution solution = solve_ridge(problem, false, context);
        EXPECT_TRUE(solution.consistent);
        EXPECT_EQ(solution.rank, 20);
        EXPECT_LE(solution.certificates[0].kkt_violation, 1e-9);
    }
}

class ridge_random : public ::testing::TestWithParam<bool> {
protected:
    RidgeProblem make(index_t n, index_t targets) {
        RidgeProblem problem;
        problem.gram = make_gram(rbf_kernel(0.3), rows_.dense());
        problem.alpha = 0.1;
        problem.intercept = GetParam();
        problem.target_count = targets;
        Random random(3);
        for (index_t i = 0; i < n * targets; ++i) {
            problem.targets.push_back(5.0 + random.normal());
        }
        for (index_t i = 0; i < n; ++i) {
            problem.weights.push_back(random.uniform(0.5, 3.0));
        }
        return problem;
    }

    RowSet rows_{40, 3, 2};
    Context context_;
};

TEST_P(ridge_random, the_certificate_closes_the_gap) {
    const RidgeSolution solution = solve_ridge(make(40, 3), false, context_);
    for (const Certificate& certificate : solution.certificates) {
        EXPECT_LE(relative_gap(certificate), 1e-12);
        EXPECT_GE(certificate.gap, 0.0);
    }
}

TEST_P(ridge_random, leave_one_out_equals_refitting) {
    const RidgeProblem problem = make(40, 1);
    const RidgeSolution solution = solve_ridge(problem, true, context_);
    for (index_t out = 0; out < 40; out += 7) {
        std::vector<index_t> kept;
        RidgeProblem rest = problem;
        rest.targets.clear();
        rest.weights.clear();
        for (index_t i = 0; i < 40; ++i) {
            if (i != out) {
                kept.push_back(i);
                rest.targets.push_back(problem.targets[static_cast<std::size_t>(i)]);
                rest.weights.push_back(problem.weights[static_cast<std::size_t>(i)]);
            }
        }
        set_rows(rest, rows_of(problem).select(kept));
        const RidgeSolution refit = solve_ridge(rest, false, context_);
        const std::vector<index_t> one{out};
        const GramMatrix cross(kernel_of(problem), rows_of(problem).select(one), rows_of(rest),
                               Precision::float64, context_);
        double f = 0.0;
        cross.multiply(MatrixView<const double>(refit.beta.data(), 39, 1),
                       MatrixView<double>(&f, 1, 1), context_);
        const double residual =
            problem.targets[static_cast<std::size_t>(out)] - f - refit.intercepts[0];
        EXPECT_NEAR(solution.leave_one_out[static_cast<std::size_t>(out)], residual, 1e-10);
    }
}

TEST_P(ridge_random, weight_two_is_the_row_twice_and_weight_zero_the_row_absent) {
    RidgeProblem problem = make(40, 1);
    problem.weights.assign(40, 1.0);
    problem.weights[5] = 2.0;
    problem.weights[9] = 0.0;
    const RidgeSolution weighted = solve_ridge(problem, false, context_);
    std::vector<index_t> listed;
    RidgeProblem repeated = problem;
    repeated.weights.clear();
    repeated.targets.clear();
    for (index_t i = 0; i < 40; ++i) {
        for (int copy = 0; copy < (i == 5 ? 2 : (i == 9 ? 0 : 1)); ++copy) {
            listed.push_back(i);
            repeated.targets.push_back(problem.targets[static_cast<std::size_t>(i)]);
        }
    }
    set_rows(repeated, rows_of(problem).select(listed));
    const RidgeSolution plain = solve_ridge(repeated, false, context_);
    EXPECT_EQ(weighted.beta[9], 0.0);
    EXPECT_NEAR(weighted.intercepts[0], plain.intercepts[0], 1e-10);
    EXPECT_NEAR(weighted.certificates[0].primal, plain.certificates[0].primal, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(intercept, ridge_random, ::testing::Values(false, true));

TEST(ridge, variance_is_the_prior_less_what_the_rows_explain) {
    // One row x = 0, rbf, alpha = 1: variance at x is 1 - k^2 / 2.
    static const std::vector<double> train{0.0};
    static const std::vector<double> test{0.0, 1.0, 100.0};
    RidgeProblem problem;
    problem.gram =
        make_gram(rbf_kernel(0.5), Dataset(MatrixView<const double>(train.data(), 1, 1)));
    problem.targets = {1.0};
    problem.intercept = false;
    Context context;
    const std::vector<double> variance = ridge_variance(
        problem,
        problem.gram->beside(Dataset(MatrixView<const double>(test.data(), 3, 1)), context),
        context);
    EXPECT_NEAR(variance[0], 0.5, 1e-15);
    EXPECT_NEAR(variance[1], 1.0 - std::exp(-1.0) / 2.0, 1e-15);
    EXPECT_NEAR(variance[2], 1.0, 1e-15);
}

TEST(ridge, bad_parameters_are_refused_by_name) {
    Context context;
    RidgeProblem problem = krr2();
    problem.alpha = -1.0;
    EXPECT_THROW((void)solve_ridge(problem, false, context), InvalidArgument);
    problem = krr2();
    problem.targets[1] = kNaN;
    EXPECT_THROW((void)solve_ridge(problem, false, context), InvalidArgument);
    problem = krr2();
    problem.weights = {0.0, 0.0};
    EXPECT_THROW((void)solve_ridge(problem, false, context), InvalidArgument);
    Context small({.memory = 16});
    EXPECT_THROW((void)solve_ridge(krr2(), false, small), ResourceError);
}

}  // namespace
}  // namespace mercer
