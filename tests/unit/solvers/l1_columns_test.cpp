// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/solvers/l1_columns_test.cpp - l1 penalties on columns: problems solved by hand,
// optimality in long double, and kernel functions given as columns.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/l1_descent.hpp"
#include "mercer/solvers/smooth.hpp"
#include "row_sets.hpp"
#include "support/origin.hpp"
#include "support/quadratic_oracle.hpp"
#include "support/sparse_pair.hpp"

namespace mercer {
namespace {

using testing::set_rows;

using testing::set_kernel;

using testing::rows_of;

using testing::kernel_of;

using testing::Real;
using testing::RowSet;

SolveOptions to_gap(double gap) {
    SolveOptions options;
    options.gap_tolerance = gap;
    return options;
}

/// Two points with opposite labels: w is f's slope, and b = 0 by symmetry.
SparseColumnProblem pair(const Loss& loss, double cost, double l1, bool ridge) {
    return {testing::pair(loss, cost, l1, false).risk, l1, ridge};
}

/// Classes or numbers that depend on a third of the columns.
SparseColumnProblem random_problem(const Dataset& rows, const Loss& loss, std::uint64_t seed) {
    SparseColumnProblem problem;
    problem.risk.gram = make_gram(linear_kernel(), rows);
    problem.risk.loss = loss;
    Random random(seed);
    std::vector<double> row(static_cast<std::size_t>(rows.columns()));
    for (index_t i = 0; i < rows.rows(); ++i) {
        rows.copy_row(i, row);
        double sum = 0.5 * random.normal() + 0.3;
        for (std::size_t j = 0; j < row.size(); j += 3) {
            sum += row[j];
        }
        problem.risk.targets.push_back(is_classification(loss) ? (sum > 0.0 ? 1.0 : -1.0) : sum);
        problem.risk.costs.push_back(random.uniform(0.2, 5.0));
    }
    return problem;
}

/// How far w and b are from the optimality conditions, all in long double. The problem is convex:
/// any point that satisfies them is a solution.
Real distance_from_optimality(const SparseColumnProblem& problem, const Solution& solution) {
    const Problem& risk = problem.risk;
    const std::size_t p = solution.beta.size();
    std::vector<Real> r(p, 0);
    std::vector<double> row(p);
    Real sum = 0;
    for (index_t i = 0; i < risk.size(); ++i) {
        const auto place = static_cast<std::size_t>(i);
        rows_of(risk).copy_row(i, row);
        Real z = solution.intercept();
        for (std::size_t j = 0; j < p; ++j) {
            z += static_cast<Real>(row[j]) * solution.beta[j];
        }
        const Real y = risk.targets[place];
        const Real pull =
            std::holds_alternative<LogisticLoss>(risk.loss)  ? y / (1 + std::exp(y * z))
            : std::holds_alternative<SquaredLoss>(risk.loss) ? 2 * (y - z)
                                                             : y * std::max<Real>(0, 1 - y * z);
        const Real a = risk.costs[place] * pull;
        sum += a;
        for (std::size_t j = 0; j < p; ++j) {
            r[j] += a * row[j];
        }
    }
    Real worst = risk.intercept ? std::abs(sum) : 0;
    for (std::size_t j = 0; j < p; ++j) {
        const double w = solution.beta[j];
        const Real slope = r[j] - (problem.ridge ? w : 0.0);
        worst = std::max(worst, w == 0.0 ? std::abs(slope) - static_cast<Real>(problem.l1)
                                         : std::abs(slope - std::copysign(problem.l1, w)));
    }
    return worst;
}

TEST(l1_columns, logistic_pair_has_its_closed_form) {
    // l1 |w| + 2C log(1 + exp(-w)) is least at w = log(2C/l1 - 1), or at 0 from l1 = C on.
    Context context;
    for (const bool intercept : {true, false}) {
        for (const double cost : {0.5, 1.0, 8.0}) {
            for (const double share : {0.01, 0.5, 0.9, 1.0, 3.0}) {
                SparseColumnProblem problem = pair(LogisticLoss{}, cost, share * cost, false);
                problem.risk.intercept = intercept;
                const Solution found = solve_sparse_columns(problem, to_gap(1e-14), context);
                const double w = share < 1.0 ? std::log(2.0 / share - 1.0) : 0.0;
                const double value = share * cost * w + 2.0 * cost * std::log1p(std::exp(-w));
                EXPECT_EQ(found.status, SolveStatus::converged);
                ASSERT_EQ(found.beta.size(), 1U);
                EXPECT_NEAR(found.beta[0], w, 1e-7);
                EXPECT_NEAR(found.intercept(), 0.0, 1e-9);
                EXPECT_NEAR(found.certificate().primal, value, 1e-13 * value);
            }
        }
    }
}

TEST(l1_columns, logistic_pair_has_its_closed_form_beside_the_squares) {
    // l1 + w = 2C / (1 + exp(w)): at C = 4 and l1 = 2 - log 3 that is w = log 3.
    Context context;
    const double w = std::log(3.0);
    const Solution found =
        solve_sparse_columns(pair(LogisticLoss{}, 4.0, 2.0 - w, true), to_gap(1e-14), context);
    // The objective is 1-strongly convex: a gap g leaves w within sqrt(2 g).
    EXPECT_NEAR(found.beta.at(0), w, std::sqrt(2.0 * found.certificate().gap) + 1e-15);
    EXPECT_NEAR(found.certificate().primal, (2.0 - w) * w + 0.5 * w * w + 8.0 * std::log(4.0 / 3.0),
                1e-12);
}

TEST(l1_columns, the_lasso_of_one_column_is_its_soft_threshold) {
    // sum (y - w x)^2 + l1 |w|: w = (x'y - l1/2) / x'x = (11 - 2) / 14.
    const std::vector<double> x{1.0, 2.0, 3.0};
    SparseColumnProblem problem;
    problem.risk.gram =
        make_gram(linear_kernel(), Dataset(MatrixView<const double>(x.data(), 3, 1)));
    problem.risk.targets = {1.0, 2.0, 2.0};
    problem.risk.costs = {1.0, 1.0, 1.0};
    problem.risk.loss = SquaredLoss{};
    problem.risk.intercept = false;
    problem.l1 = 4.0;
    Context context;
    const Solution found = solve_sparse_columns(problem, to_gap(1e-14), context);
    // Its second derivative is 2 x'x = 28: a gap g leaves w within sqrt(g / 14).
    EXPECT_NEAR(found.beta.at(0), 9.0 / 14.0, std::sqrt(found.certificate().gap / 14.0) + 1e-15);
    EXPECT_NEAR(found.certificate().dual, 9.0 - 81.0 / 14.0, 1e-12);
}

TEST(l1_columns, solutions_meet_the_optimality_conditions_in_long_double) {
    Context context;
    std::uint64_t seed = 1;
    for (const Loss& loss : {Loss(LogisticLoss{}), Loss(SquaredLoss{}), Loss(SquaredHingeLoss{})}) {
        for (const auto& [n, p] : {std::pair<index_t, index_t>{80, 12}, {30, 90}}) {
            for (const bool ridge : {false, true}) {
                RowSet rows(n, p, ++seed, 0.5);
                SparseColumnProblem problem =
                    random_problem(seed % 2 == 0 ? rows.dense() : rows.sparse(), loss, seed);
                problem.ridge = ridge;
                problem.l1 = 0.7;
                for (const bool intercept : {true, false}) {
                    problem.risk.intercept = intercept;
                    const Solution found = solve_sparse_columns(problem, to_gap(1e-13), context);
                    EXPECT_EQ(found.status, SolveStatus::converged);
                    EXPECT_LE(relative_gap(found.certificate()), 1e-13);
                    EXPECT_LE(distance_from_optimality(problem, found), 1e-5)
                        << name_of(loss) << ", " << p << " columns, ridge " << ridge;
                }
            }
        }
    }
}

TEST(l1_columns, the_default_is_a_certified_gap_of_one_in_a_hundred_million) {
    Context context;
    const RowSet rows(200, 30, 5);
    const SparseColumnProblem problem = random_problem(rows.dense(), LogisticLoss{}, 6);
    const Solution found = solve_sparse_columns(problem, {}, context);
    EXPECT_EQ(found.status, SolveStatus::converged);
    EXPECT_LE(relative_gap(found.certificate()), 1e-8);
    EXPECT_EQ(found.solver, "l1-descent");
    const Certificate again = certify(problem, found.beta, context);
    EXPECT_EQ(again.gap, found.certificate().gap);
}

TEST(l1_columns, columns_that_are_kernel_functions_give_the_kernel_machine) {
    Context context;
    const index_t n = 60;
    const RowSet rows(n, 3, 7);
    SparseProblem functions;
    functions.risk = random_problem(rows.dense(), LogisticLoss{}, 8).risk;
    set_kernel(functions.risk, rbf_kernel(0.5));
    std::vector<double> k(static_cast<std::size_t>(n * n));
    std::vector<double> left(3);
    std::vector<double> right(3);
    for (index_t i = 0; i < n; ++i) {
        rows_of(functions.risk).copy_row(i, left);
        for (index_t j = 0; j < n; ++j) {
            rows_of(functions.risk).copy_row(j, right);
            k[static_cast<std::size_t>(i * n + j)] = kernel_of(functions.risk)(left, right);
        }
    }
    SparseColumnProblem columns;
    columns.risk = functions.risk;
    columns.risk.gram =
        make_gram(linear_kernel(), Dataset(MatrixView<const double>(k.data(), n, n)));
    for (const double l1 : {0.05, 1.0, 20.0}) {
        functions.l1 = columns.l1 = l1;
        const Solution a = solve_sparse(functions, to_gap(1e-12), context);
        const Solution b = solve_sparse_columns(columns, to_gap(1e-12), context);
        EXPECT_NEAR(a.certificate().primal, b.certificate().primal, 2e-12 * a.certificate().primal);
        EXPECT_NEAR(a.intercept(), b.intercept(), 1e-4);
    }
}

TEST(l1_columns, without_the_absolute_values_it_is_the_usual_linear_machine) {
    Context context;
    const RowSet rows(70, 6, 9);
    SparseColumnProblem problem = random_problem(rows.dense(), LogisticLoss{}, 10);
    problem.l1 = 0.0;
    problem.ridge = true;
    const Solution usual = solve_smooth(problem.risk, to_gap(1e-12), context);
    const Solution found = solve_sparse_columns(problem, to_gap(1e-12), context);
    EXPECT_NEAR(found.certificate().primal, usual.certificate().primal,
                2e-12 * usual.certificate().primal);
}

TEST(l1_columns, columns_of_any_size_and_equal_ones_are_no_trouble) {
    Context context;
    const index_t n = 100;
    RowSet rows(n, 6, 11);
    std::vector<double> values(rows.values().begin(), rows.values().end());
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
        values[6 * i] *= 1e7;
        values[6 * i + 1] *= 1e-3;
        values[6 * i + 2] = values[6 * i + 3];
        values[6 * i + 4] = 0.0;
    }
    const Dataset data(MatrixView<const double>(values.data(), n, 6));
    for (const Loss& loss : {Loss(LogisticLoss{}), Loss(SquaredLoss{})}) {
        SparseColumnProblem problem = random_problem(rows.dense(), loss, 12);
        set_rows(problem.risk, data);
        const Solution found = solve_sparse_columns(problem, {}, context);
        EXPECT_EQ(found.status, SolveStatus::converged) << name_of(loss);
        EXPECT_EQ(found.beta[4], 0.0);
    }
}

TEST(l1_columns, a_cache_of_few_columns_and_more_threads_give_the_same_objective) {
    const RowSet rows(120, 80, 13);
    const SparseColumnProblem problem = random_problem(rows.dense(), LogisticLoss{}, 14);
    Context one({.threads = 1});
    Context four({.threads = 4});
    const Solution a = solve_sparse_columns(problem, to_gap(1e-10), one);
    const Solution b = solve_sparse_columns(problem, to_gap(1e-10), four);
    EXPECT_EQ(a.beta, b.beta);
    SolveOptions small = to_gap(1e-10);
    small.coordinates.cache_bytes = 1;
    const Solution c = solve_sparse_columns(problem, small, one);
    EXPECT_EQ(c.status, SolveStatus::converged);
    EXPECT_NEAR(a.certificate().primal, c.certificate().primal, 1e-9 * a.certificate().primal);
}

TEST(l1_columns, a_stop_leaves_a_point_with_its_gap) {
    const std::atomic<bool> stop{true};
    Context context({.stop_flag = &stop});
    const RowSet rows(50, 5, 15);
    const SparseColumnProblem problem = random_problem(rows.dense(), LogisticLoss{}, 16);
    const Solution found = solve_sparse_columns(problem, {}, context);
    EXPECT_EQ(found.status, SolveStatus::interrupted);
    EXPECT_EQ(found.beta.size(), 5U);
    EXPECT_GT(found.certificate().gap, 0.0);
}

TEST(l1_columns, refuses_what_is_no_problem_and_other_solvers) {
    Context context;
    const RowSet rows(10, 2, 17);
    const SparseColumnProblem problem = random_problem(rows.dense(), LogisticLoss{}, 18);
    const auto refused = [&](const SparseColumnProblem& asked, const SolveOptions& options) {
        EXPECT_THROW(static_cast<void>(solve_sparse_columns(asked, options, context)),
                     InvalidArgument);
    };
    SolveOptions options;
    options.solver = "smo";
    refused(problem, options);
    const std::vector<double> start(10, 0.0);
    options = {};
    options.start = start;
    refused(problem, options);
    SparseColumnProblem changed = problem;
    changed.l1 = 0.0;
    refused(changed, {});
    changed = problem;
    changed.risk.loss = HingeLoss{};
    refused(changed, {});
}

}  // namespace
}  // namespace mercer
