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

/// The greatest difference of two points' entries.
double apart(const std::vector<double>& a, const std::vector<double>& b) {
    double most = a.size() == b.size() ? 0.0 : kInfinity;
    for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
        most = std::max(most, std::abs(a[i] - b[i]));
    }
    return most;
}

/// The greatest increase of the value from one iterate to the next.
double greatest_rise(const OptimiserResult& result) {
    double most = 0.0;
    for (std::size_t k = 1; k < result.trace.size(); ++k) {
        most = std::max(most, result.trace[k].value - result.trace[k - 1].value);
    }
    return most;
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
        expect_fact("A02", "a quadratic of 6 variables: steps", result.iterations);
        expect_fact("A02", "a quadratic of 6 variables: Cholesky factorisations",
                    result.factorisations);
        expect_fact("A02", "a quadratic of 6 variables: distance from its solution",
                    apart(result.x, problem.solution));
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
    expect_fact("A02", "2 log cosh(x/2) from 2, full steps: the first three",
                std::vector<double>(seen.begin() + 1, seen.begin() + 4));
    expect_fact("A02", "2 log cosh(x/2) from 2, full steps: the fourth", seen[4]);
}

TEST(optimise, full_newton_steps_diverge_beyond_the_threshold_and_say_so) {
    Context context;
    LogCosh objective;
    for (const double start : {2.2, 3.0}) {
        const std::vector<double> x{start};
        const OptimiserResult full = newton(objective, x, {.damped = false}, context);
        expect_fact("A02", "2 log cosh(x/2) from 2.2 and 3, full steps: it diverges and says so",
                    full.diverged);
        EXPECT_NE(full.status, SolveStatus::converged);
        EXPECT_NE(full.remedy.find("damped"), std::string::npos) << full.remedy;
        const OptimiserResult damped = newton(objective, x, {}, context);
        EXPECT_EQ(damped.status, SolveStatus::converged);
        expect_fact("A02", "2 log cosh(x/2) from 2.2 and 3, damped: |x| at the end",
                    std::abs(damped.x[0]));
    }
    // The threshold is where x - sinh(x) = -x. Close to it the steps diverge slowly.
    const OptimiserOptions full{.gradient_tolerance = 1e-9, .max_iterations = 200, .damped = false};
    double below = 2.0;
    double above = 2.2;
    while (above - below > 1e-5) {
        const double middle = 0.5 * (below + above);
        const OptimiserResult result = newton(objective, std::vector{middle}, full, context);
        EXPECT_EQ(result.diverged, result.status != SolveStatus::converged) << middle;
        (result.diverged ? above : below) = middle;
    }
    expect_fact("A02", "2 log cosh(x/2), full steps: the start from which on they diverge", above);
}

TEST(optimise, exact_gradient_descent_has_the_worst_case_rate_of_its_condition) {
    // P = diag(1, 3) from (3, 1): every exact step multiplies the error, in the norm of P, by
    // (3 - 1) / (3 + 1); for no start the factor is larger.
    Context context;
    const std::vector<double> p{1.0, 0.0, 0.0, 3.0};
    const std::vector<double> q{0.0, 0.0};
    QuadraticObjective objective(MatrixView<const double>(p.data(), 2, 2), q);
    const auto ratios = [&](const std::vector<double>& start) {
        const OptimiserResult result = gradient_descent(
            objective, start, {.gradient_tolerance = 1e-5, .max_iterations = 12, .exact = true},
            context);
        std::vector<double> out;
        for (std::size_t k = 1; k < result.trace.size(); ++k) {
            out.push_back(std::sqrt(result.trace[k].value / result.trace[k - 1].value));
        }
        return out;
    };
    const std::vector<double> worst = ratios({3.0, 1.0});
    EXPECT_GE(worst.size(), 10U);
    for (const double ratio : worst) {
        expect_fact("A01", "diag(1, 3) from (3, 1), exact steps: error after over before", ratio);
    }
    Random random(41);
    for (int round = 0; round < 100; ++round) {
        for (const double ratio : ratios({random.normal(), random.normal()})) {
            expect_fact("A01", "diag(1, 3) from 100 random starts: error after over before", ratio);
        }
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
    expect_fact("A01", "[[2,1],[1,2]], q = (1,0), step 0.65 < 2/3: x", good.x);
    const OptimiserResult bad =
        gradient_descent(objective, zero, {.max_iterations = 100000, .step = 0.6767}, context);
    expect_fact("D01", "greatest curvature 3: step 0.6767 diverges", bad.diverged);
    expect_fact("A01", "[[2,1],[1,2]], q = (1,0), step 0.6767 > 2/3: it diverges and says so",
                bad.diverged);
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
    expect_fact("A03", "BFGS, exact searches, a quadratic of 5 variables: steps",
                result.iterations);
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
    expect_fact("A03", "BFGS, n = 30: bytes, 8 n^2", full.memory_bytes);
    expect_fact("A03", "L-BFGS, n = 30, m = 5: bytes, 8 * 2 n m", few.memory_bytes);
    for (const OptimiserResult& result : {full, few}) {
        expect_fact("A03", "BFGS and L-BFGS, n = 30: distance from the solution",
                    apart(result.x, problem.solution));
    }
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
    for (const char* rule : {"polak-ribiere", "hestenes-stiefel", "fletcher-reeves"}) {
        OptimiserOptions with = options;
        with.rule = rule;
        results.push_back(nonlinear_conjugate_gradient(objective, start, with, context));
    }
    for (const OptimiserResult& result : results) {
        EXPECT_EQ(result.status, SolveStatus::converged);
        expect_fact("A03", "Rosenbrock's valley: x of Newton, BFGS, L-BFGS and conjugate gradients",
                    result.x);
        EXPECT_LE(greatest_rise(result), 1e-12);
    }
    // Steepest descent zigzags: it gets as close as it can in a million steps.
    OptimiserOptions slow = options;
    slow.gradient_tolerance = 1e-7;
    slow.max_iterations = 1'000'000;
    const OptimiserResult steepest = gradient_descent(objective, start, slow, context);
    EXPECT_EQ(steepest.status, SolveStatus::converged);
    expect_fact("A01", "Rosenbrock's valley: x", steepest.x);
    expect_fact("A01", "Rosenbrock's valley: greatest rise of a step", greatest_rise(steepest));
}

TEST(optimise, conjugate_directions_are_those_made_by_hand) {
    // P = [[2,1],[1,2]], q = (1,0): d0 = (1,0), d1 = (-1/2,1), x = (2/3,-1/3).
    std::vector<double> directions(4);
    const std::vector<double> x =
        conjugate_directions(MatrixView<const double>(kTwo.data(), 2, 2), std::vector<double>{1, 0},
                             MatrixView<double>(directions.data(), 2, 2));
    expect_fact("A04", "[[2,1],[1,2]], q = (1,0): d0, d1", directions);
    expect_fact("A04", "[[2,1],[1,2]], q = (1,0): x", x);
    const std::vector<double> saddle{1.0, 2.0, 2.0, 1.0};
    EXPECT_THROW((void)conjugate_directions(MatrixView<const double>(saddle.data(), 2, 2),
                                            std::vector<double>{1, 0},
                                            MatrixView<double>(directions.data(), 2, 2)),
                 InvalidArgument);
}

TEST(optimise, a_start_at_the_minimum_has_converged_even_for_the_tolerance_0) {
    Context context;
    LogCosh objective;
    const std::vector<double> minimum{0.0};
    const OptimiserOptions exact{.gradient_tolerance = 0.0};
    for (const auto method :
         {gradient_descent, newton, bfgs, lbfgs, nonlinear_conjugate_gradient}) {
        const OptimiserResult result = method(objective, minimum, exact, context);
        EXPECT_EQ(result.status, SolveStatus::converged);
        EXPECT_EQ(result.iterations, 0);
        EXPECT_EQ(result.gradient_norm, 0.0);
    }
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
    expect_fact("A05", "KRR2, (K + I) alpha = y: steps", result.iterations);
    expect_fact("A05", "KRR2, (K + I) alpha = y: alpha", result.x);
}

TEST(optimise, separable_minimisations_along_conjugate_directions_solve_random_quadratics) {
    // alpha_i = q'd_i / d_i'P d_i in each direction alone, and d_i'P d_j = 0.
    for (const std::uint64_t seed : {31, 32, 33}) {
        constexpr index_t kSize = 8;
        const Quadratic problem(kSize, seed);
        std::vector<double> d(kSize * kSize);
        const std::vector<double> x = conjugate_directions(
            problem.matrix(), problem.q, MatrixView<double>(d.data(), kSize, kSize));
        std::vector<double> sum(kSize, 0.0);
        double conjugacy = 0.0;
        for (std::size_t i = 0; i < kSize; ++i) {
            std::vector<double> pd(kSize, 0.0);
            double top = 0.0;
            for (std::size_t j = 0; j < kSize; ++j) {
                top += problem.q[j] * d[i * kSize + j];
                for (std::size_t k = 0; k < kSize; ++k) {
                    pd[j] += problem.p[j * kSize + k] * d[i * kSize + k];
                }
            }
            double bottom = 0.0;
            for (std::size_t j = 0; j < kSize; ++j) {
                bottom += pd[j] * d[i * kSize + j];
            }
            for (std::size_t other = 0; other < i; ++other) {
                double product = 0.0;
                for (std::size_t j = 0; j < kSize; ++j) {
                    product += pd[j] * d[other * kSize + j];
                }
                conjugacy = std::max(conjugacy, std::abs(product));
            }
            for (std::size_t j = 0; j < kSize; ++j) {
                sum[j] += top / bottom * d[i * kSize + j];
            }
        }
        expect_fact("A04", "8 random variables: |x - sum q'd d / d'Pd|", apart(x, sum));
        expect_fact("A04", "8 random variables: |x - the solution|", apart(x, problem.solution));
        expect_fact("A04", "8 random variables: |d_i'P d_j|", conjugacy);
    }
}

TEST(optimise, conjugate_gradients_take_at_most_as_many_steps_as_variables) {
    Context context;
    for (const index_t n : {2, 5, 12}) {
        const Quadratic problem(n, 50 + static_cast<std::uint64_t>(n));
        const LinearOperator a = [&](std::span<const double> v, std::span<double> out) {
            for (std::size_t i = 0; i < out.size(); ++i) {
                out[i] = 0.0;
                for (std::size_t j = 0; j < v.size(); ++j) {
                    out[i] += problem.p[i * v.size() + j] * v[j];
                }
            }
        };
        const std::vector<double> zero(static_cast<std::size_t>(n), 0.0);
        const LinearSystemResult result =
            conjugate_gradient(a, problem.q, zero, {.tolerance = 1e-8}, context);
        EXPECT_EQ(result.status, SolveStatus::converged);
        expect_fact("A05", "2, 5, 12 variables: steps beyond as many as variables",
                    std::max<index_t>(0, result.iterations - n));
    }
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
        expect_fact("A06", "12 variables, blocks of 1, 5, 12: distance from the solution",
                    apart(result.x, problem.solution));
        expect_fact("A06", "12 variables, blocks of 1, 5, 12: greatest rise of the value",
                    greatest_rise(result));
        if (block == 12) {
            expect_fact("A06", "12 variables in one block: steps", result.iterations);
        }
    }
}

TEST(optimise, blocks_keep_a_factor_each) {
    // 12 variables in blocks of 5, 5 and 2.
    Context context;
    const Quadratic problem(12, 4);
    const OptimiserResult result =
        block_coordinate_descent(problem.matrix(), problem.q, 5, {.max_iterations = 1}, context);
    EXPECT_EQ(result.factorisations, 3);
    EXPECT_EQ(result.memory_bytes, 8 * (5 * 5 + 5 * 5 + 2 * 2));
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
        expect_fact("A05",
                    "nonlinear (Polak-Ribiere, Hestenes-Stiefel, Fletcher-Reeves), exact searches, "
                    "a quadratic of 6 variables: steps",
                    result.iterations);
        expect_near(result.x, problem.solution, 1e-4);
    }
}

}  // namespace
}  // namespace mercer
