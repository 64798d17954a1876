// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/solvers/ridge_paths_test.cpp - ridge regression by other methods: the spectrum,
// products, float32.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "mercer/base/error.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/operators/gram.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/ridge.hpp"
#include "mercer/solvers/ridge_spectrum.hpp"
#include "row_sets.hpp"
#include "support/origin.hpp"

namespace mercer {
namespace {

using testing::set_rows;

using testing::rows_of;

using testing::kernel_of;

using testing::RowSet;

struct Case {
    bool intercept;
    bool weighted;
};

class ridge_paths : public ::testing::TestWithParam<Case> {
protected:
    RidgeProblem make(index_t n, index_t targets, double alpha) {
        RidgeProblem problem;
        problem.gram = make_gram(rbf_kernel(0.3), rows_.dense());
        problem.alpha = alpha;
        problem.intercept = GetParam().intercept;
        problem.target_count = targets;
        Random random(3);
        for (index_t i = 0; i < n * targets; ++i) {
            problem.targets.push_back(2.0 + random.normal());
        }
        for (index_t i = 0; i < n && GetParam().weighted; ++i) {
            problem.weights.push_back(random.uniform(0.5, 3.0));
        }
        return problem;
    }

    /// The residuals of `fold` for a fit on the other rows.
    std::vector<double> refit(const RidgeProblem& problem, const std::vector<index_t>& fold) {
        RidgeProblem rest = problem;
        std::vector<index_t> kept;
        rest.targets.clear();
        rest.weights.clear();
        for (index_t i = 0; i < rows_of(problem).rows(); ++i) {
            if (std::find(fold.begin(), fold.end(), i) != fold.end()) {
                continue;
            }
            kept.push_back(i);
            for (index_t t = 0; t < problem.target_count; ++t) {
                rest.targets.push_back(
                    problem.targets[static_cast<std::size_t>(i * problem.target_count + t)]);
            }
            if (!problem.weights.empty()) {
                rest.weights.push_back(problem.weights[static_cast<std::size_t>(i)]);
            }
        }
        set_rows(rest, rows_of(problem).select(kept));
        const RidgeSolution solution = solve_ridge(rest, false, context_);
        const GramMatrix cross(kernel_of(problem), rows_of(problem).select(fold), rows_of(rest),
                               Precision::float64, context_);
        std::vector<double> f(fold.size() * static_cast<std::size_t>(problem.target_count));
        cross.multiply(
            MatrixView<const double>(solution.beta.data(), rows_of(rest).rows(),
                                     problem.target_count),
            MatrixView<double>(f.data(), static_cast<index_t>(fold.size()), problem.target_count),
            context_);
        for (std::size_t k = 0; k < f.size(); ++k) {
            const auto t = k % static_cast<std::size_t>(problem.target_count);
            const auto i =
                static_cast<std::size_t>(fold[k / static_cast<std::size_t>(problem.target_count)]);
            f[k] = problem.targets[i * static_cast<std::size_t>(problem.target_count) + t] - f[k] -
                   solution.intercepts[t];
        }
        return f;
    }

    RowSet rows_{40, 3, 2};
    Context context_;
};

TEST_P(ridge_paths, one_decomposition_gives_the_residuals_of_every_refit) {
    const RidgeProblem base = make(40, 2, 1.0);
    const RidgeSpectrum spectrum(base, context_);
    const std::vector<std::vector<index_t>> folds{{0, 7, 8, 20}, {1, 2, 3}, {39, 11, 5, 30, 31}};
    for (const double alpha : {1e-3, 0.1, 10.0}) {
        RidgeProblem problem = base;
        problem.alpha = alpha;
        const RidgeMeasures found = spectrum.measure(alpha, folds, context_);
        const RidgeSolution direct = solve_ridge(problem, true, context_);
        for (std::size_t k = 0; k < direct.leave_one_out.size(); ++k) {
            EXPECT_NEAR(found.leave_one_out[k], direct.leave_one_out[k], 1e-8);
        }
        for (const std::vector<index_t>& fold : folds) {
            const std::vector<double> known = refit(problem, fold);
            for (std::size_t r = 0; r < fold.size(); ++r) {
                for (std::size_t t = 0; t < 2; ++t) {
                    EXPECT_NEAR(found.left_out[static_cast<std::size_t>(fold[r]) * 2 + t],
                                known[2 * r + t], 1e-8);
                }
            }
        }
        EXPECT_TRUE(std::isnan(found.left_out[2 * 6]));  // row 6 is in no fold
    }
}

TEST_P(ridge_paths, gcv_is_the_residual_over_the_squared_share_of_free_degrees) {
    // The trace of the hat matrix by its columns: the fit of every unit vector.
    const double alpha = 0.2;
    RidgeProblem problem = make(40, 1, alpha);
    const RidgeMeasures found = RidgeSpectrum(problem, context_).measure(alpha, {}, context_);
    const GramMatrix k(kernel_of(problem), rows_of(problem), Precision::float64, context_);
    const auto fitted = [&](const RidgeProblem& of) {
        const RidgeSolution solution = solve_ridge(of, false, context_);
        std::vector<double> f(40);
        k.multiply(MatrixView<const double>(solution.beta.data(), 40, 1),
                   MatrixView<double>(f.data(), 40, 1), context_);
        for (double& value : f) {
            value += solution.intercepts[0];
        }
        return f;
    };
    double trace = 0.0;
    for (std::size_t i = 0; i < 40; ++i) {
        RidgeProblem unit = problem;
        unit.targets.assign(40, 0.0);
        unit.targets[i] = 1.0;
        trace += fitted(unit)[i];
    }
    EXPECT_NEAR(found.degrees, trace, 1e-8);
    const std::vector<double> f = fitted(problem);
    double squares = 0.0;
    for (std::size_t i = 0; i < 40; ++i) {
        const double weight = problem.weights.empty() ? 1.0 : problem.weights[i];
        squares += weight * (problem.targets[i] - f[i]) * (problem.targets[i] - f[i]);
    }
    EXPECT_NEAR(found.gcv[0], 40.0 * squares / ((40.0 - trace) * (40.0 - trace)), 1e-8);
}

TEST_P(ridge_paths, products_and_float32_reach_the_direct_solution) {
    const RidgeProblem problem = make(40, 2, 0.5);
    const RidgeSolution direct = solve_ridge(problem, false, context_);
    for (const char* solver : {"conjugate-gradient", "gradient-descent", "cholesky"}) {
        RidgeOptions options;
        options.solver = solver;
        options.precision = Precision::float32;
        const RidgeSolution solution = solve_ridge(problem, options, context_);
        EXPECT_EQ(solution.status, SolveStatus::converged) << solver;
        EXPECT_EQ(solution.solver, solver);
        for (std::size_t k = 0; k < direct.beta.size(); ++k) {
            EXPECT_NEAR(solution.beta[k], direct.beta[k], 1e-9) << solver;
        }
        for (std::size_t t = 0; t < 2; ++t) {
            EXPECT_NEAR(solution.intercepts[t], direct.intercepts[t], 1e-9) << solver;
            EXPECT_LE(relative_gap(solution.certificates[t]), 1e-12) << solver;
        }
        if (std::string(solver) == "conjugate-gradient") {
            EXPECT_LE(static_cast<double>(solution.iterations), 2.0 * solution.iteration_bound);
        }
        if (std::string(solver) == "cholesky") {
            EXPECT_LE(solution.iterations, 2 * 8);  // float32 digits: a handful of steps per target
        }
    }
}

INSTANTIATE_TEST_SUITE_P(kinds, ridge_paths,
                         ::testing::Values(Case{false, false}, Case{false, true}, Case{true, false},
                                           Case{true, true}));

TEST(ridge_spectrum, the_likelihood_is_that_of_a_gaussian) {
    // One row, k = 1, y = 2, alpha = 3: y ~ N(0, 4).
    static const std::vector<double> row{0.0};
    RidgeProblem problem;
    problem.gram = make_gram(rbf_kernel(1.0), Dataset(MatrixView<const double>(row.data(), 1, 1)));
    problem.targets = {2.0};
    problem.intercept = false;
    Context context;
    const RidgeMeasures found = RidgeSpectrum(problem, context).measure(3.0, {}, context);
    EXPECT_NEAR(found.log_likelihood[0],
                -0.5 * (4.0 / 4.0 + std::log(4.0) + std::log(2.0 * std::numbers::pi)), 1e-14);
    EXPECT_NEAR(found.leave_one_out[0], 2.0, 1e-14);  // without the row nothing is known
    EXPECT_NEAR(found.degrees, 0.25, 1e-14);
    EXPECT_THROW((void)RidgeSpectrum(problem, context).measure(0.0, {}, context), InvalidArgument);
}

TEST(ridge, the_singular_path_has_the_same_bits_for_any_number_of_threads) {
    const RowSet rows(700, 3, 5);  // rank 3 of 700: the pseudo-inverse
    RidgeProblem problem;
    problem.gram = make_gram(linear_kernel(), rows.dense());
    problem.alpha = 0.0;
    Random random(1);
    for (int i = 0; i < 700; ++i) {
        problem.targets.push_back(random.normal());
    }
    for (const bool intercept : {false, true}) {
        problem.intercept = intercept;
        Context one({.threads = 1});
        Context three({.threads = 3});
        const RidgeSolution a = solve_ridge(problem, false, one);
        const RidgeSolution b = solve_ridge(problem, false, three);
        EXPECT_EQ(a.rank, 3);
        EXPECT_EQ(a.beta, b.beta);
        EXPECT_EQ(a.intercepts, b.intercepts);
    }
}

TEST(ridge, the_solves_of_many_panels_have_the_same_bits_for_any_number_of_threads) {
    const RowSet rows(900, 3, 6);
    RidgeProblem problem;
    problem.gram = make_gram(rbf_kernel(0.5), rows.dense());
    problem.alpha = 0.1;
    Random random(1);
    for (int i = 0; i < 900; ++i) {
        problem.targets.push_back(random.normal());
    }
    Context one({.threads = 1});
    Context three({.threads = 3});
    for (const Precision precision : {Precision::float64, Precision::float32}) {
        RidgeOptions options;
        options.precision = precision;
        const RidgeSolution a = solve_ridge(problem, options, one);
        const RidgeSolution b = solve_ridge(problem, options, three);
        EXPECT_EQ(a.beta, b.beta);
        EXPECT_LE(relative_gap(a.certificates[0]), 1e-12);
    }
}

/// The same measures for 200 rows, by 200 + 5 refits and by the hat matrix column by column.
TEST(ridge_spectrum, every_measure_of_200_rows_is_that_of_brute_force_to_1e_10) {
    const index_t n = 200;
    const RowSet rows(n, 4, 21);
    Random random(22);
    RidgeProblem problem;
    problem.gram = make_gram(rbf_kernel(0.2), rows.dense());
    for (index_t i = 0; i < n; ++i) {
        problem.targets.push_back(1.0 + random.normal());
    }
    std::vector<std::vector<index_t>> folds(5);
    for (index_t i = 0; i < n; ++i) {
        folds[static_cast<std::size_t>(i % 5)].push_back(i);
    }
    Context context;
    const GramMatrix k(kernel_of(problem), rows_of(problem), Precision::float64, context);
    const auto without = [&](const std::vector<index_t>& fold) {  // residuals of the fold's rows
        RidgeProblem rest = problem;
        rest.weights.assign(static_cast<std::size_t>(n), 1.0);
        for (const index_t i : fold) {
            rest.weights[static_cast<std::size_t>(i)] = 0.0;
        }
        const RidgeSolution fit = solve_ridge(rest, false, context);
        std::vector<double> f(static_cast<std::size_t>(n));
        k.multiply(MatrixView<const double>(fit.beta.data(), n, 1),
                   MatrixView<double>(f.data(), n, 1), context);
        std::vector<double> residuals;
        for (const index_t i : fold) {
            residuals.push_back(problem.targets[static_cast<std::size_t>(i)] -
                                f[static_cast<std::size_t>(i)] - fit.intercepts[0]);
        }
        return residuals;
    };
    for (const bool intercept : {true, false}) {
        problem.intercept = intercept;
        problem.alpha = 0.3;
        const RidgeMeasures found =
            RidgeSpectrum(problem, context).measure(problem.alpha, folds, context);
        const RidgeSolution direct = solve_ridge(problem, true, context);
        for (index_t i = 0; i < n; ++i) {
            const auto at = static_cast<std::size_t>(i);
            const double refit = without({i})[0];
            EXPECT_NEAR(found.leave_one_out[at], refit, 1e-10);
            EXPECT_NEAR(direct.leave_one_out[at], refit, 1e-10);
        }
        for (const std::vector<index_t>& fold : folds) {
            const std::vector<double> refit = without(fold);
            for (std::size_t r = 0; r < fold.size(); ++r) {
                EXPECT_NEAR(found.left_out[static_cast<std::size_t>(fold[r])], refit[r], 1e-10);
            }
        }
        // One fit with 200 targets: column i of the hat matrix is the fit of unit vector i.
        RidgeProblem units = problem;
        units.target_count = n;
        units.targets.assign(static_cast<std::size_t>(n * n), 0.0);
        for (index_t i = 0; i < n; ++i) {
            units.targets[static_cast<std::size_t>(i * n + i)] = 1.0;
        }
        const RidgeSolution hat = solve_ridge(units, false, context);
        double trace = 0.0;  // of the residuals: alpha beta_ii is 1 - the fit of row i
        double squares = 0.0;
        for (index_t i = 0; i < n; ++i) {
            trace += problem.alpha * hat.beta[static_cast<std::size_t>(i * n + i)];
            const double r = problem.alpha * direct.beta[static_cast<std::size_t>(i)];
            squares += r * r;
        }
        EXPECT_NEAR(found.degrees, static_cast<double>(n) - trace, 1e-10 * n);
        EXPECT_NEAR(found.gcv[0], static_cast<double>(n) * squares / (trace * trace), 1e-10);
    }
}

}  // namespace
}  // namespace mercer
