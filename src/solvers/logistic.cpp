// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/logistic.cpp - logistic regression in the columns, and maximum likelihood.
//
// Method   Newton's method in (w, b), d x d. Without a penalty the likelihood of separable classes
//          has no maximum: a point with y_i z_i > 0 for all rows proves it, because the likelihood
//          of its multiples increases without limit.
// Fits     few columns. For many columns and few rows use the kernel Newton method.
// Cost     n d^2 + d^3/3 per step.
#include "mercer/losses/logistic.hpp"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/base/index.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/linear.hpp"

namespace mercer {

namespace {

// Near a maximum Newton's steps shrink quadratically; without one, each step adds about 1 to the
// greatest z while the gradient vanishes.
constexpr double kStillMoving = 0.1;

}  // namespace

std::vector<double> LogisticObjective::values(std::span<const double> x) const {
    std::vector<double> z(at(rows_.rows), intercept_ ? x[at(rows_.columns)] : 0.0);
    for (index_t i = 0; i < rows_.rows; ++i) {
        for (index_t j = 0; j < rows_.columns; ++j) {
            z[at(i)] += rows_(i, j) * x[at(j)];
        }
    }
    return z;
}

double LogisticObjective::evaluate(std::span<const double> x, std::span<double> gradient) {
    const LogisticLoss loss;
    const std::vector<double> z = values(x);
    double value = 0.0;
    for (index_t j = 0; j < rows_.columns; ++j) {
        value += 0.5 * penalty_ * x[at(j)] * x[at(j)];
        gradient[at(j)] = penalty_ * x[at(j)];
    }
    double slopes = 0.0;
    for (index_t i = 0; i < rows_.rows; ++i) {
        value += costs_[at(i)] * loss.value(targets_[at(i)], z[at(i)]);
        const double slope = costs_[at(i)] * loss.derivative(targets_[at(i)], z[at(i)]);
        slopes += slope;
        for (index_t j = 0; j < rows_.columns; ++j) {
            gradient[at(j)] += slope * rows_(i, j);
        }
    }
    if (intercept_) {
        gradient[at(rows_.columns)] = slopes;
    }
    return value;
}

bool LogisticObjective::hessian(std::span<const double> x, MatrixView<double> out) {
    const LogisticLoss loss;
    const std::vector<double> z = values(x);
    const index_t d = rows_.columns;
    for (index_t a = 0; a < out.rows; ++a) {
        std::fill_n(out.row(a), out.columns, 0.0);
        out(a, a) = a < d ? penalty_ : 0.0;
    }
    for (index_t i = 0; i < rows_.rows; ++i) {
        const double c = costs_[at(i)] * loss.curvature(targets_[at(i)], z[at(i)]);
        for (index_t a = 0; a < out.rows; ++a) {
            const double left = c * (a < d ? rows_(i, a) : 1.0);
            for (index_t b = 0; b <= a; ++b) {
                out(a, b) += left * (b < d ? rows_(i, b) : 1.0);
            }
        }
    }
    for (index_t a = 0; a < out.rows; ++a) {
        for (index_t b = 0; b < a; ++b) {
            out(b, a) = out(a, b);
        }
    }
    return true;
}

LikelihoodFit maximum_likelihood(MatrixView<const double> rows, std::span<const double> targets,
                                 std::span<const double> costs, bool intercept,
                                 index_t max_iterations, Context& context) {
    const std::vector<double> ones(targets.size(), 1.0);
    const std::span<const double> counts = costs.empty() ? std::span<const double>(ones) : costs;
    double total = 0.0;
    for (const double count : counts) {
        total += count;
    }
    LogisticObjective objective(rows, targets, counts, 0.0, intercept);
    LikelihoodFit out;
    double moved = 0.0;
    std::vector<double> before;
    OptimiserOptions options;
    options.gradient_tolerance = 1e-10;
    options.max_iterations = max_iterations > 0 ? max_iterations : 200;
    options.watch = [&](std::span<const double> x, const OptimiserPoint&) {
        const std::vector<double> z = objective.values(x);
        out.separable = true;
        moved = 0.0;
        for (std::size_t i = 0; i < z.size(); ++i) {
            out.separable = out.separable && targets[i] * z[i] > 0.0;
            moved = before.empty() ? 0.0 : std::max(moved, std::abs(z[i] - before[i]));
        }
        before = z;
        return !out.separable;
    };
    const std::vector<double> zero(at(objective.size()), 0.0);
    const OptimiserResult found = newton(objective, zero, options, context);
    out.x = found.x;
    out.mean_loss = found.value / total;
    out.gradient_norm = found.gradient_norm;
    out.iterations = found.iterations;
    // Not all rows are separated, but the steps do not shrink: some rows lie on the hyperplane, and
    // |w| still grows.
    out.separable = out.separable || moved > kStillMoving;
    out.status = out.separable ? SolveStatus::reduced : found.status;
    return out;
}

}  // namespace mercer
