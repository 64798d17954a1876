// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/kernel_objective.cpp - value and gradient in the RKHS.
#include "solvers/kernel_objective.hpp"

#include <algorithm>
#include <cmath>

#include "mercer/runtime/context.hpp"

namespace mercer {

namespace {

/// The mean of k(x, x): scales b so that its steps are as large as those of f.
double mean_diagonal(const Problem& problem) {
    double sum = 0.0;
    for (const double value : problem.gram->diagonal()) {
        sum += value;
    }
    return sum / static_cast<double>(std::max<index_t>(1, problem.size()));
}

}  // namespace

KernelObjective::KernelObjective(const Problem& problem, Context& context)
    : problem_(problem),
      context_(context),
      n_(problem.size()),
      gram_(problem.gram->whole(Precision::float64, context)),
      intercept_scale_(std::sqrt(std::max(1e-300, mean_diagonal(problem)))) {}

double KernelObjective::inner(std::span<const double> a, std::span<const double> b) const {
    const auto n = static_cast<std::size_t>(n_);
    double sum = a[2 * n] * b[2 * n];
    for (std::size_t i = 0; i < n; ++i) {
        sum += a[i] * b[n + i];
    }
    return sum;
}

double KernelObjective::evaluate(std::span<const double> x, std::span<double> gradient) {
    const auto n = static_cast<std::size_t>(n_);
    const double b = intercept_scale_ * x[2 * n];
    double norm = 0.0;
    double losses = 0.0;
    double slopes = 0.0;
    std::visit(
        [&](const auto& loss) {
            for (std::size_t i = 0; i < n; ++i) {
                const double c = problem_.costs[i];
                const double z = x[n + i] + b;
                norm += x[i] * x[n + i];
                losses += c * loss.value(problem_.targets[i], z);
                const double slope = c * loss.derivative(problem_.targets[i], z);
                slopes += slope;
                gradient[i] = x[i] + slope;
            }
        },
        problem_.loss);
    gram_->multiply(MatrixView<const double>(gradient.data(), n_, 1),
                    MatrixView<double>(gradient.data() + n_, n_, 1), context_);
    gradient[2 * n] = problem_.intercept ? intercept_scale_ * slopes : 0.0;
    return 0.5 * norm + losses;
}

std::vector<double> KernelObjective::dual_point(std::span<const double> x) const {
    const auto n = static_cast<std::size_t>(n_);
    std::vector<double> beta(n);
    std::visit(
        [&](const auto& loss) {
            for (std::size_t i = 0; i < n; ++i) {
                const double z = x[n + i] + intercept_scale_ * x[2 * n];
                const double c = problem_.costs[i];
                beta[i] = c > 0.0 ? -c * loss.derivative(problem_.targets[i], z) : 0.0;
            }
        },
        problem_.loss);
    return beta;
}

std::vector<double> KernelObjective::point(std::span<const double> beta) {
    const auto n = static_cast<std::size_t>(n_);
    std::vector<double> x(2 * n + 1, 0.0);
    if (!beta.empty()) {
        std::copy(beta.begin(), beta.end(), x.begin());
        gram_->multiply(MatrixView<const double>(beta.data(), n_, 1),
                        MatrixView<double>(x.data() + n_, n_, 1), context_);
        const std::span<const double> f(x.data() + n, n);
        x[2 * n] = choose_intercept(best_intercepts(problem_, f)) / intercept_scale_;
    }
    return x;
}

}  // namespace mercer
