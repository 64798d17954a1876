// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/solvers/basis_test.cpp - greedy choices by hand, and properties of all choices.
#include "mercer/solvers/basis.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <set>

#include "mercer/base/error.hpp"
#include "mercer/base/random.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/problems/basis.hpp"
#include "mercer/problems/sparse.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/smooth.hpp"
#include "support/facts.hpp"
#include "support/origin.hpp"

namespace mercer {
namespace {

using testing::set_rows;

using testing::set_kernel;

/// Rows that outlive the problem, which borrows them.
struct Case {
    std::vector<double> x;
    Problem problem;

    Case(std::vector<double> values, index_t columns, std::vector<double> targets, const Loss& loss,
         double cost)
        : x(std::move(values)) {
        set_rows(problem, Dataset(MatrixView<const double>(
                              x.data(), static_cast<index_t>(targets.size()), columns)));
        problem.costs.assign(targets.size(), cost);
        problem.targets = std::move(targets);
        problem.loss = loss;
        set_kernel(problem, linear_kernel());
        problem.intercept = false;
    }
};

/// Two noisy arcs and an intercept.
Case moons(index_t n, std::uint64_t seed, const Loss& loss = SquaredHingeLoss{}) {
    Random random(seed);
    std::vector<double> x;
    std::vector<double> y;
    for (index_t i = 0; i < n; ++i) {
        const double angle = random.uniform(0.0, 3.14159);
        const bool up = i % 2 == 0;
        x.push_back((up ? std::cos(angle) : 1.0 - std::cos(angle)) + 0.2 * random.normal());
        x.push_back((up ? std::sin(angle) : 0.5 - std::sin(angle)) + 0.2 * random.normal());
        y.push_back(up ? 1.0 : -1.0);
    }
    Case out(std::move(x), 2, std::move(y), loss, 3.0);
    set_kernel(out.problem, rbf_kernel(2.0));
    out.problem.intercept = true;
    return out;
}

SolveOptions to_gap(double gap) {
    SolveOptions options;
    options.gap_tolerance = gap;
    return options;
}

double greatest_rise(const BasisRun& run) {
    double worst = -kInfinity;
    for (std::size_t k = 1; k < run.points.size(); ++k) {
        worst = std::max(worst, run.points[k].value - run.points[k - 1].value);
    }
    return worst;
}

TEST(basis, the_first_column_is_the_one_that_lowers_the_squared_loss_most) {
    // X'X = [[4, 1.5], [1.5, 1]], X'y = (4, 3.2). For a large cost c 1/2 |w|^2 is negligible
    // relative to the losses: the decreases divided by c are g^2 / (2 h) = 16 / 8 and 10.24 / 2.
    const double root = std::sqrt(7.0) / 4.0;
    const double cost = 1e9;
    Context context;
    std::vector<double> decreases;
    for (const index_t only : {0, 1}) {
        const Case one({only == 0 ? 2.0 : 0.75, only == 0 ? 0.0 : root}, 1, {2.0, 1.7 / root},
                       HalfSquaredLoss{}, cost);
        const Solution alone = solve_on_columns(one.problem, {.size = 1}, {}, context);
        decreases.push_back(alone.basis->decreases.at(0) / cost);
    }
    expect_fact("A17", "LASSO2: decreases by feature 1 and by feature 2 alone", decreases);
    const Case both({2.0, 0.75, 0.0, root}, 2, {2.0, 1.7 / root}, HalfSquaredLoss{}, cost);
    const Solution first = solve_on_columns(both.problem, {.size = 1}, {}, context);
    expect_fact("A17", "LASSO2: the first feature", first.basis->chosen.at(0) + 1);
    expect_fact("A17", "LASSO2: decrease by the first pick", first.basis->decreases.at(0) / cost);
    const Solution all = solve_on_columns(both.problem, {.size = 2}, {}, context);
    expect_fact("A17", "LASSO2, both features: the least squares weights", all.beta);
}

TEST(basis, the_decrease_is_the_minimum_along_the_candidate_not_one_newton_step) {
    // Squared hinge, x = 1 and 3, both +1: at w = 0 both rows have curvature, and one Newton step
    // leads to w = 4/11. Beyond 1/3 the loss of the second row is 0, so the minimum is that of
    // w^2/2 + (1 - w)^2/2, at w = 1/2, where the objective is 1/4; at 0 it was 1.
    const Case rows({1.0, 3.0}, 1, {1.0, 1.0}, SquaredHingeLoss{}, 1.0);
    Context context;
    const Solution found = solve_on_columns(rows.problem, {.size = 1}, {}, context);
    EXPECT_NEAR(found.basis->decreases.at(0), 0.75, 1e-6);
    EXPECT_NEAR(found.beta.at(0), 0.5, 1e-12);
}

TEST(basis, the_objective_never_rises_as_the_basis_grows) {
    double worst = -kInfinity;
    for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
        for (const Loss& loss : {Loss(SquaredHingeLoss{}), Loss(ModifiedHuberLoss{}),
                                 Loss(LogisticLoss{}), Loss(HalfSquaredLoss{})}) {
            const Case rows = moons(120, seed, loss);
            Context context;
            const Solution found = solve_on_basis(rows.problem, {.size = 40}, {}, context);
            ASSERT_GE(found.basis->points.size(), 15U);
            worst = std::max(worst, greatest_rise(*found.basis));
            EXPECT_EQ(found.status, SolveStatus::converged);
            for (const double decrease : found.basis->decreases) {
                EXPECT_GT(decrease, 0.0);
            }
        }
    }
    expect_fact("A18", "moons, 4 losses: greatest rise of the objective", worst);
}

TEST(basis, all_rows_as_basis_are_the_whole_machine) {
    double worst = 0.0;
    double farthest = 0.0;
    for (const std::uint64_t seed : {1, 2, 3}) {
        for (const Loss& loss : {Loss(SquaredHingeLoss{}), Loss(LogisticLoss{})}) {
            Case rows = moons(40, seed, loss);
            set_kernel(rows.problem, laplace_kernel(1.0));
            Context context;
            const Solution whole = solve_smooth(rows.problem, to_gap(1e-12), context);
            const Solution found =
                solve_on_basis(rows.problem, {.size = 40}, to_gap(1e-12), context);
            EXPECT_EQ(found.basis->dependent, 0);
            worst = std::max(
                worst, std::abs(found.certificate().primal / whole.certificate().primal - 1.0));
            worst = std::max(worst, found.basis->whole.gap / found.certificate().primal);
            const std::vector<double> a = decision_values(rows.problem, whole.beta, context);
            const std::vector<double> b = decision_values(rows.problem, found.beta, context);
            for (std::size_t i = 0; i < a.size(); ++i) {
                farthest = std::max(farthest, std::abs(a[i] - b[i]));
            }
        }
    }
    expect_fact("A18", "d = n: objective against the whole machine, and its gap, relative", worst);
    expect_fact("A18", "d = n: greatest difference of f from the whole machine", farthest);
}

TEST(basis, copies_of_chosen_rows_are_refused) {
    Case rows = moons(20, 7);
    std::vector<double> x;
    std::vector<double> y;
    for (index_t i = 0; i < 60; ++i) {  // each row three times
        x.push_back(rows.x[static_cast<std::size_t>(2 * (i % 20))]);
        x.push_back(rows.x[static_cast<std::size_t>(2 * (i % 20) + 1)]);
        y.push_back(rows.problem.targets[static_cast<std::size_t>(i % 20)]);
    }
    Case copies(x, 2, y, LogisticLoss{}, 1.0);
    set_kernel(copies.problem, laplace_kernel(1.0));
    Context context;
    const Solution found = solve_on_basis(copies.problem, {.size = 60}, {}, context);
    std::set<index_t> different;
    for (const index_t i : found.basis->chosen) {
        EXPECT_TRUE(different.insert(i % 20).second) << "row " << i;
    }
    EXPECT_EQ(different.size(), 20U);
    EXPECT_TRUE(found.basis->end == BasisEnd::optimum || found.basis->end == BasisEnd::rank);
    EXPECT_LE(found.basis->whole.gap, 1e-9 * found.certificate().primal);
}

TEST(basis, the_bits_do_not_depend_on_the_number_of_threads) {
    const Case rows = moons(300, 11);
    std::vector<std::vector<double>> betas;
    for (const int threads : {1, 2, 3}) {
        Context context({.threads = threads});
        const Solution found = solve_on_basis(rows.problem, {.size = 30}, {}, context);
        betas.push_back(found.beta);
    }
    EXPECT_EQ(betas[0], betas[1]);
    EXPECT_EQ(betas[0], betas[2]);
}

TEST(basis, the_seed_chooses_the_candidates) {
    const Case rows = moons(300, 11);
    std::vector<std::vector<index_t>> chosen;
    for (const std::uint64_t seed : {1, 1, 2}) {
        Context context({.seed = seed});
        chosen.push_back(solve_on_basis(rows.problem, {.size = 10}, {}, context).basis->chosen);
    }
    EXPECT_EQ(chosen[0], chosen[1]);
    EXPECT_NE(chosen[0], chosen[2]);
}

TEST(basis, a_stopped_run_leaves_a_proved_function) {
    const Case rows = moons(200, 3);
    std::atomic<bool> stop{true};
    Context context({.stop_flag = &stop});
    const Solution at_once = solve_on_basis(rows.problem, {.size = 20}, {}, context);
    EXPECT_EQ(at_once.status, SolveStatus::interrupted);
    EXPECT_EQ(at_once.basis->end, BasisEnd::stopped);
    EXPECT_TRUE(std::isnan(at_once.basis->whole.gap));
    EXPECT_TRUE(std::isfinite(at_once.certificate().gap));
    // Stopped from within, after the third point of the curve.
    stop = false;
    BasisOptions options{.size = 50};
    int points = 0;
    options.error = [&](std::span<const double>) {
        stop = ++points >= 3;
        return 0.0;
    };
    const Solution later = solve_on_basis(rows.problem, options, {}, context);
    EXPECT_EQ(later.status, SolveStatus::interrupted);
    EXPECT_EQ(later.basis->chosen.size(), 3U);
    EXPECT_GE(later.certificate().gap, 0.0);
    EXPECT_LT(later.certificate().primal, at_once.certificate().primal);
}

TEST(basis, the_tolerance_ends_when_doubling_brings_little) {
    const Case rows = moons(300, 5);
    Context context;
    const Solution found =
        solve_on_basis(rows.problem, {.size = 300, .tolerance = 0.05}, {}, context);
    ASSERT_EQ(found.basis->end, BasisEnd::tolerance);
    EXPECT_EQ(found.status, SolveStatus::converged);
    const std::vector<BasisPoint>& points = found.basis->points;
    const index_t size = points.back().size;
    const auto half = std::find_if(points.rbegin(), points.rend(), [size](const BasisPoint& point) {
        return 2 * point.size <= size;
    });
    ASSERT_NE(half, points.rend());
    EXPECT_LT(half->value - points.back().value, 0.0501 * half->value);
    EXPECT_LT(size, 300);
}

TEST(basis, the_tolerance_ends_at_the_first_doubling_that_brings_less) {
    const Case rows = moons(120, 5);
    Context context;
    const Solution all = solve_on_basis(rows.problem, {.size = 40}, {}, context);
    const std::vector<BasisPoint>& points = all.basis->points;
    for (double tolerance = 0.8; tolerance > 0.01; tolerance *= 0.9) {
        index_t expected = 40;
        for (std::size_t k = points.size(); k-- > 0;) {
            std::size_t half = k;  // the last point of at most half of the functions
            while (half > 0 && 2 * points[half].size > points[k].size) {
                --half;
            }
            if (points[k].size >= 8 &&  // fewer are not judged
                points[k].value > (1.0 - tolerance) * points[half].value) {
                expected = points[k].size;
            }
        }
        const Solution found =
            solve_on_basis(rows.problem, {.size = 40, .tolerance = tolerance}, {}, context);
        EXPECT_EQ(static_cast<index_t>(found.basis->chosen.size()), expected) << tolerance;
    }
}

TEST(basis, losses_without_a_curvature_are_refused) {
    Case rows = moons(20, 1, HingeLoss{});
    Context context;
    EXPECT_THROW(static_cast<void>(solve_on_basis(rows.problem, {.size = 5}, {}, context)),
                 InvalidArgument);
    rows.problem.loss = SquaredHingeLoss{};
    EXPECT_THROW(static_cast<void>(solve_on_basis(rows.problem, {.size = 0}, {}, context)),
                 InvalidArgument);
}

TEST(basis, the_gap_bounds_the_distance_from_the_best_coefficients) {
    const Case rows = moons(60, 9);
    Context context;
    const Solution best = solve_on_basis(rows.problem, {.size = 12}, to_gap(1e-12), context);
    const BasisProblem problem{rows.problem};
    Random random(4);
    for (int k = 0; k < 20; ++k) {
        std::vector<double> moved = best.beta;
        for (double& value : moved) {
            value *= 1.0 + 0.3 * random.normal();
        }
        const Certificate proof = certify(problem, moved, context);
        EXPECT_GE(proof.gap, proof.primal - best.certificate().primal);
        EXPECT_LE(proof.dual, best.certificate().primal * (1.0 + 1e-12));
        EXPECT_NEAR(proof.gap, proof.primal - proof.dual, 1e-9 * proof.primal);
    }
}

}  // namespace
}  // namespace mercer
