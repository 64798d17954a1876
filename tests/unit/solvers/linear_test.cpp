// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/solvers/linear_test.cpp - least squares, ridge and likelihood against closed forms.
#include "mercer/solvers/linear.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mercer/base/error.hpp"
#include "mercer/base/random.hpp"
#include "mercer/compute/linear_algebra.hpp"
#include "mercer/losses/logistic.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/kernel_descent.hpp"
#include "support/facts.hpp"

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
        expect_fact("D02", "A^+ b by " + solver, solution.w);
        expect_near(sum_of_rows(problem.rows, solution.beta), solution.w, 1e-10);
        if (solver != "gradient-descent") {
            expect_fact("D02", "rank by " + solver, solution.rank);
        }
        // A w with A = X'X: X'(X w) must be X'y = b.
        const std::vector<double> f = linear_values(problem.rows, solution.beta);
        expect_fact("D02", "A A^+ b by " + solver, sum_of_rows(problem.rows, f));
        EXPECT_NEAR(solution.residual, 0.16 + 0.04, 1e-9) << solver;
    }
    expect_fact("D02", "b = X'y", sum_of_rows(problem.rows, y));
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
    expect_fact("D03", "rank of X, 40 rows of rank 3 in 6 columns", by_svd.rank);
    expect_fact("D03", "rank of X'X", by_normal.rank);
    EXPECT_LE(by_svd.optimality, 1e-12 * by_svd.scale);
    expect_near(by_svd.w, by_normal.w, 1e-10);
    EXPECT_NEAR(by_svd.intercept(), by_normal.intercept(), 1e-10);
    // sum(beta) = 0, and beta gives the same w.
    double sum = 0.0;
    for (const double b : by_svd.beta) {
        sum += b;
    }
    EXPECT_NEAR(sum, 0.0, 1e-12);
    expect_near(sum_of_rows(problem.rows, by_svd.beta), by_svd.w, 1e-11);
}

TEST(linear, rank_counts_what_exceeds_the_rounding_of_the_longer_side) {
    // Rows (1, 0), (0, s) and 62 of zeros have the singular values 1 and s; X'X has 1 and s^2.
    // Zero is what is at most 64 eps, not 2 eps.
    constexpr double kEps = std::numeric_limits<double>::epsilon();
    Context context;
    const std::vector<double> y(64, 1.0);
    const auto rank_of = [&](double s, const char* solver) {
        std::vector<double> x(128, 0.0);
        x[0] = 1.0;
        x[3] = s;
        LinearProblem problem;
        problem.rows = {x.data(), 64, 2};
        problem.targets = y;
        problem.intercept = false;
        return solve_linear(problem, solver, 0, context).rank;
    };
    EXPECT_EQ(rank_of(32.0 * kEps, "svd"), 1);
    EXPECT_EQ(rank_of(128.0 * kEps, "svd"), 2);
    EXPECT_EQ(rank_of(std::sqrt(32.0 * kEps), "normal-equations"), 1);
    EXPECT_EQ(rank_of(std::sqrt(128.0 * kEps), "normal-equations"), 2);
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
    const LinearSolution primal = solve_linear(problem, "primal", 0, context);
    expect_fact("RR1", "KRR2, n lambda = 1: theta in the columns", primal.w);
    expect_fact("RR1", "KRR2, n lambda = 1: alpha from the columns", primal.beta);
    for (const char* solver : {"dual", "auto"}) {
        const LinearSolution solution = solve_linear(problem, solver, 0, context);
        expect_fact("RR2", "KRR2, n lambda = 1: theta from the rows", solution.w);
        expect_near(solution.beta, primal.beta, 1e-15);
    }
    EXPECT_EQ(solve_linear(problem, "auto", 0, context).solver, "dual");
    const LinearSolution by_svd = solve_linear(problem, "svd", 0, context);
    expect_near(by_svd.w, primal.w, 1e-15);
    expect_near(by_svd.beta, primal.beta, 1e-15);
    EXPECT_THROW((void)solve_linear(problem, "normal-equations", 0, context), InvalidArgument);
}

TEST(linear, ridge_with_a_vanishing_alpha_keeps_the_weights_in_the_rows) {
    // y = X theta exactly: as alpha vanishes, w = theta, and sum_i beta_i x_i must give it, too.
    Context context;
    Random random(11);
    const std::vector<double> theta{3.0, -2.0, 0.5};
    std::vector<double> x;
    std::vector<double> y;
    for (int i = 0; i < 20; ++i) {
        y.push_back(0.0);
        for (const double weight : theta) {
            x.push_back(random.normal());
            y.back() += weight * x.back();
        }
    }
    LinearProblem problem;
    problem.rows = {x.data(), 20, 3};
    problem.targets = y;
    problem.alpha = 1e-16;
    problem.intercept = false;
    const LinearSolution solution = solve_linear(problem, "auto", 0, context);
    EXPECT_EQ(solution.solver, "svd");
    expect_near(solution.w, theta, 1e-13);
    expect_near(sum_of_rows(problem.rows, solution.beta), theta, 1e-11);
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
    expect_fact("D09", "mean logistic loss and minus the mean log-likelihood apart",
                std::abs(fit.mean_loss + logarithm / 8.0));
    EXPECT_NEAR(gradient[0], 0.0, 1e-9);
    EXPECT_NEAR(gradient[1], 0.0, 1e-9);
}

TEST(linear, separable_classes_have_no_maximum_likelihood_and_it_is_said) {
    Context context;
    const std::vector<double> x{-1, 1};
    const std::vector<double> t{-1, 1};
    const LikelihoodFit apart =
        maximum_likelihood(MatrixView<const double>(x.data(), 2, 1), t, {}, true, 0, context);
    expect_fact("D09", "PAIR is said to be separable", apart.separable);
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
    double worst = 0.0;
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
        const std::vector<double> left = sum_of_rows(problem.rows, f);
        double off = 0.0;
        for (std::size_t j = 0; j < left.size(); ++j) {
            off += (left[j] - right[j]) * (left[j] - right[j]);
        }
        worst = std::max(worst, std::sqrt(off / size));
    }
    expect_fact("D03", "|A A^+ b - b| over |b|", worst);
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
    const auto apart = [](const Matrix& a, const Matrix& b, bool transposed) {
        double worst = 0.0;
        for (std::size_t i = 0; i < a.size(); ++i) {
            for (std::size_t j = 0; j < a.front().size(); ++j) {
                worst = std::max(worst, std::abs(a[i][j] - (transposed ? b[j][i] : b[i][j])));
            }
        }
        return worst;
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
        expect_fact("D04", "M M^+ M and M apart", apart(product(left, m), m, false));
        expect_fact("D04", "M^+ M M^+ and M^+ apart",
                    apart(product(right, inverse), inverse, false));
        expect_fact("D04", "M M^+ and its transpose apart", apart(left, left, true));
        expect_fact("D04", "M^+ M and its transpose apart", apart(right, right, true));
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
    double off = 0.0;
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
                 const std::vector<double> w = sum_of_rows(rows, {beta[0], beta[1]});
                 for (std::size_t j = 0; j < w.size(); ++j) {
                     off = std::max(off, std::abs(w[j] - theta[step][j]));
                 }
                 return ++step < 20;
             }},
        context);
    EXPECT_EQ(step, 20U);
    expect_fact("GD1", "theta and X'beta apart in 20 steps", off);
    // The end is the solution of least norm: X'K^-1 y = (2/3, 1/3, -1/3).
    expect_fact("D01", "limit on the rows of KRR2, step 0.5", columns.x);
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
    double least = kInfinity;
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
        least = std::min(least, curvature);
    }
    expect_fact("D09", "least v'Hv of 50 points and directions", least);
}

TEST(linear, batch_descent_ends_at_the_pseudo_inverse_for_steps_below_two_over_lambda_max_only) {
    // Random rows, of full and of low rank: w <- w + step X'(y - X w) from 0.
    Context context;
    Random random(12);
    double worst = 0.0;
    bool all_diverge = true;
    for (int round = 0; round < 10; ++round) {
        const index_t n = 12;
        const index_t d = round % 2 == 0 ? 3 : 6;
        std::vector<double> x = low_rank_rows(n, random);
        if (d == 3) {
            std::vector<double> base;
            for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
                base.insert(base.end(), x.begin() + static_cast<index_t>(6 * i),
                            x.begin() + static_cast<index_t>(6 * i + 3));
            }
            x = base;
        }
        std::vector<double> y;
        for (index_t i = 0; i < n; ++i) {
            y.push_back(random.normal());
        }
        LinearProblem problem;
        problem.rows = {x.data(), n, d};
        problem.targets = y;
        problem.intercept = false;
        const std::vector<double> right = sum_of_rows(problem.rows, y);
        std::vector<double> gram(static_cast<std::size_t>(d * d));
        const MatrixView<double> a(gram.data(), d, d);
        multiply(problem.rows, true, problem.rows, false, 1.0, 0.0, a, context);
        std::vector<double> spectrum = gram;
        std::vector<double> eigenvalues(static_cast<std::size_t>(d));
        symmetric_eigen({spectrum.data(), d, d}, eigenvalues, false, context);
        QuadraticObjective squares(a, right);
        const auto descend = [&](double share) {
            return gradient_descent(squares, std::vector<double>(static_cast<std::size_t>(d), 0.0),
                                    {.gradient_tolerance = 1e-11,
                                     .max_iterations = 200'000,
                                     .step = share * 2.0 / eigenvalues.back()},
                                    context);
        };
        const OptimiserResult good = descend(random.uniform(0.05, 0.98));
        EXPECT_EQ(good.status, SolveStatus::converged) << round;
        const std::vector<double> known = solve_linear(problem, "svd", 0, context).w;
        for (std::size_t j = 0; j < known.size(); ++j) {
            worst = std::max(worst, std::abs(good.x[j] - known[j]));
        }
        all_diverge = all_diverge && descend(1.02).diverged;
    }
    expect_fact("D01", "10 random problems: limit and A^+ b apart", worst);
    expect_fact("D01", "10 random problems: 1.02 times the longest step diverges", all_diverge);
}

}  // namespace
}  // namespace mercer
