// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/solvers/interior_point_test.cpp - both forms of the interior point find the optimum.
#include "solvers/interior_point.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <vector>

#include "mercer/base/error.hpp"
#include "mercer/base/random.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/solve.hpp"
#include "row_sets.hpp"
#include "solvers/active_set_solver.hpp"
#include "solvers/bounded_variables.hpp"
#include "support/noisy_targets.hpp"

namespace mercer {
namespace {

using testing::noisy_problem;
using testing::RowSet;

constexpr index_t kRows = 120;
constexpr index_t kColumns = 4;

/// A tube around targets; the columns of `rows` are made to differ in scale by powers of ten.
Problem unscaled_problem(RowSet& rows, double first_scale, double cost) {
    Problem problem =
        noisy_problem(rows.dense(), rows, EpsilonInsensitiveLoss{0.1}, linear_kernel());
    for (index_t i = 0; i < kRows; ++i) {
        rows.at(i, 0) = first_scale * rows.at(i, 0);
        rows.at(i, 1) = 3e4 + 1e3 * rows.at(i, 1);
        rows.at(i, 2) = 1e5 * rows.at(i, 2);
    }
    problem.gram = make_gram(linear_kernel(), rows.dense());
    for (double& c : problem.costs) {
        c *= cost;
    }
    return problem;
}

/// The hinge on -1 and +1 of a line, one row each.
Problem pair_of(RowSet& rows, double cost) {
    rows.at(0, 0) = -1.0;
    rows.at(1, 0) = 1.0;
    Problem problem;
    problem.gram = make_gram(linear_kernel(), rows.dense());
    problem.targets = {-1.0, 1.0};
    problem.costs = {cost, cost};
    return problem;
}

TEST(interior_point, the_pair_has_alpha_of_a_half_or_its_cost) {
    for (const double cost : {0.1, 0.25, 0.5, 0.8, 10.0}) {
        RowSet rows(2, 1, 1);
        Context context;
        const Solution out = solve_by_interior_point(pair_of(rows, cost), {}, context);
        EXPECT_EQ(out.status, SolveStatus::converged);
        EXPECT_NEAR(out.beta[1], std::min(cost, 0.5), 1e-12) << cost;
        EXPECT_NEAR(out.beta[0], -std::min(cost, 0.5), 1e-12) << cost;
    }
}

TEST(interior_point, both_forms_agree_with_the_active_set_for_every_loss) {
    for (const Loss& loss : all_losses(0.1)) {
        if (!has_box_dual(loss)) {
            continue;
        }
        for (const bool intercept : {true, false}) {
            for (const Kernel& kernel : {linear_kernel(), rbf_kernel(0.5)}) {
                RowSet rows(kRows, kColumns, 3);
                Problem problem = noisy_problem(rows.dense(), rows, loss, kernel);
                problem.intercept = intercept;
                Context context;
                const SolveOptions options{.gap_tolerance = 1e-10};
                const Solution out = solve_by_interior_point(problem, options, context);
                const Solution exact = solve_by_active_set(problem, options, context);
                EXPECT_EQ(out.status, SolveStatus::converged) << name_of(loss);
                EXPECT_NEAR(out.certificate().primal, exact.certificate().primal,
                            1e-9 * std::max(1.0, exact.certificate().primal))
                    << name_of(loss) << " " << intercept;
            }
        }
    }
}

TEST(interior_point, columns_of_any_scale_are_solved_as_far_as_coefficients_have_digits) {
    RowSet rows(kRows, kColumns, 5);
    const Problem problem = unscaled_problem(rows, 1e-3, 100.0);
    Context context;
    const Solution out = solve_by_interior_point(problem, {.gap_tolerance = 1e-5}, context);
    EXPECT_EQ(out.status, SolveStatus::converged) << relative_gap(out.certificate());
    EXPECT_LT(out.iterations, 60);
}

TEST(interior_point, sparse_rows_have_the_answer_of_dense_ones) {
    RowSet rows(kRows, 6, 9, 0.3);
    Context context;
    const SolveOptions options{.gap_tolerance = 1e-10};
    const Solution dense = solve_by_interior_point(
        noisy_problem(rows.dense(), rows, HingeLoss{}, linear_kernel()), options, context);
    const Solution sparse = solve_by_interior_point(
        noisy_problem(rows.sparse(), rows, HingeLoss{}, linear_kernel()), options, context);
    EXPECT_EQ(sparse.status, SolveStatus::converged);
    EXPECT_NEAR(sparse.certificate().primal, dense.certificate().primal,
                1e-9 * dense.certificate().primal);
}

TEST(interior_point, a_row_twice_counts_as_its_weight_and_a_row_without_weight_not_at_all) {
    RowSet rows(2 * kRows, kColumns, 11);
    for (index_t i = 0; i < kRows; ++i) {
        for (index_t k = 0; k < kColumns; ++k) {
            rows.at(kRows + i, k) = rows.at(i, k);
        }
    }
    Problem twice = noisy_problem(rows.dense(), rows, HingeLoss{}, linear_kernel());
    for (std::size_t i = 0; i < kRows; ++i) {
        twice.targets[kRows + i] = twice.targets[i];
        twice.costs[kRows + i] = twice.costs[i];
    }
    Problem once = twice;
    for (std::size_t i = 0; i < kRows; ++i) {
        once.costs[i] *= 2.0;
        once.costs[kRows + i] = 0.0;
    }
    Context context;
    const SolveOptions options{.gap_tolerance = 1e-10};
    const Solution doubled = solve_by_interior_point(twice, options, context);
    const Solution weighted = solve_by_interior_point(once, options, context);
    EXPECT_EQ(doubled.status, SolveStatus::converged);
    EXPECT_EQ(weighted.status, SolveStatus::converged);
    EXPECT_NEAR(doubled.certificate().primal, weighted.certificate().primal,
                1e-9 * weighted.certificate().primal);
    for (std::size_t i = kRows; i < 2 * kRows; ++i) {
        EXPECT_EQ(weighted.beta[i], 0.0);
    }
}

TEST(interior_point, rows_without_any_weight_leave_nothing_to_do) {
    RowSet rows(2, 1, 1);
    Context context;
    const Solution out = solve_by_interior_point(pair_of(rows, 0.0), {}, context);
    EXPECT_EQ(out.status, SolveStatus::converged);
    EXPECT_EQ(out.iterations, 0);
    EXPECT_EQ(out.beta, (std::vector<double>{0.0, 0.0}));
}

TEST(interior_point, a_stop_is_honoured_and_what_is_there_is_certified) {
    RowSet rows(kRows, kColumns, 3);
    const Problem problem = noisy_problem(rows.dense(), rows, HingeLoss{}, linear_kernel());
    const std::atomic<bool> stop{true};
    Context context({.stop_flag = &stop});
    const Solution out = solve_by_interior_point(problem, {}, context);
    EXPECT_EQ(out.status, SolveStatus::interrupted);
    EXPECT_EQ(out.iterations, 0);
    EXPECT_TRUE(std::isfinite(out.certificate().gap));
}

TEST(interior_point, a_limit_of_steps_is_kept) {
    RowSet rows(kRows, kColumns, 3);
    const Problem problem = noisy_problem(rows.dense(), rows, HingeLoss{}, linear_kernel());
    Context context;
    const Solution out = solve_by_interior_point(problem, {.max_iterations = 3}, context);
    EXPECT_EQ(out.status, SolveStatus::iteration_limit);
    EXPECT_EQ(out.iterations, 3);
}

TEST(interior_point, a_matrix_beyond_the_budget_is_refused) {
    RowSet rows(kRows, kColumns, 3);
    const Problem problem = noisy_problem(rows.dense(), rows, HingeLoss{}, rbf_kernel(0.5));
    Context context({.memory = 8 * kRows * kRows / 2});
    EXPECT_THROW(static_cast<void>(solve_by_interior_point(problem, {}, context)), ResourceError);
}

TEST(interior_point, an_iterate_is_inside_its_bounds_and_its_gradient_vanishes_at_the_start) {
    RowSet rows(kRows, kColumns, 3);
    const Problem problem =
        noisy_problem(rows.dense(), rows, EpsilonInsensitiveLoss{0.1}, linear_kernel());
    Context context;
    BoundedVariables variables(problem, context);
    variables.start_multipliers(decision_values(problem, variables.beta(), context));
    variables.update(decision_values(problem, variables.beta(), context));
    EXPECT_GT(variables.mean_complementarity(), 0.0);
    EXPECT_NEAR(variables.gap_estimate(), variables.complementarity(),
                1e-12 * variables.complementarity())
        << "no residual is left";
}

TEST(interior_point, a_start_on_the_path_is_inside_its_bounds_for_every_loss) {
    RowSet rows(kRows, kColumns, 3);
    for (const Loss& loss : all_losses(0.1)) {
        if (!has_box_dual(loss)) {
            continue;
        }
        const Problem problem = noisy_problem(rows.dense(), rows, loss, linear_kernel());
        Context context;
        BoundedVariables variables(problem, context);
        const std::vector<double> zeros(static_cast<std::size_t>(kRows), 0.0);
        variables.start_on_path(zeros, zeros, 0.0);
        variables.update(zeros);
        EXPECT_TRUE(std::isfinite(variables.mean_complementarity())) << name_of(loss);
        // The matrix of the steps is finite and positive: every variable is inside its bounds.
        RowSystem system;
        variables.fill(system);
        for (const double weight : system.weights) {
            EXPECT_GT(weight, 0.0) << name_of(loss);
            EXPECT_TRUE(std::isfinite(weight)) << name_of(loss);
        }
    }
}

// Entries of 9e7 and coefficients of 100: the rounding of the coefficients changes K beta by more
// than the size of the targets.
TEST(interior_point, rows_near_zero_lend_their_digits_where_columns_are_large) {
    RowSet rows(kRows, 2, 5);
    Problem problem =
        noisy_problem(rows.dense(), rows, EpsilonInsensitiveLoss{0.5}, linear_kernel());
    for (index_t i = 0; i < kRows; ++i) {
        rows.at(i, 1) = -9e7 + 1e7 * rows.at(i, 1);
    }
    problem.gram = make_gram(linear_kernel(), rows.dense());
    problem.costs.assign(static_cast<std::size_t>(kRows), 1e4);
    Context context;
    const Solution out = solve_by_interior_point(problem, {}, context);
    EXPECT_EQ(out.status, SolveStatus::converged) << relative_gap(out.certificate());
}

// Unscaled columns, on which pairwise steps end with a gap above one half.
TEST(interior_point, automatic_choice_crosses_the_inside_where_steps_crawl) {
    RowSet rows(kRows, kColumns, 5);
    const Problem problem = unscaled_problem(rows, 1.0, 10.0);
    Context context;
    const Solution out = solve(problem, {}, context);
    EXPECT_EQ(out.status, SolveStatus::converged);
    EXPECT_EQ(out.solver, "interior-point");
}

}  // namespace
}  // namespace mercer
