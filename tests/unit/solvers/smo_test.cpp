// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/solvers/smo_test.cpp - the documents' toy problems, exactly, and random ones,
// certified; all by the solver smo.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "mercer/base/error.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/solve.hpp"
#include "row_sets.hpp"
#include "support/origin.hpp"

namespace mercer {
namespace {

using testing::set_rows;

using testing::set_kernel;

using testing::RowSet;

struct Toy {
    std::vector<double> values;
    index_t columns;
    std::vector<double> targets;

    [[nodiscard]] Problem problem(const Kernel& kernel, double cost) const {
        Problem out;
        set_kernel(out, kernel);
        const auto n = static_cast<index_t>(targets.size());
        set_rows(out, Dataset(MatrixView<const double>(values.data(), n, columns)));
        out.targets = targets;
        out.costs.assign(targets.size(), cost);
        return out;
    }
};

const Toy kPair{{-1.0, 1.0}, 1, {-1.0, 1.0}};
const Toy kTrio{{-1.0, 1.0, 3.0}, 1, {-1.0, 1.0, 1.0}};
const Toy kXor{{1, 1, -1, -1, 1, -1, -1, 1}, 2, {-1, -1, 1, 1}};

/// solve() by smo; fails if another solver was used.
Solution solve_by_smo(const Problem& problem, SolveOptions options, Context& context) {
    options.solver = "smo";
    Solution solution = solve(problem, options, context);
    EXPECT_EQ(solution.solver, "smo");
    return solution;
}

Solution solve_toy(const Toy& toy, const Kernel& kernel, double cost, double gap = 1e-12) {
    Context context;
    return solve_by_smo(toy.problem(kernel, cost), {.gap_tolerance = gap}, context);
}

TEST(smo, pair_with_a_soft_margin) {
    const Solution solution = solve_toy(kPair, linear_kernel(), 0.25);
    EXPECT_EQ(solution.status, SolveStatus::converged);
    EXPECT_NEAR(solution.beta[1], 0.25, 1e-15);
    EXPECT_NEAR(solution.certificate().primal, 0.375, 1e-14);
    EXPECT_NEAR(solution.certificate().dual, 0.375, 1e-14);
    EXPECT_NEAR(solution.certificate().intercepts.lower, -0.5, 1e-14);
    EXPECT_NEAR(solution.certificate().intercepts.upper, 0.5, 1e-14);
}

TEST(smo, pair_with_a_hard_margin) {
    const Solution solution = solve_toy(kPair, linear_kernel(), 10.0);
    EXPECT_NEAR(solution.beta[0], -0.5, 1e-14);
    EXPECT_NEAR(solution.beta[1], 0.5, 1e-14);
    EXPECT_NEAR(solution.intercept(), 0.0, 1e-14);
    EXPECT_NEAR(solution.certificate().primal, 0.5, 1e-13);
}

TEST(smo, trio_for_small_and_large_cost) {
    for (const double cost : {0.1, 0.4, 0.5, 0.7, 5.0}) {
        const Solution solution = solve_toy(kTrio, linear_kernel(), cost);
        const double alpha = std::min(cost, 0.5);
        EXPECT_NEAR(solution.beta[0], -alpha, 1e-12) << cost;
        EXPECT_NEAR(solution.beta[1], alpha, 1e-12) << cost;
        EXPECT_NEAR(solution.beta[2], 0.0, 1e-12) << cost;
    }
    const Solution small = solve_toy(kTrio, linear_kernel(), 0.1);
    EXPECT_NEAR(small.certificate().intercepts.lower, 0.4, 1e-12);
    EXPECT_NEAR(small.certificate().intercepts.upper, 0.8, 1e-12);
}

TEST(smo, xor_is_hopeless_for_a_line_and_easy_for_a_parabola) {
    const Solution line = solve_toy(kXor, linear_kernel(), 0.7);
    EXPECT_NEAR(line.certificate().primal, 2.8, 1e-12);
    EXPECT_NEAR(line.certificate().dual, 2.8, 1e-12);
    EXPECT_NEAR(line.certificate().squared_norm, 0.0, 1e-12);
    const Solution parabola = solve_toy(kXor, poly_kernel(2.0), 10.0);
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_NEAR(std::abs(parabola.beta[i]), 0.125, 1e-12);
    }
    EXPECT_NEAR(parabola.intercept(), 0.0, 1e-12);
    EXPECT_NEAR(parabola.certificate().squared_norm, 0.5, 1e-12);
    EXPECT_NEAR(parabola.certificate().primal, 0.25, 1e-12);
}

TEST(smo, class_weights_widen_the_box) {
    Problem problem = kPair.problem(linear_kernel(), 0.1);
    problem.costs = {0.1, 0.2};
    Context context;
    const Solution solution = solve_by_smo(problem, {.gap_tolerance = 1e-12}, context);
    EXPECT_NEAR(solution.beta[0], -0.1, 1e-15);
    EXPECT_NEAR(solution.beta[1], 0.1, 1e-15);
}

TEST(smo, random_problems_are_certified_to_the_gap_asked_for) {
    Random random(7);
    for (int round = 0; round < 60; ++round) {
        const index_t n = 2 + random.below(200);
        const index_t d = 1 + random.below(60);
        RowSet rows(n, d, random.bits());
        Problem problem;
        problem.gram = make_gram(
            round % 3 == 0 ? linear_kernel() : rbf_kernel(random.uniform(0.01, 2.0)), rows.dense());
        problem.intercept = round % 4 != 0;
        // Single coordinates (no intercept) converge slowly on a linear kernel with a large cost.
        const double cost = std::pow(10.0, random.uniform(-2.0, problem.intercept ? 3.0 : 1.0));
        for (index_t i = 0; i < n; ++i) {
            problem.targets.push_back(random.uniform() < 0.5 ? -1.0 : 1.0);
            problem.costs.push_back(cost *
                                    (random.below(10) == 0 ? 0.0 : random.uniform(0.5, 2.0)));
        }
        Context context({.threads = 2});
        const Solution solution = solve_by_smo(problem, {.gap_tolerance = 1e-8}, context);
        EXPECT_EQ(solution.status, SolveStatus::converged) << "round " << round;
        EXPECT_LE(relative_gap(solution.certificate()), 1e-8) << "round " << round;
        double sum = 0.0;
        for (std::size_t i = 0; i < solution.beta.size(); ++i) {
            const Interval box = dual_box(problem, static_cast<index_t>(i));
            EXPECT_GE(solution.beta[i], box.lower);
            EXPECT_LE(solution.beta[i], box.upper);
            sum += solution.beta[i];
        }
        if (problem.intercept) {
            EXPECT_NEAR(sum, 0.0, 1e-9 * cost * static_cast<double>(n));
        }
    }
}

TEST(smo, the_violation_asked_for_holds_by_the_certificate) {
    RowSet rows(400, 5, 3);
    Problem problem;
    problem.gram = make_gram(rbf_kernel(0.5), rows.dense());
    for (index_t i = 0; i < 400; ++i) {
        problem.targets.push_back(rows.at(i, 0) * rows.at(i, 1) + 0.3 * rows.at(i, 2) > 0 ? 1.0
                                                                                          : -1.0);
        problem.costs.push_back(10.0);
    }
    Context context;
    for (const double tolerance : {1e-3, 1e-6, 1e-9}) {
        const Solution solution = solve_by_smo(problem, {.tolerance = tolerance}, context);
        EXPECT_EQ(solution.status, SolveStatus::converged);
        EXPECT_LE(solution.certificate().kkt_violation, tolerance);
    }
}

TEST(smo, threads_and_cache_change_no_bit) {
    RowSet rows(300, 50, 4);
    Problem problem;
    problem.gram = make_gram(rbf_kernel(0.02), rows.dense());
    Random random(5);
    for (index_t i = 0; i < 300; ++i) {
        problem.targets.push_back(random.uniform() < 0.5 ? -1.0 : 1.0);
        problem.costs.push_back(3.0);
    }
    std::vector<double> first;
    for (const int threads : {1, 2, 5}) {
        for (const index_t cache : {index_t{1}, index_t{1} << 16, index_t{1} << 28}) {
            Context context({.threads = threads});
            const Solution solution = solve_by_smo(
                problem, {.gap_tolerance = 1e-6, .coordinates = {.cache_bytes = cache}}, context);
            if (first.empty()) {
                first = solution.beta;
            }
            EXPECT_EQ(solution.beta, first) << threads << " threads, " << cache << " bytes";
        }
    }
}

TEST(smo, a_warm_start_from_the_solution_ends_at_once) {
    RowSet rows(200, 4, 6);
    Problem problem;
    problem.gram = make_gram(rbf_kernel(0.5), rows.dense());
    for (index_t i = 0; i < 200; ++i) {
        problem.targets.push_back(rows.at(i, 0) > 0 ? 1.0 : -1.0);
        problem.costs.push_back(5.0);
    }
    Context context;
    const Solution cold = solve_by_smo(problem, {.gap_tolerance = 1e-6}, context);
    const Solution warm =
        solve_by_smo(problem, {.gap_tolerance = 1e-5, .start = cold.beta}, context);
    EXPECT_EQ(warm.status, SolveStatus::converged);
    EXPECT_LT(warm.iterations, cold.iterations / 4 + 2);
}

TEST(smo, one_class_only_has_the_zero_solution) {
    Problem problem = kPair.problem(linear_kernel(), 1.0);
    problem.targets = {1.0, 1.0};
    Context context;
    const Solution solution = solve_by_smo(problem, {}, context);
    EXPECT_EQ(solution.status, SolveStatus::converged);
    EXPECT_EQ(solution.beta, (std::vector<double>{0.0, 0.0}));
    EXPECT_NEAR(solution.certificate().primal, 0.0, 1e-15);
}

TEST(smo, a_stop_request_leaves_a_certified_place) {
    RowSet rows(500, 5, 8);
    Problem problem;
    problem.gram = make_gram(rbf_kernel(0.5), rows.dense());
    for (index_t i = 0; i < 500; ++i) {
        problem.targets.push_back(i % 2 == 0 ? 1.0 : -1.0);
        problem.costs.push_back(100.0);
    }
    std::atomic<bool> stop{true};
    Context context({.stop_flag = &stop});
    const Solution solution = solve_by_smo(problem, {.gap_tolerance = 1e-9}, context);
    EXPECT_EQ(solution.status, SolveStatus::interrupted);
    EXPECT_GE(solution.certificate().gap, 0.0);
    Context limited;
    const Solution few =
        solve_by_smo(problem, {.gap_tolerance = 1e-9, .max_iterations = 10}, limited);
    EXPECT_EQ(few.status, SolveStatus::iteration_limit);
    EXPECT_TRUE(std::isfinite(few.certificate().gap));
}

TEST(smo, a_violation_whose_square_underflows_ends_it) {
    // No partner gains anything that a double can hold: the steps must not go on for ever.
    Problem problem = kPair.problem(linear_kernel(), 1.0);
    problem.loss = AbsoluteLoss{};
    problem.targets = {-1e-170, 1e-170};
    Context context;
    const Solution solution =
        solve_by_smo(problem, {.tolerance = 1e-200, .max_iterations = 100000}, context);
    EXPECT_EQ(solution.status, SolveStatus::reduced);
    EXPECT_LT(solution.iterations, 1000);
}

TEST(smo, what_does_not_fit_is_refused_by_name) {
    Context context;
    Problem tube = kPair.problem(linear_kernel(), 1.0);
    tube.loss = EpsilonInsensitiveLoss{0.1};  // smo does not support a kink at zero
    EXPECT_THROW((void)solve_by_smo(tube, {}, context), InvalidArgument);
    const Problem problem = kPair.problem(linear_kernel(), 1.0);
    EXPECT_THROW((void)solve(problem, {.solver = "falkon"}, context), InvalidArgument);
    EXPECT_THROW((void)solve_by_smo(problem, {.gap_tolerance = -1.0}, context), InvalidArgument);
    EXPECT_THROW((void)solve_by_smo(problem, {.tolerance = 0.0}, context), InvalidArgument);
    Problem bad = problem;
    bad.targets[0] = 0.5;
    EXPECT_THROW((void)solve_by_smo(bad, {}, context), InvalidArgument);
    bad = problem;
    bad.costs[1] = kNaN;
    EXPECT_THROW((void)solve_by_smo(bad, {}, context), InvalidArgument);
}

}  // namespace
}  // namespace mercer
