// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/kernel_descent.cpp - kernel gradient descent (Richardson's iteration).
//
// Method   beta += step (y - K beta - decay beta); the same as batch LMS in feature space, where
//          theta = sum_i beta_i phi(x_i).
// Fits     a quick smooth fit; many digits need conjugate gradients.
// Cost     one product with K per step; the power method for the step costs 20.
// Stops    tolerance, discrepancy (Morozov), degrees of freedom, or the caller. With a singular K a
//          part of beta may grow without end while K beta converges, so residuals are watched,
//          never beta.
#include "mercer/solvers/kernel_descent.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/base/random.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/options.hpp"

namespace mercer {

namespace {

constexpr int kPowerSteps = 20;
constexpr double kDiscrepancy = 1.02;
constexpr double kGrowthToDiverge = 10.0;  // of the residual over its least
constexpr int kRisingToDiverge = 5;

double norm(std::span<const double> v) {
    double sum = 0.0;
    for (const double value : v) {
        sum += value * value;
    }
    return std::sqrt(sum);
}

}  // namespace

double descent_filter(double eigenvalue, double step, double iterations) {
    return 1.0 - std::pow(1.0 - step * eigenvalue, iterations);
}

double ridge_filter(double eigenvalue, double alpha) { return eigenvalue / (eigenvalue + alpha); }

double descent_degrees(std::span<const double> eigenvalues, double step, double iterations) {
    double sum = 0.0;
    for (const double value : eigenvalues) {
        sum += descent_filter(value, step, iterations);
    }
    return sum;
}

double greatest_eigenvalue(const LinearOperator& k, index_t size, Context& context) {
    Random random = context.random(0x9e37);
    std::vector<double> v(static_cast<std::size_t>(size));
    for (double& value : v) {
        value = random.normal();
    }
    std::vector<double> next(v.size());
    double most = 0.0;
    for (int step = 0; step < kPowerSteps; ++step) {
        const double size_of = norm(v);
        if (size_of == 0.0) {
            return 0.0;
        }
        for (double& value : v) {
            value /= size_of;
        }
        k(v, next);
        most = norm(next);
        v.swap(next);
    }
    return 1.05 * most;
}

KernelDescentResult kernel_gradient_descent(const LinearOperator& k,
                                            std::span<const double> targets,
                                            const KernelDescentOptions& options, Context& context) {
    require_in_range("decay", options.decay, Range::non_negative());
    require_in_range("tolerance", options.tolerance, Range::positive());
    require_in_range("noise", options.noise, Range::non_negative());
    if (!std::isnan(options.step)) {
        require_in_range("step", options.step, Range::positive());
    }
    if (options.degrees > 0.0 && options.eigenvalues.size() != targets.size()) {
        throw InvalidArgument(
            "degrees: stopping by degrees of freedom needs every eigenvalue of K");
    }
    const auto n = static_cast<index_t>(targets.size());
    KernelDescentResult out;
    const double most = greatest_eigenvalue(k, n, context) / 1.05 + options.decay;
    out.longest_step = most > 0.0 ? 2.0 / most : kInfinity;
    out.step = std::isnan(options.step) ? 1.0 / std::max(1.05 * most, 1e-300) : options.step;
    out.beta.assign(targets.size(), 0.0);
    std::vector<double> product(targets.size(), 0.0);
    std::vector<double> r(targets.begin(), targets.end());
    const double size = std::max(norm(targets), 1e-300);
    const auto stop = [&out](SolveStatus status, const char* why) {
        out.status = status;
        out.stopped_by = why;
    };
    double least = kInfinity;
    int rising = 0;
    for (;; ++out.iterations) {
        double misfit = 0.0;  // |y - K beta|, without the decay
        for (std::size_t i = 0; i < r.size(); ++i) {
            const double miss = targets[i] - product[i];
            misfit += miss * miss;
            r[i] = miss - options.decay * out.beta[i];
        }
        const double residual = norm(r) / size;
        rising = !out.residuals.empty() && residual > out.residuals.back() ? rising + 1 : 0;
        out.residuals.push_back(residual);
        least = std::min(least, residual);
        const auto t = static_cast<double>(out.iterations);
        if (!std::isfinite(residual) ||
            (rising >= kRisingToDiverge && residual > kGrowthToDiverge * least)) {
            out.diverged = true;
            stop(SolveStatus::reduced, "divergence");
            out.remedy = fmt::format(
                "the step {} is not below 2 / (greatest eigenvalue + decay) = {:.6g}; take {:.6g}, "
                "or leave the step out",
                out.step, out.longest_step, 0.5 * out.longest_step);
            return out;
        }
        if (residual <= options.tolerance) {
            stop(SolveStatus::converged, "tolerance");
            return out;
        }
        if (options.noise > 0.0 &&
            std::sqrt(misfit) <= kDiscrepancy * options.noise * std::sqrt(static_cast<double>(n))) {
            stop(SolveStatus::converged, "discrepancy");
            return out;
        }
        if (options.degrees > 0.0 &&
            descent_degrees(options.eigenvalues, out.step, t) >= options.degrees) {
            stop(SolveStatus::converged, "degrees");
            return out;
        }
        if (options.watch && !options.watch(out.beta, out.iterations)) {
            stop(SolveStatus::converged, "watch");
            return out;
        }
        if (context.should_stop()) {
            stop(SolveStatus::interrupted, "interruption");
            return out;
        }
        if (out.iterations == options.max_iterations) {
            stop(SolveStatus::iteration_limit, "limit");
            return out;
        }
        for (std::size_t i = 0; i < r.size(); ++i) {
            out.beta[i] += out.step * r[i];
        }
        k(out.beta, product);
        context.report({.stage = "gradient-descent",
                        .done = out.iterations + 1,
                        .total = options.max_iterations,
                        .gap = residual});
    }
}

}  // namespace mercer
