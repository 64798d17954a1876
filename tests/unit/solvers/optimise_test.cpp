// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/solvers/optimise_test.cpp - the classical methods on problems solved by hand.
#include "mercer/solvers/optimise.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/base/random.hpp"
#include "mercer/runtime/context.hpp"
#include "support/facts.hpp"

namespace mercer {
namespace {

/// E = 2 log cosh(x / 2): gradient tanh(x / 2), second derivative 1 / (2 cosh^2(x / 2)).
class LogCosh final : public Objective {
public:
    [[nodiscard]] index_t size() const override { return 1; }
    double evaluate(std::span<const double> x, std::span<double> gradient) override {
        gradient[0] = std::tanh(0.5 * x[0]);
        const double a = std::abs(0.5 * x[0]);  // log cosh a without overflow
        return 2.0 * (a + std::log1p(std::exp(-2.0 * a)) - std::log(2.0));
    }
    bool hessian(std::span<const double> x, MatrixView<double> out) override {
        const double c = std::cosh(0.5 * x[0]);
        out(0, 0) = 0.5 / (c * c);
        return true;
    }
};

/// Rosenbrock's valley, minimum 0 at (1, 1).
class Valley final : public Objective {
public:
    [[nodiscard]] index_t size() const override { return 2; }
    double evaluate(std::span<const double> x, std::span<double> gradient) override {
        const double a = 1.0 - x[0];
        const double b = x[1] - x[0] * x[0];
        gradient[0] = -2.0 * a - 400.0 * x[0] * b;
        gradient[1] = 200.0 * b;
        return a * a + 100.0 * b * b;
    }
    bool hessian(std::span<const double> x, MatrixView<double> out) override {
        out(0, 0) = 2.0 - 400.0 * (x[1] - 3.0 * x[0] * x[0]);
        out(0, 1) = out(1, 0) = -400.0 * x[0];
        out(1, 1) = 200.0;
        return true;
    }
};

/// A random positive definite quadratic with its solution.
struct Quadratic {
    explicit Quadratic(index_t n, std::uint64_t seed) : size(n) {
        Random random(seed);
        std::vector<double> a;
        for (index_t i = 0; i < n * n; ++i) {
            a.push_back(random.normal());
        }
        for (index_t i = 0; i < n; ++i) {
            solution.push_back(random.normal());
            for (index_t j = 0; j < n; ++j) {
                double sum = i == j ? 0.5 : 0.0;
                for (index_t k = 0; k < n; ++k) {
                    sum += a[static_cast<std::size_t>(i * n + k)] *
                           a[static_cast<std::size_t>(j * n + k)];
                }
                p.push_back(sum);
            }
        }
        for (index_t i = 0; i < n; ++i) {
            double sum = 0.0;
            for (index_t j = 0; j < n; ++j) {
                sum +=
                    p[static_cast<std::size_t>(i * n + j)] * solution[static_cast<std::size_t>(j)];
            }
            q.push_back(sum);
        }
    }
    [[nodiscard]] MatrixView<const double> matrix() const { return {p.data(), size, size}; }
    [[nodiscard]] QuadraticObjective objective() const { return {matrix(), q}; }

    index_t size;
    std::vector<double> p;
    std::vector<double> q;
    std::vector<double> solution;
};

void expect_near(const std::vector<double>& got, const std::vector<double>& want,
                 double tolerance) {
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
        EXPECT_NEAR(got[i], want[i], tolerance) << "entry " << i;
    }
}

const std::vector<double> kTwo{2.0, 1.0, 1.0, 2.0};  // eigenvalues 1 and 3

TEST(optimise, newton_solves_a_quadratic_in_one_step) {
    Context context;
    const Quadratic problem(6, 1);
    QuadraticObjective objective = problem.objective();
    for (const bool damped : {true, false}) {
        const OptimiserResult result =
            newton(objective, std::vector<double>(6, 0.0),
                   {.gradient_tolerance = 1e-9, .damped = damped}, context);
        EXPECT_EQ(result.status, SolveStatus::converged);
        EXPECT_EQ(result.iterations, 1);
        EXPECT_EQ(result.factorisations, 1);
        expect_near(result.x, problem.solution, 1e-8);
    }
}

TEST(optimise, full_newton_steps_on_log_cosh_are_those_of_x_minus_sinh_x) {
    Context context;
    LogCosh objective;
    std::vector<double> seen;
    const OptimiserResult result =
        newton(objective, std::vector<double>{2.0},
               {.gradient_tolerance = 1e-10,
                .damped = false,
                .watch =
                    [&seen](std::span<const double> x, const OptimiserPoint&) {
                        seen.push_back(x[0]);
                        return true;
                    }},
               context);
    EXPECT_EQ(result.status, SolveStatus::converged);
    ASSERT_GE(seen.size(), 5U);
    EXPECT_NEAR(seen[1], -1.6269, 5e-5);
    EXPECT_NEAR(seen[2], 0.8188, 5e-5);
    EXPECT_NEAR(seen[3], -0.0946, 5e-5);
    EXPECT_NEAR(seen[4], 1.4e-4, 5e-6);
}

TEST(optimise, full_newton_steps_diverge_beyond_the_threshold_and_say_so) {
    Context context;
    LogCosh objective;
    for (const double start : {2.2, 3.0}) {
        const std::vector<double> x{start};
        const OptimiserResult full = newton(objective, x, {.damped = false}, context);
        EXPECT_TRUE(full.diverged) << start;
        EXPECT_NE(full.status, SolveStatus::converged);
        EXPECT_NE(full.remedy.find("damped"), std::string::npos) << full.remedy;
        const OptimiserResult damped = newton(objective, x, {}, context);
        EXPECT_FALSE(damped.diverged);
        EXPECT_EQ(damped.status, SolveStatus::converged);
        EXPECT_NEAR(damped.x[0], 0.0, 1e-8);
    }
    // The threshold is where x - sinh(x) = -x: 2.1773. Close to it the steps part slowly.
    const OptimiserOptions full{.gradient_tolerance = 1e-9, .max_iterations = 200, .damped = false};
    const OptimiserResult below = newton(objective, std::vector<double>{2.1772}, full, context);
    EXPECT_FALSE(below.diverged);
    EXPECT_EQ(below.status, SolveStatus::converged);
    EXPECT_TRUE(newton(objective, std::vector<double>{2.1774}, full, context).diverged);
}

TEST(optimise, exact_gradient_descent_has_the_worst_case_rate_of_its_condition) {
    // P = diag(1, 3) from (3, 1): every exact step multiplies the error by (3 - 1) / (3 + 1).
    Context context;
    const std::vector<double> p{1.0, 0.0, 0.0, 3.0};
    const std::vector<double> q{0.0, 0.0};
    QuadraticObjective objective(MatrixView<const double>(p.data(), 2, 2), q);
    const OptimiserResult result = gradient_descent(objective, std::vector<double>{3.0, 1.0},
                                                    {.max_iterations = 12, .exact = true}, context);
    for (std::size_t k = 1; k < result.trace.size(); ++k) {
        EXPECT_NEAR(std::sqrt(result.trace[k].value / result.trace[k - 1].value), 0.5, 1e-6);
    }
}

TEST(optimise, a_fixed_step_converges_below_two_over_the_greatest_curvature_only) {
    Context context;
    const std::vector<double> q{1.0, 0.0};
    QuadraticObjective objective(MatrixView<const double>(kTwo.data(), 2, 2), q);
    const std::vector<double> zero(2, 0.0);
    const OptimiserResult good = gradient_descent(
        objective, zero, {.gradient_tolerance = 1e-12, .max_iterations = 100000, .step = 0.65},
        context);
    expect_fact("D01", "greatest curvature 3: step 0.65 converges",
                good.status == SolveStatus::converged);
    expect_near(good.x, {2.0 / 3.0, -1.0 / 3.0}, 1e-10);
    const OptimiserResult bad =
        gradient_descent(objective, zero, {.max_iterations = 100000, .step = 0.6767}, context);
    expect_fact("D01", "greatest curvature 3: step 0.6767 diverges", bad.diverged);
    EXPECT_NE(bad.remedy.find("halve"), std::string::npos) << bad.remedy;
    EXPECT_LT(bad.iterations, 1000);
}

TEST(optimise, bfgs_with_exact_searches_ends_a_quadratic_in_n_steps) {
    Context context;
    const Quadratic problem(5, 3);
    QuadraticObjective objective = problem.objective();
    const OptimiserResult result = bfgs(objective, std::vector<double>(5, 0.0),
                                        {.gradient_tolerance = 1e-7, .exact = true}, context);
    EXPECT_EQ(result.status, SolveStatus::converged);
    EXPECT_LE(result.iterations, 5);
    EXPECT_EQ(result.memory_bytes, 5 * 5 * 8);
    expect_near(result.x, problem.solution, 1e-5);
}

TEST(optimise, quasi_newton_methods_say_what_they_keep) {
    // The full matrix n^2 numbers, the last m pairs 2 n m; both end at the solution.
    Context context;
    const Quadratic problem(30, 3);
    QuadraticObjective objective = problem.objective();
    const std::vector<double> zero(30, 0.0);
    const OptimiserOptions options{.gradient_tolerance = 1e-9, .memory = 5};
    const OptimiserResult full = bfgs(objective, zero, options, context);
    const OptimiserResult few = lbfgs(objective, zero, options, context);
    EXPECT_EQ(full.memory_bytes, 30 * 30 * 8);
    EXPECT_EQ(few.memory_bytes, 2 * 30 * 5 * 8);
    expect_near(full.x, problem.solution, 1e-6);
    expect_near(few.x, problem.solution, 1e-6);
}

TEST(optimise, every_method_finds_the_bottom_of_the_valley) {
    Context context;
    Valley objective;
    const std::vector<double> start{-1.2, 1.0};
    const OptimiserOptions options{.gradient_tolerance = 1e-10, .max_iterations = 20000};
    std::vector<OptimiserResult> results;
    results.push_back(newton(objective, start, options, context));
    results.push_back(bfgs(objective, start, options, context));
    results.push_back(lbfgs(objective, start, options, context));
    for (const char* rule : {"polak-ribiere", "hestenes-stiefel"}) {
        OptimiserOptions with = options;
        with.rule = rule;
        results.push_back(nonlinear_conjugate_gradient(objective, start, with, context));
    }
    for (const OptimiserResult& result : results) {
        EXPECT_EQ(result.status, SolveStatus::converged);
        expect_near(result.x, {1.0, 1.0}, 1e-7);
        for (std::size_t k = 1; k < result.trace.size(); ++k) {
            EXPECT_LE(result.trace[k].value, result.trace[k - 1].value + 1e-12);
        }
    }
}

TEST(optimise, conjugate_directions_are_those_made_by_hand) {
    // P = [[2,1],[1,2]], q = (1,0): d0 = (1,0), d1 = (-1/2,1), x = (2/3,-1/3).
    std::vector<double> directions(4);
    const std::vector<double> x =
        conjugate_directions(MatrixView<const double>(kTwo.data(), 2, 2), std::vector<double>{1, 0},
                             MatrixView<double>(directions.data(), 2, 2));
    expect_near(directions, {1.0, 0.0, -0.5, 1.0}, 1e-15);
    expect_near(x, {2.0 / 3.0, -1.0 / 3.0}, 1e-15);
    const std::vector<double> saddle{1.0, 2.0, 2.0, 1.0};
    EXPECT_THROW((void)conjugate_directions(MatrixView<const double>(saddle.data(), 2, 2),
                                            std::vector<double>{1, 0},
                                            MatrixView<double>(directions.data(), 2, 2)),
                 InvalidArgument);
}

TEST(optimise, conjugate_gradients_solve_krr2_in_two_steps) {
    // (K + I) alpha = y with K = [[2,1],[1,2]], y = (1,0).
    Context context;
    const LinearOperator a = [](std::span<const double> v, std::span<double> out) {
        out[0] = 3.0 * v[0] + v[1];
        out[1] = v[0] + 3.0 * v[1];
    };
    const LinearSystemResult result =
        conjugate_gradient(a, std::vector<double>{1.0, 0.0}, std::vector<double>{0.0, 0.0},
                           {.tolerance = 1e-14}, context);
    EXPECT_EQ(result.status, SolveStatus::converged);
    EXPECT_EQ(result.iterations, 2);
    expect_near(result.x, {0.375, -0.125}, 1e-15);
}

TEST(optimise, conjugate_gradients_keep_to_their_bound) {
    Context context;
    const index_t n = 50;
    const LinearOperator a = [](std::span<const double> v, std::span<double> out) {
        for (std::size_t i = 0; i < v.size(); ++i) {
            out[i] = (1.0 + 99.0 * static_cast<double>(i) / 49.0) * v[i];  // condition 100
        }
    };
    const std::vector<double> b(static_cast<std::size_t>(n), 1.0);
    const std::vector<double> zero(static_cast<std::size_t>(n), 0.0);
    const LinearSystemResult result = conjugate_gradient(a, b, zero, {.tolerance = 1e-6}, context);
    // The bound is for the A-norm of the error; the residual may lag by sqrt(condition).
    EXPECT_LE(static_cast<double>(result.iterations), conjugate_gradient_bound(100.0, 1e-7));
    EXPECT_LE(result.residual, 1.1e-6);
    EXPECT_EQ(conjugate_gradient_bound(1.0, 1e-6), 1.0);
}

TEST(optimise, a_perfect_preconditioner_needs_one_step) {
    Context context;
    const LinearOperator a = [](std::span<const double> v, std::span<double> out) {
        out[0] = 3.0 * v[0] + v[1];
        out[1] = v[0] + 3.0 * v[1];
    };
    const LinearOperator inverse = [](std::span<const double> v, std::span<double> out) {
        out[0] = (3.0 * v[0] - v[1]) / 8.0;
        out[1] = (3.0 * v[1] - v[0]) / 8.0;
    };
    const LinearSystemResult result =
        conjugate_gradient(a, std::vector<double>{1.0, 0.0}, std::vector<double>{0.0, 0.0},
                           {.tolerance = 1e-13, .precondition = inverse}, context);
    EXPECT_EQ(result.iterations, 1);
}

TEST(optimise, blocks_never_raise_the_value_and_one_block_is_exact) {
    Context context;
    const Quadratic problem(12, 4);
    for (const index_t block : {1, 5, 12}) {
        const OptimiserResult result = block_coordinate_descent(
            problem.matrix(), problem.q, block,
            {.gradient_tolerance = 1e-10, .max_iterations = 200000}, context);
        EXPECT_EQ(result.status, SolveStatus::converged);
        expect_near(result.x, problem.solution, 1e-6);
        for (std::size_t k = 1; k < result.trace.size(); ++k) {
            EXPECT_LE(result.trace[k].value, result.trace[k - 1].value + 1e-12);
        }
        if (block == 12) {
            EXPECT_EQ(result.iterations, 1);
        }
    }
}

TEST(optimise, nonlinear_conjugate_gradients_end_a_quadratic_in_n_steps_by_every_rule) {
    // With exact searches the three rules are one method, linear conjugate gradients.
    Context context;
    const Quadratic problem(6, 5);
    QuadraticObjective objective = problem.objective();
    for (const char* rule : {"polak-ribiere", "hestenes-stiefel", "fletcher-reeves"}) {
        OptimiserOptions options{.gradient_tolerance = 1e-7, .exact = true};
        options.rule = rule;
        const OptimiserResult result =
            nonlinear_conjugate_gradient(objective, std::vector<double>(6, 0.0), options, context);
        EXPECT_EQ(result.status, SolveStatus::converged) << rule;
        EXPECT_LE(result.iterations, 6) << rule;
        expect_near(result.x, problem.solution, 1e-4);
    }
}

}  // namespace
}  // namespace mercer
