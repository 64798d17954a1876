// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/newton_line.cpp - sums over rows, and the exact search along a step.
#include "solvers/newton_line.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/compensated_sum.hpp"
#include "mercer/base/error.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/kernel_newton.hpp"

namespace mercer {

namespace {

constexpr double kDescends = 1e-15;  // relative to the terms of a slope: less is rounding

/// A point of the line at which the second derivative changes.
struct Kink {
    double length;
    double jump;
};

}  // namespace

void require_curvature(const Loss& loss) {
    if (!newton_fits(loss)) {
        throw InvalidArgument(
            fmt::format("loss: '{}' has no curvature, Newton's method needs one", name_of(loss)));
    }
}

Terms terms_at(const Problem& problem, std::span<const double> f, double b) {
    Terms out;
    out.slope.resize(f.size());
    out.curvature.resize(f.size());
    std::visit(
        [&](const auto& loss) {
            for (std::size_t i = 0; i < f.size(); ++i) {
                const double y = problem.targets[i];
                const double z = f[i] + b;
                out.value += problem.costs[i] * loss.value(y, z);
                out.slope[i] = problem.costs[i] * loss.derivative(y, z);
                out.curvature[i] = problem.costs[i] * loss.curvature(y, z);
            }
        },
        problem.loss);
    return out;
}

bool same_zones(const Loss& loss, const Terms& a, const Terms& b) {
    const bool tube = width_kind(loss) == Width::tube;
    for (std::size_t i = 0; i < a.curvature.size(); ++i) {
        if (a.curvature[i] != b.curvature[i] ||
            (a.curvature[i] == 0.0 && a.slope[i] != b.slope[i]) ||
            (tube && a.slope[i] * b.slope[i] < 0.0)) {
            return false;
        }
    }
    return true;
}

Slope NewtonLine::slope(double length) const {
    Slope out;
    out.value = linear_ + length * quadratic_;
    out.rise = quadratic_;
    out.scale = std::abs(linear_) + length * quadratic_;
    std::visit(
        [&](const auto& loss) {
            for (std::size_t i = 0; i < dz_.size(); ++i) {
                const double z = z_[i] + length * dz_[i];
                const double c = problem_.costs[i];
                const double term = c * loss.derivative(problem_.targets[i], z) * dz_[i];
                out.value += term;
                out.scale += std::abs(term);
                out.rise += c * loss.curvature(problem_.targets[i], z) * dz_[i] * dz_[i];
            }
        },
        problem_.loss);
    return out;
}

double NewtonLine::walk(const Slope& start) const {
    std::vector<Kink> kinks;
    std::visit(
        [&](const auto& loss) {
            for (std::size_t i = 0; i < dz_.size(); ++i) {
                for (const Jump& bend : loss.bends(problem_.targets[i])) {
                    const double length = (bend.position - z_[i]) / dz_[i];
                    // A row exactly at its kink has the curvature of the side it moves to.
                    const double side = dz_[i] > 0.0 ? bend.size : -bend.size;
                    const double jump = problem_.costs[i] * side * dz_[i] * dz_[i];
                    const bool ahead =
                        length > 0.0 ||
                        (length == 0.0 &&
                         (loss.curvature(problem_.targets[i], z_[i]) > 0.0) != (side > 0.0));
                    if (ahead && std::isfinite(length) && jump != 0.0) {
                        kinks.push_back({length, jump});
                    }
                }
            }
        },
        problem_.loss);
    std::sort(kinks.begin(), kinks.end(),
              [](const Kink& a, const Kink& b) { return a.length < b.length; });
    CompensatedSum slope;
    CompensatedSum rise;
    slope.add(start.value);
    rise.add(start.rise);
    double here = 0.0;
    for (const Kink& kink : kinks) {
        const double step = (kink.length - here) * rise.value();
        if (slope.value() + step >= 0.0) {
            break;
        }
        slope.add(step);
        rise.add(kink.jump);
        here = kink.length;
    }
    return rise.value() > 0.0 ? here - slope.value() / rise.value() : here;
}

bool NewtonLine::search(NewtonStep& step) const {
    const Slope start = slope(0.0);
    const bool descends = start.value < -kDescends * start.scale;
    step.decrement = -start.value;
    step.length = descends ? search(start) : 0.0;
    return descends;
}

double relative_decrement(const NewtonStep& step, double value) {
    return step.decrement / std::max(1.0, std::abs(value));
}

void report_newton_step(const NewtonStep& step, double value, Context& context) {
    context.report({.stage = "newton",
                    .done = step.iteration + 1,
                    .total = 0,
                    .gap = relative_decrement(step, value)});
}

double NewtonLine::search(const Slope& start) const {
    if (!is_piecewise_quadratic(problem_.loss)) {
        return root_of_slope(start, [this](double length) { return slope(length); });
    }
    if (std::abs(slope(1.0).value) <= kFullStep * std::abs(start.value)) {
        return 1.0;
    }
    return walk(start);
}

}  // namespace mercer
