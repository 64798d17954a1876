// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/solvers/active_set_test.cpp - the active set finds the exact optimum by every pricing
// rule, and proves that a dual is unbounded.
#include "solvers/active_set.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "mercer/base/random.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/problems/certificate.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/solve.hpp"
#include "row_sets.hpp"
#include "support/facts.hpp"
#include "support/origin.hpp"

namespace mercer {
namespace {

using testing::set_kernel;

using testing::RowSet;

/// A problem over `rows`, targets by the first column and some noise.
Problem noisy_problem(RowSet& rows, index_t n, const Loss& loss, bool intercept, double cost) {
    Problem problem;
    problem.gram = make_gram(rbf_kernel(0.5), rows.dense());
    problem.loss = loss;
    problem.intercept = intercept;
    Random random(21);
    for (index_t i = 0; i < n; ++i) {
        const double y = rows.at(i, 0) + random.normal();
        problem.targets.push_back(is_classification(loss) ? (y > 0.0 ? 1.0 : -1.0) : y);
        problem.costs.push_back(cost);
    }
    return problem;
}

/// What a violation is compared with: the largest part of a row's value.
double scale_of(const Problem& problem, const std::vector<double>& beta) {
    double sum = 0.0;
    for (const double b : beta) {
        sum += std::abs(b);
    }
    double linear = 0.0;
    for (const double y : problem.targets) {
        linear = std::max(linear, std::abs(y));
    }
    return linear + sum;  // k(x, x) = 1
}

TEST(active_set, the_pair_is_one_equality_constrained_step) {
    const std::vector<double> x{-1.0, 1.0};
    Problem problem;
    problem.gram = make_gram(linear_kernel(), Dataset(MatrixView<const double>(x.data(), 2, 1)));
    problem.targets = {-1.0, 1.0};
    problem.costs = {10.0, 10.0};
    for (const Pricing pricing : {Pricing::worst, Pricing::cyclic, Pricing::blocks}) {
        Context context;
        SolveOptions options;
        options.solver = "active-set";
        options.active_set.pricing = pricing;
        const Solution solution = solve(problem, options, context);
        EXPECT_EQ(solution.status, SolveStatus::converged);
        expect_fact("A12", "PAIR, C = 10: equality-constrained steps", solution.iterations);
        expect_fact("A12", "PAIR, C = 10: beta", solution.beta);
        expect_fact("A12", "PAIR, C = 10: KKT violation", solution.certificate().kkt_violation);
    }
}

TEST(active_set, every_pricing_rule_ends_at_the_same_optimum_without_a_violation) {
    constexpr index_t kRows = 80;
    RowSet rows(kRows, 2, 15);
    for (const Loss& loss :
         {Loss(HingeLoss{}), Loss(SquaredHingeLoss{}), Loss(ModifiedHuberLoss{}),
          Loss(AbsoluteLoss{}), Loss(EpsilonInsensitiveLoss{0.3}), Loss(SquaredEpsilonLoss{0.3})}) {
        for (const bool intercept : {true, false}) {
            const Problem problem = noisy_problem(rows, kRows, loss, intercept, 2.0);
            double known = kNaN;
            for (const Pricing pricing : {Pricing::worst, Pricing::cyclic, Pricing::blocks}) {
                Context context;
                SolveOptions options;
                options.solver = "active-set";
                options.active_set.pricing = pricing;
                options.gap_tolerance = 1e-13;
                const Solution solution = solve(problem, options, context);
                EXPECT_EQ(solution.solver, "active-set") << name_of(loss);
                expect_fact("A12", "six losses, 80 rows, three pricing rules: KKT violation",
                            solution.certificate().kkt_violation);
                expect_fact("A12", "six losses, 80 rows, three pricing rules: steps",
                            solution.iterations);
                known = std::isnan(known) ? solution.certificate().dual : known;
                expect_fact("A12",
                            "six losses, 80 rows: |D - that of the worst violator|, relative",
                            std::abs(solution.certificate().dual - known) / std::abs(known));
            }
        }
    }
}

TEST(active_set, cyclic_pricing_follows_the_seed_and_nothing_else) {
    constexpr index_t kRows = 100;
    RowSet rows(kRows, 2, 16);
    const Problem problem = noisy_problem(rows, kRows, HingeLoss{}, true, 2.0);
    std::vector<index_t> steps;
    for (const auto& [seed, threads] : {std::pair{7, 1}, std::pair{7, 3}, std::pair{8, 1}}) {
        Context context({.threads = threads, .seed = static_cast<std::uint64_t>(seed)});
        SolveOptions options;
        options.solver = "active-set";
        options.active_set.pricing = Pricing::cyclic;
        steps.push_back(solve(problem, options, context).iterations);
    }
    EXPECT_EQ(steps[0], steps[1]);
    EXPECT_NE(steps[0], steps[2]);
}

TEST(active_set, an_unbounded_dual_is_proved_by_a_ray) {
    // The hulls of {0, 2} and {1} intersect at 1: no hard margin separates them.
    const std::vector<double> x{0.0, 2.0, 1.0, -3.0};
    Problem problem;
    problem.gram = make_gram(linear_kernel(), Dataset(MatrixView<const double>(x.data(), 4, 1)));
    problem.targets = {1.0, 1.0, -1.0, -1.0};
    problem.costs = {1.0, 1.0, 1.0, 1.0};
    MovingDual dual = fixed_dual(problem);
    for (MovingTerm& term : dual.terms) {
        (term.upper.start > 0.0 ? term.upper.start : term.lower.start) *= kInfinity;
    }
    Context context;
    ActiveSet set(dual, std::vector<double>(4, 0.0), 0.0, context);
    ASSERT_EQ(set.settle(context), ActiveSet::Ending::unbounded);
    const std::vector<double>& ray = set.ray();
    double sum = 0.0;
    double weight = 0.0;
    double moment = 0.0;
    for (std::size_t i = 0; i < ray.size(); ++i) {
        EXPECT_GE(problem.targets[i] * ray[i], 0.0);  // it never leaves the box
        sum += ray[i];
        weight += std::abs(ray[i]);
        moment += ray[i] * x[i];
    }
    expect_fact("A12", "hulls that meet: |sum of the ray|, relative", std::abs(sum) / weight);
    expect_fact("A12", "hulls that meet: |sum of the ray times x|, relative",
                std::abs(moment) / weight);
    EXPECT_GT(set.ray_gain(), 0.0);
}

TEST(active_set, a_polish_brings_the_end_of_smo_to_the_last_digits) {
    constexpr index_t kRows = 300;
    RowSet rows(kRows, 3, 17);
    for (const Loss& loss : {Loss(HingeLoss{}), Loss(SquaredHingeLoss{}), Loss(ModifiedHuberLoss{}),
                             Loss(AbsoluteLoss{})}) {
        for (const Selection selection : {Selection::second_order, Selection::maximal_violating}) {
            const Problem problem = noisy_problem(rows, kRows, loss, true, 1.0);
            Context context;
            SolveOptions options;
            options.solver = "smo";
            options.coordinates.selection = selection;
            options.tolerance = 1e-3;
            const Solution rough = solve(problem, options, context);
            EXPECT_GT(relative_gap(rough.certificate()), 1e-9) << name_of(loss);
            options.active_set.polish = true;
            const Solution exact = solve(problem, options, context);
            EXPECT_EQ(exact.status, SolveStatus::converged);
            expect_fact("A12", "smo to 1e-3, then a polish, 300 rows: relative gap",
                        relative_gap(exact.certificate()));
        }
    }
}

TEST(active_set, a_polish_needs_a_box) {
    RowSet rows(20, 2, 18);
    const Problem problem = noisy_problem(rows, 20, LogisticLoss{}, true, 1.0);
    Context context;
    SolveOptions options;
    options.active_set.polish = true;
    EXPECT_THROW((void)solve(problem, options, context), InvalidArgument);
}

TEST(SlowActiveSet, two_thousand_free_rows_end_without_a_violation) {
    constexpr index_t kRows = 2200;
    RowSet rows(kRows, 6, 19);
    for (const Loss& loss : {Loss(EpsilonInsensitiveLoss{0.01}), Loss(SquaredHingeLoss{})}) {
        Problem problem = noisy_problem(rows, kRows, loss, true, 100.0);
        set_kernel(problem, rbf_kernel(2.0));
        Context context;
        SolveOptions options;
        options.tolerance = 1e-3;
        options.active_set.polish = true;
        const Solution solution = solve(problem, options, context);
        EXPECT_EQ(solution.status, SolveStatus::converged);
        index_t free = 0;
        for (index_t i = 0; i < kRows; ++i) {
            const Interval box = dual_box(problem, i);
            const double b = solution.beta[static_cast<std::size_t>(i)];
            free += static_cast<index_t>(b != 0.0 && b > box.lower && b < box.upper);
        }
        expect_fact("A12", "2,200 rows: free rows", free);
        expect_fact("A12", "2,200 rows: KKT violation over the scale of the values",
                    solution.certificate().kkt_violation / scale_of(problem, solution.beta));
    }
}

}  // namespace
}  // namespace mercer
