// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/solvers/l1_descent_test.cpp - l1 penalties on coefficients: problems solved by hand,
// optimality in long double, and a quadratic programme solved by other means.
#include "mercer/solvers/l1_descent.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/smooth.hpp"
#include "row_sets.hpp"
#include "support/facts.hpp"
#include "support/origin.hpp"
#include "support/quadratic_oracle.hpp"
#include "support/sparse_pair.hpp"

namespace mercer {
namespace {

using testing::set_kernel;

using testing::rows_of;

using testing::kernel_of;

using testing::pair;
using testing::Real;
using testing::RowSet;

std::size_t at(index_t i) { return static_cast<std::size_t>(i); }

SolveOptions to_gap(double gap) {
    SolveOptions options;
    options.gap_tolerance = gap;
    return options;
}

/// Classes that overlap, with unequal costs.
SparseProblem random_problem(const RowSet& rows, index_t n, const Loss& loss, std::uint64_t seed) {
    SparseProblem problem;
    problem.risk.gram = make_gram(rbf_kernel(0.7), rows.dense());
    problem.risk.loss = loss;
    Random random(seed);
    for (index_t i = 0; i < n; ++i) {
        const double side = i % 3 == 0 ? -1.0 : 1.0;
        problem.risk.targets.push_back(is_classification(loss) ? side : random.normal());
        problem.risk.costs.push_back(random.uniform(0.2, 5.0));
    }
    return problem;
}

std::vector<std::vector<Real>> kernel_matrix(const Problem& problem) {
    const index_t n = problem.size();
    std::vector<std::vector<double>> rows(at(n),
                                          std::vector<double>(at(rows_of(problem).columns())));
    for (index_t i = 0; i < n; ++i) {
        rows_of(problem).copy_row(i, rows[at(i)]);
    }
    std::vector<std::vector<Real>> k(at(n), std::vector<Real>(at(n)));
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t j = 0; j < rows.size(); ++j) {
            k[i][j] = kernel_of(problem)(rows[i], rows[j]);
        }
    }
    return k;
}

/// -loss' of the losses by their own definitions, in long double.
Real pull(const Loss& loss, Real y, Real z) {
    const Real xi = 1 - y * z;
    if (std::holds_alternative<SquaredHingeLoss>(loss)) {
        return y * std::max<Real>(0, xi);
    }
    if (std::holds_alternative<ModifiedHuberLoss>(loss)) {
        return y * std::min<Real>(2, std::max<Real>(0, xi));
    }
    if (std::holds_alternative<LogisticLoss>(loss)) {
        return y / (1 + std::exp(y * z));
    }
    if (std::holds_alternative<SquaredLoss>(loss)) {
        return 2 * (y - z);
    }
    const Real epsilon = std::get<SquaredEpsilonLoss>(loss).epsilon;
    const Real away = std::max<Real>(0, std::abs(y - z) - epsilon);
    return y > z ? away : -away;
}

/// How far beta and b are from the optimality conditions, all in long double. The problem is
/// convex: any point that satisfies them is a solution.
Real distance_from_optimality(const SparseProblem& problem, const Solution& solution) {
    const std::vector<std::vector<Real>> k = kernel_matrix(problem.risk);
    const std::size_t n = k.size();
    std::vector<Real> pulled(n);
    Real sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
        Real z = solution.intercept();
        for (std::size_t j = 0; j < n; ++j) {
            z += k[i][j] * solution.beta[j];
        }
        pulled[i] = problem.risk.costs[i] * pull(problem.risk.loss, problem.risk.targets[i], z);
        sum += pulled[i];
        pulled[i] -= problem.rkhs ? solution.beta[i] : 0.0;
    }
    Real worst = problem.risk.intercept ? std::abs(sum) : 0;
    for (std::size_t j = 0; j < n; ++j) {
        Real g = 0;
        for (std::size_t i = 0; i < n; ++i) {
            g += k[j][i] * pulled[i];
        }
        const double beta = solution.beta[j];
        worst = std::max(worst, beta == 0.0 ? std::abs(g) - static_cast<Real>(problem.l1)
                                            : std::abs(g - std::copysign(problem.l1, beta)));
    }
    return worst;
}

TEST(l1_descent, pair_has_its_known_slope_for_both_penalties) {
    // Squared hinge: s = max(0, 1 - 1/(2C)) alone, max(0, (2C - l1) / (1 + 2C)) with 1/2 |f|^2.
    Context context;
    for (const bool intercept : {false, true}) {
        for (const Loss& loss : {Loss(SquaredHingeLoss{}), Loss(ModifiedHuberLoss{})}) {
            for (const double cost : {0.25, 0.5, 0.75, 1.0, 8.0}) {
                SparseProblem alone = pair(loss, cost, 1.0, false);
                alone.risk.intercept = intercept;
                const Solution one = solve_sparse(alone, to_gap(1e-12), context);
                const double s = std::max(0.0, 1.0 - 1.0 / (2.0 * cost));
                EXPECT_EQ(one.status, SolveStatus::converged);
                EXPECT_NEAR(one.beta[1] - one.beta[0], s, 1e-9);
                EXPECT_NEAR(std::abs(one.beta[0]) + std::abs(one.beta[1]), s, 1e-9);
                EXPECT_NEAR(one.intercept(), 0.0, 1e-9);
                EXPECT_NEAR(one.certificate().primal, s + cost * (1.0 - s) * (1.0 - s), 1e-11);
                for (const double l1 : {0.0, 0.5, 1.0, 2.0}) {
                    SparseProblem both = pair(loss, cost, l1, true);
                    both.risk.intercept = intercept;
                    const Solution two = solve_sparse(both, to_gap(1e-12), context);
                    const double t = std::max(0.0, (2.0 * cost - l1) / (1.0 + 2.0 * cost));
                    EXPECT_EQ(two.status, SolveStatus::converged);
                    EXPECT_NEAR(two.beta[1] - two.beta[0], t, 1e-9) << cost << " " << l1;
                }
            }
        }
    }
}

TEST(l1_descent, pair_at_cost_one_has_the_numbers_of_the_table) {
    Context context;
    const Solution one =
        solve_sparse(pair(SquaredHingeLoss{}, 1.0, 1.0, false), to_gap(1e-12), context);
    expect_fact("S15", "PAIR, C = 1: slope", one.beta[1] - one.beta[0]);
    expect_fact("S15", "PAIR, C = 1: objective", one.certificate().primal);
    expect_fact("S15", "PAIR, C = 1: dual value", one.certificate().dual);
    const Solution plain =
        solve_sparse(pair(SquaredHingeLoss{}, 1.0, 0.0, true), to_gap(1e-12), context);
    expect_fact("S16", "PAIR, C = 1, lambda = 0: slope", plain.beta[1] - plain.beta[0]);
    expect_fact("S16", "PAIR, C = 1, lambda = 0: objective", plain.certificate().primal);
    const Solution half =
        solve_sparse(pair(SquaredHingeLoss{}, 1.0, 0.5, true), to_gap(1e-12), context);
    expect_fact("S16", "PAIR, C = 1, lambda = 0.5: slope", half.beta[1] - half.beta[0]);
}

TEST(l1_descent, everything_is_zero_from_the_greatest_slope_on) {
    // At beta = 0 the slope of the pair is 2 C: zero iff l1 >= 2 C.
    Context context;
    for (const bool rkhs : {false, true}) {
        const Solution below =
            solve_sparse(pair(SquaredHingeLoss{}, 0.5, 0.999, rkhs), to_gap(1e-12), context);
        expect_fact("S16", "PAIR, C = 0.5, lambda = 0.999 < 2C: slope",
                    below.beta[1] - below.beta[0]);
        const Solution above =
            solve_sparse(pair(SquaredHingeLoss{}, 0.5, 1.0, rkhs), to_gap(1e-12), context);
        expect_fact("S16", "PAIR, C = 0.5, lambda = 1 = 2C: beta", above.beta);
        EXPECT_EQ(above.status, SolveStatus::converged);
    }
}

TEST(l1_descent, solutions_meet_the_optimality_conditions_in_long_double) {
    Context context;
    std::uint64_t seed = 100;
    for (const Loss& loss :
         {Loss(SquaredHingeLoss{}), Loss(ModifiedHuberLoss{}), Loss(LogisticLoss{}),
          Loss(SquaredLoss{}), Loss(SquaredEpsilonLoss{0.1})}) {
        for (const index_t n : {3, 12, 40}) {
            for (const double l1 : {0.02, 0.3, 2.0}) {
                for (const int form : {0, 1, 2, 3}) {
                    const RowSet rows(n, 2, ++seed);
                    SparseProblem problem = random_problem(rows, n, loss, seed);
                    problem.l1 = l1;
                    problem.rkhs = form % 2 == 1;
                    problem.risk.intercept = form < 2;
                    const Solution solution = solve_sparse(problem, to_gap(1e-11), context);
                    EXPECT_EQ(solution.status, SolveStatus::converged)
                        << name_of(loss) << " n " << n << " l1 " << l1 << " form " << form
                        << " gap " << solution.certificate().gap << " of "
                        << solution.certificate().primal;
                    EXPECT_LE(distance_from_optimality(problem, solution), 1e-5)
                        << name_of(loss) << " n " << n << " l1 " << l1 << " form " << form;
                }
            }
        }
    }
}

/// The squared hinge, modified Huber or least squares problem as a quadratic programme in the
/// positive and negative parts of beta and b, the slacks up to and beyond 2, and the surpluses; of
/// least squares slack and surplus are the two parts of y - f.
Real oracle_value(const SparseProblem& problem) {
    const std::vector<std::vector<Real>> k = kernel_matrix(problem.risk);
    const std::size_t n = k.size();
    const bool huber = std::holds_alternative<ModifiedHuberLoss>(problem.risk.loss);
    const bool squares = std::holds_alternative<SquaredLoss>(problem.risk.loss);
    const std::size_t b = 2 * n, xi = b + 2, surplus = xi + n, tail = surplus + n;
    const std::size_t size = tail + (huber ? n : 0);
    const Real infinity = std::numeric_limits<Real>::infinity();
    testing::QuadraticProgramme q;
    q.h.assign(size, testing::RealVector(size, 0));
    q.g.assign(size, 0);
    q.upper.assign(size, infinity);
    q.a.assign(n, testing::RealVector(size, 0));
    q.b.assign(n, 1);
    for (std::size_t i = 0; i < n; ++i) {
        const Real y = squares ? 1 : problem.risk.targets[i];
        const Real c = problem.risk.costs[i];
        q.g[i] = q.g[n + i] = problem.l1;
        q.h[xi + i][xi + i] = squares ? 2 * c : c;
        if (squares) {
            q.b[i] = problem.risk.targets[i];
            q.h[surplus + i][surplus + i] = 2 * c;
            q.h[xi + i][surplus + i] = q.h[surplus + i][xi + i] = -2 * c;
            q.g[xi + i] = q.g[surplus + i] = 1e-13L;  // as for b below
        }
        for (std::size_t j = 0; j < n; ++j) {
            q.a[i][j] = y * k[i][j];
            q.a[i][n + j] = -y * k[i][j];
            if (problem.rkhs) {
                q.h[i][j] = q.h[n + i][n + j] = k[i][j];
                q.h[i][n + j] = q.h[n + i][j] = -k[i][j];
            }
        }
        if (problem.risk.intercept) {
            q.a[i][b] = y;
            q.a[i][b + 1] = -y;
        }
        q.a[i][xi + i] = 1;
        q.a[i][surplus + i] = -1;
        if (huber) {
            q.upper[xi + i] = 2;
            q.a[i][tail + i] = 1;
            q.g[tail + i] = 2 * c;
        }
    }
    q.g[b] = q.g[b + 1] = 1e-13L;  // only their difference matters; this bounds both parts
    const testing::RealVector z = testing::QuadraticOracle(q).solve().z;
    Real value = 0;
    for (std::size_t i = 0; i < n; ++i) {
        Real f = problem.risk.intercept ? z[b] - z[b + 1] : 0;
        for (std::size_t j = 0; j < n; ++j) {
            f += k[i][j] * (z[j] - z[n + j]);
        }
        const Real beta = z[i] - z[n + i];
        const Real target = problem.risk.targets[i];
        const Real slack = std::max<Real>(0, 1 - target * f);
        Real loss = huber && slack > 2 ? 2 * (slack - 1) : slack * slack / 2;
        loss = squares ? (target - f) * (target - f) : loss;
        value += static_cast<Real>(problem.l1) * std::abs(beta) + problem.risk.costs[i] * loss;
        if (problem.rkhs) {
            value += beta * (f - (problem.risk.intercept ? z[b] - z[b + 1] : 0)) / 2;
        }
    }
    return value;
}

TEST(l1_descent, agrees_with_a_quadratic_programme_solved_by_an_interior_point_method) {
    Context context;
    for (const Loss& loss :
         {Loss(SquaredHingeLoss{}), Loss(ModifiedHuberLoss{}), Loss(SquaredLoss{})}) {
        for (const int form : {0, 1, 2, 3}) {
            for (const std::uint64_t seed : {1U, 2U, 3U}) {
                const RowSet rows(14, 2, seed);
                SparseProblem problem = random_problem(rows, 14, loss, seed);
                problem.l1 = 0.4;
                problem.rkhs = form % 2 == 1;
                problem.risk.intercept = form < 2;
                const Solution solution = solve_sparse(problem, to_gap(1e-12), context);
                const auto known = static_cast<double>(oracle_value(problem));
                // The oracle's point is feasible, so the certificate's lower bound is below its
                // value.
                expect_fact("X17",
                            "squared hinge, modified Huber, squares, 14 random rows: |P - P of the "
                            "programme| / (1 + P)",
                            std::abs(solution.certificate().primal - known) / (1.0 + known));
                EXPECT_GE(known, solution.certificate().dual - 1e-10 * (1.0 + known)) << form;
            }
        }
    }
}

index_t nonzeros(const Solution& solution) {
    return std::count_if(solution.beta.begin(), solution.beta.end(),
                         [](double beta) { return beta != 0.0; });
}

TEST(l1_descent, fewer_coefficients_are_left_as_the_weight_grows) {
    Context context;
    const RowSet rows(120, 2, 7);
    for (const bool rkhs : {false, true}) {
        SparseProblem problem = random_problem(rows, 120, SquaredHingeLoss{}, 7);
        problem.rkhs = rkhs;
        std::vector<index_t> counts;
        for (const double l1 : {0.01, 0.3, 3.0, 30.0, 3000.0}) {
            problem.l1 = l1;
            counts.push_back(nonzeros(solve_sparse(problem, to_gap(1e-8), context)));
        }
        expect_fact("X18", "120 rows, weights 0.01, 0.3, 3, 30, 3000: never more coefficients",
                    std::is_sorted(counts.rbegin(), counts.rend()));
        EXPECT_LT(counts[2], counts[0]);
        expect_fact("X18", "120 rows, weight 3000: coefficients", counts.back());
    }
}

TEST(l1_descent, without_the_absolute_values_it_is_the_usual_machine) {
    Context context;
    const RowSet rows(30, 3, 9);
    for (const Loss& loss :
         {Loss(SquaredHingeLoss{}), Loss(ModifiedHuberLoss{}), Loss(LogisticLoss{})}) {
        SparseProblem problem = random_problem(rows, 30, loss, 9);
        problem.l1 = 0.0;
        problem.rkhs = true;
        const Solution sparse = solve_sparse(problem, to_gap(1e-12), context);
        const Solution usual = solve_smooth(problem.risk, to_gap(1e-12), context);
        expect_fact("S16",
                    "30 random rows, lambda = 0, by l1-descent: P over that of the machine, - 1",
                    std::abs(sparse.certificate().primal / usual.certificate().primal - 1.0));
        const std::vector<double> f = decision_values(problem.risk, sparse.beta, context);
        const std::vector<double> g = decision_values(problem.risk, usual.beta, context);
        for (std::size_t i = 0; i < f.size(); ++i) {
            EXPECT_NEAR(f[i] + sparse.intercept(), g[i] + usual.intercept(), 1e-5);
        }
    }
}

TEST(l1_descent, a_cache_of_few_columns_gives_the_same_objective) {
    Context context;
    const RowSet rows(60, 2, 11);
    SparseProblem problem = random_problem(rows, 60, LogisticLoss{}, 11);
    problem.l1 = 0.5;
    SolveOptions options = to_gap(1e-7);
    const Solution wide = solve_sparse(problem, options, context);
    options.coordinates.cache_bytes = 1;
    const Solution narrow = solve_sparse(problem, options, context);
    EXPECT_EQ(narrow.status, SolveStatus::converged);
    EXPECT_NEAR(narrow.certificate().primal, wide.certificate().primal,
                2e-7 * (1.0 + wide.certificate().primal));
}

TEST(l1_descent, has_the_same_bits_for_any_number_of_threads) {
    const RowSet rows(150, 3, 13);
    SparseProblem problem = random_problem(rows, 150, SquaredHingeLoss{}, 13);
    problem.l1 = 0.5;
    problem.rkhs = true;
    std::vector<double> first;
    for (const int threads : {1, 2, 5}) {
        Context context({.threads = threads});
        const Solution solution = solve_sparse(problem, to_gap(1e-8), context);
        if (first.empty()) {
            first = solution.beta;
        }
        EXPECT_EQ(solution.beta, first) << threads;
    }
}

TEST(l1_descent, equal_rows_and_equal_columns_are_no_trouble) {
    Context context;
    const std::vector<double> values{0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 2.0, 2.0, 2.0, 2.0};
    SparseProblem problem;
    problem.risk.gram =
        make_gram(rbf_kernel(1.0), Dataset(MatrixView<const double>(values.data(), 10, 1)));
    problem.risk.targets = {-1, 1, -1, 1, 1, -1, 1, 1, 1, -1};
    problem.risk.costs.assign(10, 2.0);
    for (const Loss& loss :
         {Loss(SquaredHingeLoss{}), Loss(ModifiedHuberLoss{}), Loss(LogisticLoss{})}) {
        for (const bool rkhs : {false, true}) {
            problem.risk.loss = loss;
            problem.rkhs = rkhs;
            problem.l1 = 0.1;
            const Solution solution = solve_sparse(problem, to_gap(1e-11), context);
            EXPECT_EQ(solution.status, SolveStatus::converged) << name_of(loss) << rkhs;
            EXPECT_LE(distance_from_optimality(problem, solution), 1e-5);
        }
    }
}

TEST(l1_descent, kernel_values_of_any_size_are_no_trouble) {
    Context context;
    const RowSet rows(20, 2, 17);
    SparseProblem problem = random_problem(rows, 20, SquaredHingeLoss{}, 17);
    problem.l1 = 0.4;
    const Solution plain = solve_sparse(problem, to_gap(1e-9), context);
    // With k * s and unchanged costs, beta is divided by s; so that its penalty does not change,
    // the weight of the absolute values is multiplied by s.
    set_kernel(problem.risk, 1e80 * kernel_of(problem.risk));
    problem.l1 *= 1e80;
    const Solution scaled = solve_sparse(problem, to_gap(1e-9), context);
    EXPECT_EQ(scaled.status, SolveStatus::converged);
    EXPECT_NEAR(scaled.certificate().primal, plain.certificate().primal,
                1e-8 * plain.certificate().primal);
}

TEST(l1_descent, a_stop_leaves_a_point_with_its_gap) {
    const std::atomic<bool> stop{true};
    Context context({.stop_flag = &stop});
    const RowSet rows(50, 2, 19);
    const SparseProblem problem = random_problem(rows, 50, LogisticLoss{}, 19);
    const Solution solution = solve_sparse(problem, to_gap(1e-10), context);
    EXPECT_EQ(solution.status, SolveStatus::interrupted);
    EXPECT_GT(solution.certificate().gap, 0.0);
    EXPECT_TRUE(std::isfinite(solution.certificate().dual));
}

TEST(l1_descent, an_iteration_limit_is_kept_and_said) {
    Context context;
    const RowSet rows(200, 2, 23);
    SparseProblem problem = random_problem(rows, 200, LogisticLoss{}, 23);
    problem.l1 = 0.01;
    SolveOptions options = to_gap(1e-12);
    options.max_iterations = 2;
    const Solution solution = solve_sparse(problem, options, context);
    EXPECT_EQ(solution.status, SolveStatus::iteration_limit);
    EXPECT_LE(solution.iterations, 2);
    EXPECT_GT(solution.certificate().gap, 0.0);
}

TEST(l1_descent, a_gap_that_rounding_hides_ends_the_descent_where_nothing_falls) {
    Context context;
    const RowSet rows(20, 2, 29);
    SparseProblem problem = random_problem(rows, 20, LogisticLoss{}, 29);
    problem.l1 = 0.1;
    SolveOptions options = to_gap(1e-25);
    options.max_iterations = 100'000;
    const Solution solution = solve_sparse(problem, options, context);
    EXPECT_EQ(solution.status, SolveStatus::reduced);
    EXPECT_LT(solution.iterations, options.max_iterations);
    EXPECT_LE(relative_gap(solution.certificate()), 1e-10);
}

TEST(l1_descent, refuses_other_solvers_and_losses_without_a_slope) {
    Context context;
    SolveOptions options;
    options.solver = "smo";
    EXPECT_THROW(static_cast<void>(
                     solve_sparse(pair(SquaredHingeLoss{}, 1.0, 1.0, false), options, context)),
                 InvalidArgument);
    // The hinge without 1/2 |f|^2 is a linear programme; with it, no solver fits.
    EXPECT_THROW(
        static_cast<void>(solve_sparse(pair(HingeLoss{}, 1.0, 1.0, true), SolveOptions{}, context)),
        InvalidArgument);
    EXPECT_THROW(static_cast<void>(
                     solve_sparse(pair(AbsoluteLoss{}, 1.0, 1.0, false), SolveOptions{}, context)),
                 InvalidArgument);
}

}  // namespace
}  // namespace mercer
