// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/solvers/dual_descent_test.cpp - dual descent ends at the optimum, in both forms.
#include "solvers/dual_descent.hpp"

#include <gtest/gtest.h>

#include <algorithm>
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
#include "solvers/rescue.hpp"
#include "support/noisy_targets.hpp"

namespace mercer {
namespace {

using testing::RowSet;

constexpr index_t kRows = 120;
constexpr index_t kColumns = 4;

/// Targets far from zero, so that b matters.
Problem problem_of(const Dataset& rows, RowSet& values, const Loss& loss, const Kernel& kernel) {
    return testing::noisy_problem(rows, values, loss, kernel, {.shift = 0.7, .level = 5.0});
}

Solution descend(const Problem& problem, const SolveOptions& options, Context& context) {
    return solve_by_dual_descent(problem, options, kInfinity, context);
}

TEST(dual_descent, it_agrees_with_the_active_set_for_every_loss) {
    for (const Loss& loss : all_losses(0.1)) {
        if (!has_box_dual(loss)) {
            continue;
        }
        for (const bool intercept : {true, false}) {
            for (const Kernel& kernel : {linear_kernel(), 3.0 * linear_kernel(), rbf_kernel(0.5)}) {
                RowSet rows(kRows, kColumns, 3);
                Problem problem = problem_of(rows.dense(), rows, loss, kernel);
                problem.intercept = intercept;
                ASSERT_TRUE(dual_descent_fits(problem));
                Context context;
                const SolveOptions options{.gap_tolerance = 1e-8};
                const Solution out = descend(problem, options, context);
                const Solution exact = solve_by_active_set(problem, options, context);
                EXPECT_EQ(out.status, SolveStatus::converged)
                    << name_of(loss) << " " << relative_gap(out.certificate());
                EXPECT_NEAR(out.certificate().primal, exact.certificate().primal,
                            1e-7 * std::max(1.0, exact.certificate().primal))
                    << name_of(loss) << " " << intercept;
                EXPECT_NEAR(out.intercept(), exact.intercept(), 1e-2) << name_of(loss);
            }
        }
    }
}

TEST(dual_descent, every_storage_has_the_same_answer) {
    RowSet rows(kRows, 6, 9, 0.3);
    rows.zero_row(5);
    Context context;
    const SolveOptions options{.gap_tolerance = 1e-9};
    for (const Loss& loss : {Loss(HingeLoss{}), Loss(EpsilonInsensitiveLoss{0.1})}) {
        const Solution dense =
            descend(problem_of(rows.dense(), rows, loss, linear_kernel()), options, context);
        EXPECT_EQ(dense.status, SolveStatus::converged);
        for (const Dataset& data : {rows.sparse(), rows.strided()}) {
            const Solution other =
                descend(problem_of(data, rows, loss, linear_kernel()), options, context);
            EXPECT_EQ(other.status, SolveStatus::converged);
            EXPECT_NEAR(other.certificate().primal, dense.certificate().primal,
                        1e-8 * dense.certificate().primal);
        }
    }
}

TEST(dual_descent, a_kernel_times_a_number_and_some_of_the_rows_are_solved_where_they_lie) {
    RowSet rows(kRows, kColumns, 3);
    Problem problem = problem_of(rows.dense(), rows, HingeLoss{}, 3.0 * linear_kernel());
    std::vector<index_t> places;
    Problem part = problem;
    part.targets.clear();
    part.costs.clear();
    for (index_t i = kRows - 1; i >= 0; i -= 2) {
        places.push_back(i);
        part.targets.push_back(problem.targets[static_cast<std::size_t>(i)]);
        part.costs.push_back(problem.costs[static_cast<std::size_t>(i)]);
    }
    part.gram = subset(problem.gram, places);
    Context context;
    const SolveOptions options{.gap_tolerance = 1e-8};
    for (const Problem& each : {problem, part}) {
        const Solution out = descend(each, options, context);
        const Solution exact = solve_by_active_set(each, options, context);
        EXPECT_EQ(out.status, SolveStatus::converged);
        EXPECT_NEAR(out.certificate().primal, exact.certificate().primal,
                    1e-7 * exact.certificate().primal);
    }
}

TEST(dual_descent, any_number_of_threads_gives_the_same_bits) {
    RowSet rows(2000, kColumns, 4);
    const Problem problem = problem_of(rows.dense(), rows, HingeLoss{}, linear_kernel());
    Context one({.threads = 1});
    Context three({.threads = 3});
    EXPECT_EQ(descend(problem, {}, one).beta, descend(problem, {}, three).beta);
}

TEST(dual_descent, a_start_at_the_answer_needs_no_sweep) {
    RowSet rows(kRows, kColumns, 3);
    const Problem problem = problem_of(rows.dense(), rows, HingeLoss{}, linear_kernel());
    Context context;
    const Solution cold = descend(problem, {.gap_tolerance = 1e-8}, context);
    const Solution warm = descend(problem, {.start = cold.beta}, context);
    EXPECT_EQ(warm.status, SolveStatus::converged);
    EXPECT_EQ(warm.iterations, 0);
    EXPECT_GT(cold.iterations, 0);
}

TEST(dual_descent, rows_without_any_weight_leave_nothing_to_do) {
    RowSet rows(kRows, kColumns, 3);
    Problem problem = problem_of(rows.dense(), rows, HingeLoss{}, linear_kernel());
    std::fill(problem.costs.begin(), problem.costs.end(), 0.0);
    Context context;
    const Solution out = descend(problem, {}, context);
    EXPECT_EQ(out.status, SolveStatus::converged);
    EXPECT_EQ(out.iterations, 0);
}

TEST(dual_descent, a_violation_that_is_asked_for_is_certified) {
    RowSet rows(kRows, kColumns, 3);
    const Problem problem = problem_of(rows.dense(), rows, HingeLoss{}, linear_kernel());
    Context context;
    const Solution out = descend(problem, {.tolerance = 1e-5}, context);
    EXPECT_EQ(out.status, SolveStatus::converged);
    EXPECT_LE(out.certificate().kkt_violation, 1e-5);
}

TEST(dual_descent, a_goal_beyond_rounding_ends_and_is_not_said_to_be_met) {
    RowSet rows(20, 2, 3);
    const Problem problem = problem_of(rows.dense(), rows, SquaredHingeLoss{}, linear_kernel());
    Context context;
    const Solution out =
        descend(problem, {.gap_tolerance = 1e-300, .max_iterations = 5000}, context);
    EXPECT_TRUE(out.status == SolveStatus::iteration_limit || out.certificate().gap == 0.0);
    EXPECT_LT(relative_gap(out.certificate()), 1e-10);
}

TEST(dual_descent, a_stop_is_honoured_and_what_is_there_is_certified) {
    RowSet rows(kRows, kColumns, 3);
    const Problem problem = problem_of(rows.dense(), rows, HingeLoss{}, linear_kernel());
    const std::atomic<bool> stop{true};
    Context context({.stop_flag = &stop});
    const Solution out = descend(problem, {}, context);
    EXPECT_EQ(out.status, SolveStatus::interrupted);
    EXPECT_TRUE(std::isfinite(out.certificate().gap));
}

TEST(dual_descent, a_limit_of_sweeps_is_kept_and_the_last_point_is_certified) {
    RowSet rows(kRows, kColumns, 3);
    const Problem problem = problem_of(rows.dense(), rows, HingeLoss{}, linear_kernel());
    Context context;
    const Solution out = descend(problem, {.gap_tolerance = 1e-12, .max_iterations = 3}, context);
    EXPECT_EQ(out.status, SolveStatus::iteration_limit);
    EXPECT_EQ(out.iterations, 3);
    EXPECT_GT(out.certificate().dual, 0.0) << "better than where it began";
}

TEST(dual_descent, a_free_width_is_not_for_it) {
    Problem problem;
    EXPECT_TRUE(dual_descent_fits(problem));
    problem.mass = 1.0;
    EXPECT_FALSE(dual_descent_fits(problem));
    problem.mass = kNaN;
    problem.loss = LogisticLoss{};
    EXPECT_FALSE(dual_descent_fits(problem));
}

TEST(dual_descent, a_matrix_beyond_the_budget_is_refused_where_k_has_to_be_stored) {
    RowSet rows(kRows, kColumns, 3);
    const Problem problem = problem_of(rows.dense(), rows, HingeLoss{}, rbf_kernel(0.5));
    Context context({.memory = 8 * kRows * kRows / 2});
    EXPECT_THROW(static_cast<void>(descend(problem, {}, context)), ResourceError);
}

// Fourteen rows whose b drifts while few of them are active: the shrunk rows were not checked again
// before the sweeps cycled (case 368 of tests/conformance/vector_machines_test.cpp).
TEST(dual_descent, rows_that_were_left_out_come_back_when_b_drifts) {
    int converged = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        RowSet rows(14, 2, seed);
        Problem problem = problem_of(rows.dense(), rows, HingeLoss{}, linear_kernel());
        problem.costs.assign(problem.costs.size(), 0.4);
        Context context;
        const Solution out =
            descend(problem, {.gap_tolerance = 1e-9, .max_iterations = 20000}, context);
        converged += static_cast<int>(out.status == SolveStatus::converged);
    }
    EXPECT_EQ(converged, 200);
}

TEST(dual_descent, rows_inside_the_tube_and_beyond_the_margin_have_no_coefficient) {
    RowSet rows(kRows, kColumns, 3);
    Context context;
    for (const Loss& loss : {Loss(HingeLoss{}), Loss(EpsilonInsensitiveLoss{0.5})}) {
        const Solution out =
            descend(problem_of(rows.dense(), rows, loss, linear_kernel()), {}, context);
        const auto zeros = std::count(out.beta.begin(), out.beta.end(), 0.0);
        EXPECT_GT(zeros, kRows / 10) << name_of(loss);
    }
}

TEST(dual_descent, where_it_crawls_the_interior_point_goes_on_unless_it_was_asked_for) {
    RowSet rows(400, kColumns, 5);
    for (index_t i = 0; i < 400; ++i) {
        rows.at(i, 1) = 3e4 + 1e3 * rows.at(i, 1);
        rows.at(i, 2) = 1e5 * rows.at(i, 2);
    }
    const Problem problem =
        problem_of(rows.dense(), rows, EpsilonInsensitiveLoss{0.1}, linear_kernel());
    Context context;
    const Solution out = solve_from_dual_descent(problem, {.gap_tolerance = 1e-6}, context);
    EXPECT_EQ(out.status, SolveStatus::converged) << relative_gap(out.certificate());
    EXPECT_EQ(out.solver, "interior-point");
    const Solution asked = solve_from_dual_descent(
        problem, {.gap_tolerance = 1e-6, .max_iterations = 100, .solver = "dual-descent"}, context);
    EXPECT_EQ(asked.solver, "dual-descent");
    EXPECT_EQ(asked.status, SolveStatus::iteration_limit);
}

}  // namespace
}  // namespace mercer
