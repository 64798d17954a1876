// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/descent.cpp - the line search and the stopping rules.
//
// Method   The slope along a line is bracketed and its root approached by the secant, with
//          bisection when the secant leaves the middle of the bracket; the first point that meets
//          the strong Wolfe conditions is taken (Nocedal and Wright, chapter 3).
#include "solvers/descent.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {

namespace {

constexpr int kSearchTrials = 60;
constexpr double kLongestStep = 1e12;
constexpr int kRisingToDiverge = 5;  // consecutive increases of the gradient norm
constexpr double kGrowthToDiverge = 10.0;

}  // namespace

double Objective::inner(std::span<const double> a, std::span<const double> b) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

bool Objective::hessian(std::span<const double>, MatrixView<double>) { return false; }

double QuadraticObjective::evaluate(std::span<const double> x, std::span<double> gradient) {
    double value = 0.0;
    for (index_t i = 0; i < p_.rows; ++i) {
        double product = 0.0;
        for (index_t j = 0; j < p_.columns; ++j) {
            product += p_(i, j) * x[static_cast<std::size_t>(j)];
        }
        const auto at = static_cast<std::size_t>(i);
        gradient[at] = product - q_[at];
        value += x[at] * (0.5 * product - q_[at]);
    }
    return value;
}

bool QuadraticObjective::hessian(std::span<const double>, MatrixView<double> out) {
    for (index_t i = 0; i < p_.rows; ++i) {
        std::copy_n(p_.row(i), p_.columns, out.row(i));
    }
    return true;
}

Descent::Descent(Objective& objective, std::span<const double> start,
                 const OptimiserOptions& options, Context& context)
    : objective_(objective), options_(options), context_(context), x_(start.begin(), start.end()) {
    if (static_cast<index_t>(x_.size()) != objective.size()) {
        throw InvalidArgument(
            fmt::format("start: got {} numbers, must be {}", x_.size(), objective.size()));
    }
    gradient_.resize(x_.size());
    value_ = objective_.evaluate(x_, gradient_);
    result_.evaluations = 1;
    first_value_ = value_;
    first_norm_ = std::sqrt(std::max(0.0, inner(gradient_, gradient_)));
}

bool Descent::ended() {
    const double norm = std::sqrt(std::max(0.0, inner(gradient_, gradient_)));
    const OptimiserPoint point{result_.iterations, value_, norm, last_step_};
    result_.trace.push_back(point);
    result_.gradient_norm = norm;
    if (options_.watch && !options_.watch(x_, point)) {
        result_.status = SolveStatus::converged;
        return true;
    }
    if (norm <= options_.gradient_tolerance * std::max(1.0, first_norm_)) {
        result_.status = SolveStatus::converged;
        return true;
    }
    if (context_.should_stop()) {
        result_.status = SolveStatus::interrupted;
        return true;
    }
    if (result_.iterations >= options_.max_iterations) {
        result_.status = SolveStatus::iteration_limit;
        return true;
    }
    rising_ =
        norm > result_.trace[result_.trace.size() > 1 ? result_.trace.size() - 2 : 0].gradient_norm
            ? rising_ + 1
            : 0;
    least_norm_ = std::min(least_norm_, norm);
    ++result_.iterations;
    return false;
}

bool Descent::running_away() {
    const double norm = result_.gradient_norm;
    const bool not_finite = !std::isfinite(value_) || !std::isfinite(norm);
    const bool grows = rising_ >= kRisingToDiverge && value_ > first_value_ &&
                       norm > kGrowthToDiverge * least_norm_;
    if (not_finite || grows) {
        result_.diverged = true;
        result_.status = SolveStatus::reduced;
        return true;
    }
    return false;
}

Descent::Trial Descent::try_step(std::span<const double> direction, double step) {
    Trial out;
    out.step = step;
    out.x.resize(x_.size());
    out.gradient.resize(x_.size());
    for (std::size_t i = 0; i < x_.size(); ++i) {
        out.x[i] = x_[i] + step * direction[i];
    }
    out.value = objective_.evaluate(out.x, out.gradient);
    out.slope = inner(out.gradient, direction);
    ++result_.evaluations;
    return out;
}

void Descent::accept(Trial trial) {
    x_ = std::move(trial.x);
    gradient_ = std::move(trial.gradient);
    value_ = trial.value;
    last_step_ = trial.step;
}

bool Descent::move(std::span<const double> direction, double step) {
    accept(try_step(direction, step));
    return std::isfinite(value_);
}

/// Armijo's condition. If values are equal in double precision, the slopes decide.
bool Descent::low_enough(const Trial& trial, double slope) const {
    const double equal = 1e-14 * std::max(1.0, std::abs(value_));
    return trial.finite() && trial.value <= value_ + kArmijo * trial.step * slope + equal;
}

void Descent::Bracket::tighten(Trial trial, bool descending) {
    if (descending) {
        low = std::move(trial);
    } else {
        high_step = trial.step;
        high_slope = trial.finite() ? trial.slope : kNaN;
    }
}

std::optional<double> Descent::Bracket::next(double step) const {
    if (std::isnan(high_step)) {
        return step >= kLongestStep ? std::nullopt : std::optional<double>(step * 4.0);
    }
    const double width = high_step - low.step;
    double out = low.step - low.slope * width / (high_slope - low.slope);  // secant
    if (!(high_slope > 0.0) || !(out > low.step + 0.001 * width) ||
        !(out < high_step - 0.001 * width)) {
        out = low.step + 0.5 * width;
    }
    const bool exhausted = out == low.step || out == high_step || out == step;
    return exhausted ? std::nullopt : std::optional<double>(out);
}

bool Descent::search(std::span<const double> direction, double first, double sharpness) {
    const double slope = inner(gradient_, direction);
    if (!(slope < 0.0)) {
        return false;
    }
    Bracket bracket;
    bracket.low.value = value_;
    bracket.low.slope = slope;
    std::optional<double> step = first;
    for (int k = 0; k < kSearchTrials && step; ++k) {
        Trial trial = try_step(direction, *step);
        const bool low = low_enough(trial, slope);
        if (low && std::abs(trial.slope) <= sharpness * -slope) {
            accept(std::move(trial));
            return true;
        }
        const bool descending = low && trial.slope < 0.0;
        bracket.tighten(std::move(trial), descending);
        step = bracket.next(*step);
    }
    if (bracket.low.step > 0.0) {  // lower, but not as sharp as requested
        accept(std::move(bracket.low));
        return true;
    }
    return false;
}

void Descent::stall(const char* remedy) {
    result_.status = SolveStatus::reduced;
    result_.remedy = remedy;
}

OptimiserResult Descent::release() && {
    result_.x = std::move(x_);
    result_.value = value_;
    return std::move(result_);
}

}  // namespace mercer
