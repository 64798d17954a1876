// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/solvers/rescue_test.cpp - each strategy for its own difficulty.
#include "solvers/rescue.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "mercer/base/random.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/runtime/context.hpp"
#include "row_sets.hpp"
#include "solvers/active_set_solver.hpp"
#include "solvers/coordinate_driver.hpp"
#include "solvers/find_solver.hpp"
#include "solvers/kernel_solvers.hpp"

namespace mercer {
namespace {

using testing::RowSet;

constexpr index_t kRows = 24;

Problem problem_of(RowSet& rows, const Loss& loss, const Kernel& kernel = rbf_kernel(1.0)) {
    Problem problem;
    problem.gram = make_gram(kernel, rows.dense());
    problem.loss = loss;
    Random random(3);
    for (index_t i = 0; i < kRows; ++i) {
        const double y = rows.at(i, 0) + 0.5 * random.normal();
        problem.targets.push_back(is_classification(loss) ? (y > 0.0 ? 1.0 : -1.0) : y);
        problem.costs.push_back(1.0);
    }
    return problem;
}

double absolute_sum(const std::vector<double>& beta) {
    return std::accumulate(beta.begin(), beta.end(), 0.0,
                           [](double sum, double value) { return sum + std::abs(value); });
}

const KernelSolver& decomposition(const Problem& problem) {
    return required_solver(kernel_solvers(problem, SolverForm::box_dual), SolverId::decomposition);
}

TEST(rescue, kernel_values_are_divided_only_beyond_float32) {
    RowSet rows(kRows, 2, 1.0, 5);
    EXPECT_FALSE(divisor_for(problem_of(rows, HingeLoss{})).has_value());
    Problem huge = problem_of(rows, HingeLoss{}, 1e40 * rbf_kernel(1.0));
    ASSERT_TRUE(divisor_for(huge).has_value());
    EXPECT_EQ(*divisor_for(huge), std::ldexp(1.0, 132));  // the power of two below 1e40
    huge.costs.front() = 1e300;                           // the divided costs would overflow
    EXPECT_FALSE(divisor_for(huge).has_value());
}

TEST(rescue, a_divided_problem_has_the_same_optimum) {
    RowSet rows(kRows, 2, 1.0, 5);
    const Problem problem = problem_of(rows, HingeLoss{});
    Context context;
    const SolveOptions options{.gap_tolerance = 1e-9};
    const Solution plain = solve(problem, options, context);
    const Solution divided = solve_divided(problem, options, 4.0, context);
    EXPECT_EQ(divided.status, SolveStatus::converged);
    EXPECT_NEAR(divided.certificate().primal, plain.certificate().primal, 1e-7);
    EXPECT_NEAR(divided.intercept(), plain.intercept(), 1e-3);
}

TEST(rescue, a_feasible_start_carries_the_sum_within_the_boxes) {
    RowSet rows(kRows, 2, 1.0, 5);
    Problem problem = problem_of(rows, EpsilonInsensitiveLoss{0.0});
    problem.mass = 7.5;
    const std::vector<double> beta = feasible_start(problem);
    ASSERT_EQ(beta.size(), static_cast<std::size_t>(kRows));
    EXPECT_NEAR(absolute_sum(beta), 7.5, 1e-12);
    EXPECT_NEAR(std::accumulate(beta.begin(), beta.end(), 0.0), 0.0, 1e-12);
    std::vector<double> projected = beta;
    EXPECT_NEAR(project_onto_dual(problem, projected), 0.0, 1e-12);
}

TEST(rescue, there_is_no_feasible_start_where_one_side_cannot_carry_its_half) {
    RowSet rows(kRows, 2, 1.0, 5);
    Problem problem = problem_of(rows, EpsilonInsensitiveLoss{0.0});
    problem.costs.assign(static_cast<std::size_t>(kRows), 0.0);
    problem.costs[0] = 1.0;
    problem.costs[1] = 0.25;
    problem.mass = 2.0;
    EXPECT_TRUE(feasible_start(problem).empty());
}

TEST(rescue, a_tube_that_closes_needs_less_than_the_sum) {
    RowSet rows(kRows, 2, 1.0, 5);
    Problem problem = problem_of(rows, EpsilonInsensitiveLoss{0.0});
    EXPECT_FALSE(may_close(problem));
    problem.mass = static_cast<double>(kRows) * 0.5;
    EXPECT_TRUE(may_close(problem));
    std::fill(problem.targets.begin(), problem.targets.end(), 3.0);
    EXPECT_FALSE(closed_tube(problem).has_mass());
    EXPECT_DOUBLE_EQ(width_of(closed_tube(problem).loss), 0.0);
    Context context;
    const Solution closed = solve_closed(problem, {}, context);
    EXPECT_EQ(closed.status, SolveStatus::converged);
    EXPECT_DOUBLE_EQ(closed.certificate().width, 0.0);
    EXPECT_TRUE(carries_less(closed, problem));
    const Solution whole = solve(problem, {}, context);
    EXPECT_EQ(whole.status, SolveStatus::converged);
    EXPECT_DOUBLE_EQ(whole.certificate().width, 0.0);
}

TEST(rescue, coefficients_are_scaled_to_a_sum) {
    EXPECT_EQ(scaled_to_sum({3.0, -1.0}, 2.0), (std::vector<double>{1.5, -0.5}));
}

// The kernel matrix of a wide Gaussian is singular in double precision: pairwise steps are slow.
TEST(rescue, stages_prove_what_steps_alone_do_not_reach) {
    RowSet rows(kRows, 2, 1.0, 5);
    Problem problem = problem_of(rows, AbsoluteLoss{}, rbf_kernel(1e-3));
    problem.costs.assign(static_cast<std::size_t>(kRows), 1e6);
    Context context;
    const SolveOptions options{.gap_tolerance = 1e-6};
    SolveOptions limited = options;
    limited.max_iterations = 20000 + 100 * kRows;
    const KernelSolver& row = decomposition(problem);
    const Solution steps = solve_by_coordinates(row, problem, limited, "a test", context);
    const Solution staged = solve_in_stages(row, problem, options, "a test", context);
    EXPECT_NE(steps.status, SolveStatus::converged);
    EXPECT_LT(staged.certificate().gap, steps.certificate().gap);
}

TEST(rescue, a_limit_of_steps_has_no_stages) {
    RowSet rows(kRows, 2, 1.0, 5);
    const Problem problem = problem_of(rows, HingeLoss{});
    Context context;
    const SolveOptions options{.gap_tolerance = 1e-9, .max_iterations = 3};
    const Solution out =
        solve_in_stages(decomposition(problem), problem, options, "a test", context);
    EXPECT_EQ(out.status, SolveStatus::iteration_limit);
    EXPECT_LE(out.iterations, 3);
}

TEST(rescue, steps_go_on_where_rounding_ends_the_active_set) {
    RowSet rows(kRows, 2, 1.0, 5);
    const Problem problem = problem_of(rows, HingeLoss{});
    Context context;
    const Solution out = solve_from_active_set(problem, {.gap_tolerance = 1e-10}, context);
    EXPECT_EQ(out.status, SolveStatus::converged);
    EXPECT_EQ(out.solver, name_of(SolverId::active_set));
    // A kernel matrix that is singular in double precision: the better of both answers, and the
    // iterations of both.
    Problem singular = problem_of(rows, AbsoluteLoss{}, rbf_kernel(1e-3));
    singular.costs.assign(static_cast<std::size_t>(kRows), 1e6);
    const SolveOptions options{.gap_tolerance = 1e-15};
    const Solution alone = solve_by_active_set(singular, options, context);
    const Solution more = solve_from_active_set(singular, options, context);
    ASSERT_EQ(alone.status, SolveStatus::reduced);
    EXPECT_LE(computed_gap(more.certificate()), computed_gap(alone.certificate()));
}

}  // namespace
}  // namespace mercer
