// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/solvers/linear_test.cpp - least squares, ridge and likelihood against closed forms.
#include "mercer/solvers/linear.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/base/random.hpp"
#include "mercer/losses/logistic.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/kernel_descent.hpp"

namespace mercer {
namespace {

void expect_near(const std::vector<double>& got, const std::vector<double>& want,
                 double tolerance) {
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
        EXPECT_NEAR(got[i], want[i], tolerance) << "entry " << i;
    }
}

std::vector<double> sum_of_rows(MatrixView<const double> x, const std::vector<double>& beta) {
    std::vector<double> w(static_cast<std::size_t>(x.columns), 0.0);
    for (index_t i = 0; i < x.rows; ++i) {
        for (index_t j = 0; j < x.columns; ++j) {
            w[static_cast<std::size_t>(j)] += beta[static_cast<std::size_t>(i)] * x(i, j);
        }
    }
    return w;
}

TEST(linear, dependent_columns_get_the_pseudo_inverse) {
    // x = (1,1), (2,2), y = 1, 3: A = [[5,5],[5,5]], b = (7,7), A^+ b = (.7,.7).
    Context context;
    const std::vector<double> x{1, 1, 2, 2};
    const std::vector<double> y{1, 3};
    LinearProblem problem;
    problem.rows = {x.data(), 2, 2};
    problem.targets = y;
    problem.intercept = false;
    for (const std::string& solver : linear_solvers(0.0)) {
        const LinearSolution solution = solve_linear(problem, solver, 0, context);
        EXPECT_EQ(solution.status, SolveStatus::converged) << solver;
        expect_near(solution.w, {0.7, 0.7}, 1e-10);
        expect_near(sum_of_rows(problem.rows, solution.beta), {0.7, 0.7}, 1e-10);
        if (solver != "gradient-descent") {
            EXPECT_EQ(solution.rank, 1) << solver;
        }
        EXPECT_NEAR(solution.residual, 0.16 + 0.04, 1e-9) << solver;
    }
}

TEST(linear, random_rows_of_low_rank_meet_their_normal_equations) {
    Context context;
    Random random(3);
    const index_t n = 40;
    const index_t d = 6;
    std::vector<double> x;
    std::vector<double> y;
    std::vector<double> weights;
    for (index_t i = 0; i < n; ++i) {
        double base[3];
        for (double& value : base) {
            value = random.normal();
        }
        for (index_t j = 0; j < d; ++j) {  // columns 3..5 are sums of columns 0..2
            x.push_back(j < 3 ? base[j] : base[j - 3] + 2.0 * base[(j - 2) % 3]);
        }
        y.push_back(random.normal());
        weights.push_back(random.uniform(0.5, 2.0));
    }
    LinearProblem problem;
    problem.rows = {x.data(), n, d};
    problem.targets = y;
    problem.weights = weights;
    const LinearSolution by_svd = solve_linear(problem, "svd", 0, context);
    const LinearSolution by_normal = solve_linear(problem, "normal-equations", 0, context);
    EXPECT_EQ(by_svd.rank, 3);
    EXPECT_EQ(by_normal.rank, 3);
    EXPECT_LE(by_svd.optimality, 1e-12 * by_svd.scale);
    expect_near(by_svd.w, by_normal.w, 1e-10);
    EXPECT_NEAR(by_svd.intercept, by_normal.intercept, 1e-10);
    // sum(beta) = 0, and beta stands for the same w.
    double sum = 0.0;
    for (const double b : by_svd.beta) {
        sum += b;
    }
    EXPECT_NEAR(sum, 0.0, 1e-12);
    expect_near(sum_of_rows(problem.rows, by_svd.beta), by_svd.w, 1e-11);
}

TEST(linear, ridge_is_the_same_in_columns_and_in_rows) {
    // Rows (1,1,0), (0,1,1), y = (1,0), alpha = 1: theta = (.375,.25,-.125).
    Context context;
    const std::vector<double> x{1, 1, 0, 0, 1, 1};
    const std::vector<double> y{1, 0};
    LinearProblem problem;
    problem.rows = {x.data(), 2, 3};
    problem.targets = y;
    problem.alpha = 1.0;
    problem.intercept = false;
    for (const char* solver : {"primal", "dual", "auto"}) {
        const LinearSolution solution = solve_linear(problem, solver, 0, context);
        expect_near(solution.w, {0.375, 0.25, -0.125}, 1e-15);
        expect_near(solution.beta, {0.375, -0.125}, 1e-15);
    }
    EXPECT_EQ(solve_linear(problem, "auto", 0, context).solver, "dual");
    EXPECT_THROW((void)solve_linear(problem, "svd", 0, context), InvalidArgument);
}

TEST(linear, the_mean_logistic_loss_is_minus_the_mean_log_likelihood) {
    Context context;
    const std::vector<double> x{-2, -1, -0.5, 0.3, 0.5, 1, 2, 3};
    const std::vector<double> t{-1, -1, 1, -1, 1, 1, -1, 1};
    const LikelihoodFit fit =
        maximum_likelihood(MatrixView<const double>(x.data(), 8, 1), t, {}, true, 0, context);
    EXPECT_EQ(fit.status, SolveStatus::converged);
    EXPECT_FALSE(fit.separable);
    double logarithm = 0.0;
    double gradient[2] = {0.0, 0.0};
    for (std::size_t i = 0; i < t.size(); ++i) {
        const double z = fit.x[0] * x[i] + fit.x[1];
        const double p = 1.0 / (1.0 + std::exp(-t[i] * z));
        logarithm += std::log(p);
        gradient[0] += (1.0 - p) * t[i] * x[i];
        gradient[1] += (1.0 - p) * t[i];
    }
    EXPECT_NEAR(fit.mean_loss, -logarithm / 8.0, 1e-14);
    EXPECT_NEAR(gradient[0], 0.0, 1e-9);
    EXPECT_NEAR(gradient[1], 0.0, 1e-9);
}

TEST(linear, separable_classes_have_no_maximum_likelihood_and_it_is_said) {
    Context context;
    const std::vector<double> x{-1, 1};
    const std::vector<double> t{-1, 1};
    const LikelihoodFit apart =
        maximum_likelihood(MatrixView<const double>(x.data(), 2, 1), t, {}, true, 0, context);
    EXPECT_TRUE(apart.separable);
    EXPECT_NE(apart.status, SolveStatus::converged);
    // Touching classes: one point has both labels, the others are apart.
    const std::vector<double> touching{-1, 0, 0, 1};
    const std::vector<double> labels{-1, -1, 1, 1};
    EXPECT_TRUE(maximum_likelihood(MatrixView<const double>(touching.data(), 4, 1), labels, {},
                                   true, 0, context)
                    .separable);
}

TEST(linear, the_logistic_hessian_is_the_derivative_of_its_gradient) {
    Random random(4);
    std::vector<double> x;
    std::vector<double> t;
    std::vector<double> c;
    for (int i = 0; i < 20; ++i) {
        x.push_back(random.normal());
        x.push_back(random.normal());
        t.push_back(i % 3 == 0 ? -1.0 : 1.0);
        c.push_back(random.uniform(0.5, 2.0));
    }
    LogisticObjective objective(MatrixView<const double>(x.data(), 20, 2), t, c, 0.7, true);
    const std::vector<double> point{0.3, -0.8, 0.2};
    std::vector<double> hessian(9);
    ASSERT_TRUE(objective.hessian(point, MatrixView<double>(hessian.data(), 3, 3)));
    std::vector<double> up(3);
    std::vector<double> down(3);
    for (std::size_t j = 0; j < 3; ++j) {
        std::vector<double> moved = point;
        moved[j] += 1e-6;
        const double high = objective.evaluate(moved, up);
        moved[j] -= 2e-6;
        const double low = objective.evaluate(moved, down);
        std::vector<double> here(3);
        (void)objective.evaluate(point, here);
        EXPECT_NEAR((high - low) / 2e-6, here[j], 1e-7);
        for (std::size_t i = 0; i < 3; ++i) {
            EXPECT_NEAR((up[i] - down[i]) / 2e-6, hessian[3 * i + j], 1e-7);
        }
    }
}

/// Rows of rank 3 in 6 columns.
std::vector<double> low_rank_rows(index_t n, Random& random) {
    std::vector<double> x;
    for (index_t i = 0; i < n; ++i) {
        const double base[3] = {random.normal(), random.normal(), random.normal()};
        for (std::size_t j = 0; j < 6; ++j) {
            x.push_back(j < 3 ? base[j] : base[j - 3] + 2.0 * base[(j - 2) % 3]);
        }
    }
    return x;
}

TEST(linear, the_right_side_of_the_normal_equations_lies_in_the_span_of_their_matrix) {
    // A = X'X, b = X'y: |A A^+ b - b| <= 1e-12 |b| though A has rank 3 of 6.
    Context context;
    Random random(8);
    const index_t n = 40;
    const std::vector<double> x = low_rank_rows(n, random);
    std::vector<double> y;
    for (index_t i = 0; i < n; ++i) {
        y.push_back(random.normal());
    }
    LinearProblem problem;
    problem.rows = {x.data(), n, 6};
    problem.targets = y;
    problem.intercept = false;
    const std::vector<double> right = sum_of_rows(problem.rows, y);
    double size = 0.0;
    for (const double value : right) {
        size += value * value;
    }
    for (const char* solver : {"svd", "normal-equations"}) {
        const LinearSolution solution = solve_linear(problem, solver, 0, context);
        std::vector<double> f;
        for (index_t i = 0; i < n; ++i) {
            double sum = 0.0;
            for (index_t j = 0; j < 6; ++j) {
                sum += problem.rows(i, j) * solution.w[static_cast<std::size_t>(j)];
            }
            f.push_back(sum);
        }
        expect_near(sum_of_rows(problem.rows, f), right, 1e-12 * std::sqrt(size));
    }
}

TEST(linear, solutions_for_unit_targets_are_a_moore_penrose_inverse) {
    Context context;
    Random random(9);
    const index_t n = 10;
    const index_t d = 6;
    const std::vector<double> x = low_rank_rows(n, random);
    using Matrix = std::vector<std::vector<double>>;
    const auto product = [](const Matrix& a, const Matrix& b) {
        Matrix out(a.size(), std::vector<double>(b.front().size(), 0.0));
        for (std::size_t i = 0; i < a.size(); ++i) {
            for (std::size_t k = 0; k < b.size(); ++k) {
                for (std::size_t j = 0; j < b.front().size(); ++j) {
                    out[i][j] += a[i][k] * b[k][j];
                }
            }
        }
        return out;
    };
    const auto equal = [](const Matrix& a, const Matrix& b, bool transposed) {
        for (std::size_t i = 0; i < a.size(); ++i) {
            for (std::size_t j = 0; j < a.front().size(); ++j) {
                EXPECT_NEAR(a[i][j], transposed ? b[j][i] : b[i][j], 1e-11) << i << " " << j;
            }
        }
    };
    Matrix m;
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
        m.emplace_back(x.begin() + static_cast<index_t>(i) * d,
                       x.begin() + static_cast<index_t>(i + 1) * d);
    }
    for (const char* solver : {"svd", "normal-equations"}) {
        Matrix inverse(static_cast<std::size_t>(d),
                       std::vector<double>(static_cast<std::size_t>(n)));
        for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
            std::vector<double> unit(static_cast<std::size_t>(n), 0.0);
            unit[i] = 1.0;
            LinearProblem problem;
            problem.rows = {x.data(), n, d};
            problem.targets = unit;
            problem.intercept = false;
            const LinearSolution solution = solve_linear(problem, solver, 0, context);
            for (std::size_t j = 0; j < static_cast<std::size_t>(d); ++j) {
                inverse[j][i] = solution.w[j];
            }
        }
        const Matrix left = product(m, inverse);
        const Matrix right = product(inverse, m);
        equal(product(left, m), m, false);
        equal(product(right, inverse), inverse, false);
        equal(left, left, true);
        equal(right, right, true);
    }
}

TEST(linear, descent_in_the_columns_is_kernel_descent_in_the_rows) {
    // theta <- theta + step X'(y - X theta) and beta <- beta + step (y - K beta): theta = X'beta.
    Context context;
    const std::vector<double> x{1, 1, 0, 0, 1, 1};
    const std::vector<double> y{1, 0};
    const MatrixView<const double> rows(x.data(), 2, 3);
    const std::vector<double> p{1, 1, 0, 1, 2, 1, 0, 1, 1};  // X'X
    const std::vector<double> q{1, 1, 0};                    // X'y
    std::vector<std::vector<double>> theta;
    QuadraticObjective squares(MatrixView<const double>(p.data(), 3, 3), q);
    const OptimiserResult columns =
        gradient_descent(squares, std::vector<double>(3, 0.0),
                         {.gradient_tolerance = 1e-13,
                          .max_iterations = 10'000,
                          .step = 0.5,
                          .watch =
                              [&theta](std::span<const double> now, const OptimiserPoint&) {
                                  theta.emplace_back(now.begin(), now.end());
                                  return true;
                              }},
                         context);
    EXPECT_EQ(columns.status, SolveStatus::converged);
    std::size_t step = 0;
    (void)kernel_gradient_descent(
        [&](std::span<const double> v, std::span<double> out) {
            const std::vector<double> w = sum_of_rows(rows, {v[0], v[1]});
            for (index_t i = 0; i < 2; ++i) {
                out[static_cast<std::size_t>(i)] =
                    rows(i, 0) * w[0] + rows(i, 1) * w[1] + rows(i, 2) * w[2];
            }
        },
        y,
        {.step = 0.5,
         .watch =
             [&](std::span<const double> beta, index_t) {
                 expect_near(sum_of_rows(rows, {beta[0], beta[1]}), theta[step], 1e-14);
                 return ++step < 20;
             }},
        context);
    EXPECT_EQ(step, 20U);
    // The end is the solution of least norm: X'K^-1 y = (2/3, 1/3, -1/3).
    expect_near(columns.x, {2.0 / 3.0, 1.0 / 3.0, -1.0 / 3.0}, 1e-12);
    LinearProblem problem;
    problem.rows = rows;
    problem.targets = y;
    problem.intercept = false;
    expect_near(solve_linear(problem, "svd", 0, context).w, columns.x, 1e-12);
}

TEST(linear, the_logistic_hessian_is_positive_semidefinite) {
    Random random(6);
    std::vector<double> x;
    std::vector<double> t;
    for (int i = 0; i < 20; ++i) {
        x.push_back(random.normal());
        x.push_back(random.normal());
        t.push_back(i % 3 == 0 ? -1.0 : 1.0);
    }
    const std::vector<double> c(20, 1.0);
    LogisticObjective objective(MatrixView<const double>(x.data(), 20, 2), t, c, 0.0, true);
    std::vector<double> hessian(9);
    for (int round = 0; round < 50; ++round) {
        const std::vector<double> at{3.0 * random.normal(), 3.0 * random.normal(),
                                     3.0 * random.normal()};
        ASSERT_TRUE(objective.hessian(at, MatrixView<double>(hessian.data(), 3, 3)));
        const std::vector<double> v{random.normal(), random.normal(), random.normal()};
        double curvature = 0.0;
        for (std::size_t i = 0; i < 3; ++i) {
            for (std::size_t j = 0; j < 3; ++j) {
                curvature += v[i] * hessian[3 * i + j] * v[j];
            }
        }
        EXPECT_GE(curvature, 0.0);
    }
}

}  // namespace
}  // namespace mercer
