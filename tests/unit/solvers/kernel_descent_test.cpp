// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/solvers/kernel_descent_test.cpp - kernel gradient descent by hand.
#include "mercer/solvers/kernel_descent.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/runtime/context.hpp"
#include "support/facts.hpp"

namespace mercer {
namespace {

/// K = [[2,1],[1,2]], eigenvalues 1 and 3.
void two(std::span<const double> v, std::span<double> out) {
    out[0] = 2.0 * v[0] + v[1];
    out[1] = v[0] + 2.0 * v[1];
}

const std::vector<double> kTargets{1.0, 0.0};

TEST(kernel_descent, the_first_steps_are_those_made_by_hand) {
    Context context;
    std::vector<double> steps;
    index_t seen = 0;
    const KernelDescentResult result =
        kernel_gradient_descent(two, kTargets,
                                {.step = 0.5,
                                 .watch =
                                     [&](std::span<const double> beta, index_t iteration) {
                                         EXPECT_EQ(iteration, seen);
                                         steps.insert(steps.end(), beta.begin(), beta.end());
                                         return ++seen < 4;
                                     }},
                                context);
    EXPECT_EQ(result.stopped_by, "watch");
    expect_fact("GD1", "beta0, beta1, beta2, beta3 on KRR2, step 0.5", steps);
}

TEST(kernel_descent, it_converges_to_the_solution_and_with_decay_to_the_ridge) {
    Context context;
    const KernelDescentResult plain =
        kernel_gradient_descent(two, kTargets, {.step = 0.5, .tolerance = 1e-13}, context);
    EXPECT_EQ(plain.status, SolveStatus::converged);
    expect_fact("GD1", "limit", plain.beta);
    const KernelDescentResult ridge =
        kernel_gradient_descent(two, kTargets, {.decay = 1.0, .tolerance = 1e-13}, context);
    expect_fact("GD1", "limit with decay 1, the ridge", ridge.beta);
}

TEST(kernel_descent, a_step_beyond_two_over_lambda_max_is_found_out_with_a_remedy) {
    Context context;
    const KernelDescentResult bad = kernel_gradient_descent(
        two, kTargets, {.step = 0.6767, .max_iterations = 100'000}, context);
    expect_fact("GD1", "step 0.6767 diverges", bad.diverged);
    EXPECT_LT(bad.iterations, 2000);
    expect_fact("GD1", "longest step, 2 / lambda_max", bad.longest_step);
    EXPECT_NE(bad.remedy.find("0.666667"), std::string::npos) << bad.remedy;
    const KernelDescentResult good =
        kernel_gradient_descent(two, kTargets, {.step = 0.66, .max_iterations = 100'000}, context);
    EXPECT_FALSE(good.diverged);
    expect_fact("GD1", "step 0.66 converges", good.status == SolveStatus::converged);
}

TEST(kernel_descent, early_iterates_are_the_filter_of_the_eigenvectors) {
    // Eigenvectors (1,1)/sqrt2 (3) and (1,-1)/sqrt2 (1); y = (1,0) has 1/sqrt2 along both.
    Context context;
    const double step = 0.2;
    const KernelDescentResult result = kernel_gradient_descent(
        two, kTargets, {.step = step, .max_iterations = 7, .tolerance = 1e-16}, context);
    EXPECT_EQ(result.status, SolveStatus::iteration_limit);
    const double a = descent_filter(3.0, step, 7) / 3.0;
    const double b = descent_filter(1.0, step, 7) / 1.0;
    EXPECT_NEAR(result.beta[0], 0.5 * (a + b), 1e-14);
    EXPECT_NEAR(result.beta[1], 0.5 * (a - b), 1e-14);
}

TEST(kernel_descent, its_filter_is_one_to_two_times_the_ridge_of_one_over_step_times_steps) {
    double least = 2.0;
    double most = 1.0;
    for (const double steps : {1.0, 2.0, 10.0, 1000.0}) {
        for (double eigenvalue = 1e-4; eigenvalue <= 1.0; eigenvalue *= 1.5) {
            const double step = 1.0;  // step * eigenvalue <= 1
            const double ratio = descent_filter(eigenvalue, step, steps) /
                                 ridge_filter(eigenvalue, 1.0 / (step * steps));
            least = std::min(least, ratio);
            most = std::max(most, ratio);
        }
    }
    expect_fact("GD1", "filter over that of the ridge 1 / (step t): least", least);
    expect_fact("GD1", "filter over that of the ridge 1 / (step t): greatest", most);
    EXPECT_NEAR(descent_filter(1.0, 1.0, 1.0) / ridge_filter(1.0, 1.0), 2.0, 1e-15);
    // In the continuous limit the greatest ratio is 1.2985, at step t eigenvalue = 1.793.
    const double t = 1e6;
    expect_fact("GD1", "the same at step t eigenvalue = 1.793, t = 1e6",
                descent_filter(1.793 / t, 1.0, t) / ridge_filter(1.793 / t, 1.0 / t));
    EXPECT_NEAR(descent_filter(1.0 / t, 1.0, t), 0.632, 5e-4);
}

TEST(kernel_descent, the_null_space_grows_while_the_fit_converges) {
    // K = [[1,1],[1,1]], y = (1,0): K beta -> (1/2,1/2), beta grows along (1,-1).
    Context context;
    const LinearOperator ones = [](std::span<const double> v, std::span<double> out) {
        out[0] = out[1] = v[0] + v[1];
    };
    const KernelDescentResult result =
        kernel_gradient_descent(ones, kTargets, {.step = 0.4, .max_iterations = 1000}, context);
    EXPECT_FALSE(result.diverged);
    expect_fact("GD1", "DUP, y = (1, 0): f while beta grows", result.beta[0] + result.beta[1]);
    EXPECT_GT(result.beta[0], 100.0);
}

TEST(kernel_descent, it_stops_by_discrepancy_and_by_degrees_of_freedom) {
    Context context;
    const KernelDescentResult noisy =
        kernel_gradient_descent(two, kTargets, {.step = 0.2, .noise = 0.3}, context);
    EXPECT_EQ(noisy.stopped_by, "discrepancy");
    EXPECT_LE(noisy.residuals.back(), 1.02 * 0.3 * std::sqrt(2.0));
    EXPECT_GT(noisy.residuals[noisy.residuals.size() - 2], 1.02 * 0.3 * std::sqrt(2.0));
    const std::vector<double> eigenvalues{1.0, 3.0};
    const KernelDescentResult few = kernel_gradient_descent(
        two, kTargets, {.step = 0.2, .degrees = 1.5, .eigenvalues = eigenvalues}, context);
    EXPECT_EQ(few.stopped_by, "degrees");
    EXPECT_GE(descent_degrees(eigenvalues, 0.2, static_cast<double>(few.iterations)), 1.5);
    EXPECT_LT(descent_degrees(eigenvalues, 0.2, static_cast<double>(few.iterations - 1)), 1.5);
    EXPECT_THROW((void)kernel_gradient_descent(two, kTargets, {.degrees = 1.5}, context),
                 InvalidArgument);
    EXPECT_THROW((void)kernel_gradient_descent(two, kTargets, {.step = -1.0}, context),
                 InvalidArgument);
}

}  // namespace
}  // namespace mercer
