// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/kernel_descent.cpp - kernel gradient descent (Richardson's iteration).
//
// Method   beta += step (y - K beta - decay beta); the same as batch LMS in feature space, where
//          theta = sum_i beta_i phi(x_i).
// Fits     a quick smooth fit; use conjugate gradients for high accuracy.
// Cost     one product with K per step; the power method for the step costs 20.
// Stops    by tolerance, discrepancy (Morozov), degrees of freedom, or the caller. With a singular
//          K a part of beta may grow without limit while K beta converges, so residuals are
//          monitored, never beta.
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
constexpr double kResidualGrowthToDiverge = 10.0;  // the residual relative to its least value
constexpr int kResidualsToDiverge = 5;

double norm(std::span<const double> v) {
    double sum = 0.0;
    for (const double value : v) {
        sum += value * value;
    }
    return std::sqrt(sum);
}

void require_descent(const KernelDescentOptions& options, std::size_t rows) {
    require_in_range("decay", options.decay, Range::non_negative());
    require_in_range("tolerance", options.tolerance, Range::positive());
    require_in_range("noise", options.noise, Range::non_negative());
    if (!std::isnan(options.step)) {
        require_in_range("step", options.step, Range::positive());
    }
    if (options.degrees > 0.0 && options.eigenvalues.size() != rows) {
        throw InvalidArgument(
            "degrees: stopping by degrees of freedom needs every eigenvalue of K");
    }
}

/// The iterate, its residual, and the stopping rules.
class Richardson {
public:
    Richardson(const LinearOperator& k, std::span<const double> targets,
               const KernelDescentOptions& options, Context& context)
        : k_(k),
          targets_(targets),
          options_(options),
          context_(context),
          product_(targets.size(), 0.0),
          r_(targets.begin(), targets.end()),
          size_(std::max(norm(targets), 1e-300)) {
        const auto n = static_cast<index_t>(targets.size());
        const double most = greatest_eigenvalue(k, n, context) / 1.05 + options.decay;
        out_.longest_step = most > 0.0 ? 2.0 / most : kInfinity;
        out_.step = std::isnan(options.step) ? 1.0 / std::max(1.05 * most, 1e-300) : options.step;
        out_.beta.assign(targets.size(), 0.0);
    }

    [[nodiscard]] KernelDescentResult run() && {
        for (;; ++out_.iterations) {
            measure();
            if (diverged() || fitted() || called_off()) {
                return std::move(out_);
            }
            step();
        }
    }

private:
    /// Computes the residual at the current point.
    void measure() {
        misfit_ = 0.0;
        for (std::size_t i = 0; i < r_.size(); ++i) {
            const double miss = targets_[i] - product_[i];
            misfit_ += miss * miss;
            r_[i] = miss - options_.decay * out_.beta[i];
        }
        residual_ = norm(r_) / size_;
        rising_ = !out_.residuals.empty() && residual_ > out_.residuals.back() ? rising_ + 1 : 0;
        out_.residuals.push_back(residual_);
        least_ = std::min(least_, residual_);
    }

    [[nodiscard]] bool diverged() {
        const bool grows =
            rising_ >= kResidualsToDiverge && residual_ > kResidualGrowthToDiverge * least_;
        if (std::isfinite(residual_) && !grows) {
            return false;
        }
        out_.diverged = true;
        out_.remedy = fmt::format(
            "the step {} is not below 2 / (greatest eigenvalue + decay) = {:.6g}; take {:.6g}, "
            "or leave the step out",
            out_.step, out_.longest_step, 0.5 * out_.longest_step);
        return stop(SolveStatus::reduced, "divergence");
    }

    /// True when the fit is as close as requested.
    [[nodiscard]] bool fitted() {
        if (residual_ <= options_.tolerance) {
            return stop(SolveStatus::converged, "tolerance");
        }
        const auto n = static_cast<double>(targets_.size());
        if (options_.noise > 0.0 &&
            std::sqrt(misfit_) <= kDiscrepancy * options_.noise * std::sqrt(n)) {
            return stop(SolveStatus::converged, "discrepancy");
        }
        const auto t = static_cast<double>(out_.iterations);
        if (options_.degrees > 0.0 &&
            descent_degrees(options_.eigenvalues, out_.step, t) >= options_.degrees) {
            return stop(SolveStatus::converged, "degrees");
        }
        return false;
    }

    /// True when the caller stops the iteration.
    [[nodiscard]] bool called_off() {
        if (options_.watch && !options_.watch(out_.beta, out_.iterations)) {
            return stop(SolveStatus::converged, "watch");
        }
        if (context_.should_stop()) {
            return stop(SolveStatus::interrupted, "interruption");
        }
        if (out_.iterations == options_.max_iterations) {
            return stop(SolveStatus::iteration_limit, "limit");
        }
        return false;
    }

    bool stop(SolveStatus status, const char* why) {
        out_.status = status;
        out_.stopped_by = why;
        return true;
    }

    void step() {
        for (std::size_t i = 0; i < r_.size(); ++i) {
            out_.beta[i] += out_.step * r_[i];
        }
        k_(out_.beta, product_);
        context_.report({.stage = "gradient-descent",
                         .done = out_.iterations + 1,
                         .total = options_.max_iterations,
                         .gap = residual_});
    }

    const LinearOperator& k_;
    std::span<const double> targets_;
    const KernelDescentOptions& options_;
    Context& context_;
    KernelDescentResult out_;
    std::vector<double> product_;  ///< K beta
    std::vector<double> r_;        ///< y - K beta - decay beta
    double size_;                  ///< |y|
    double misfit_ = 0.0;          ///< |y - K beta|^2, without the decay
    double residual_ = kNaN;       ///< |r| / |y|
    double least_ = kInfinity;     ///< least residual so far
    int rising_ = 0;               ///< consecutive increases of the residual
};

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
    require_descent(options, targets.size());
    return Richardson(k, targets, options, context).run();
}

}  // namespace mercer
