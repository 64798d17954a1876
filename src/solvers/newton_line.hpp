// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/newton_line.hpp - losses of all rows at a point and along a step, for Newton methods.
#pragma once

#include <span>
#include <vector>

#include "mercer/problems/problem.hpp"
#include "solvers/slope_search.hpp"

namespace mercer {

class Context;
struct NewtonStep;

/// Throws InvalidArgument when the loss has no curvature for Newton's method.
void require_curvature(const Loss& loss);

/// Loss, slope and curvature of every row, times its cost.
struct Terms {
    double value = 0.0;
    std::vector<double> slope;
    std::vector<double> curvature;
};

[[nodiscard]] Terms terms_at(const Problem& problem, std::span<const double> f, double b);

/// True when all rows have the same curvature in both and, without curvature, the same slope. A
/// tube has a curved piece on each side, distinguished by the sign of the slope.
[[nodiscard]] bool same_zones(const Loss& loss, const Terms& a, const Terms& b);

/// The objective along z + length * dz, whose slope is monotone; the penalty's part of the slope is
/// linear + length * quadratic.
class NewtonLine {
public:
    NewtonLine(const Problem& problem, std::vector<double> z, std::vector<double> dz, double linear,
               double quadratic)
        : problem_(problem),
          z_(std::move(z)),
          dz_(std::move(dz)),
          linear_(linear),
          quadratic_(quadratic) {}

    [[nodiscard]] Slope slope(double length) const;
    [[nodiscard]] std::span<const double> step() const { return dz_; }

    /// The step length from a negative slope: exactly 1 if that is the minimum up to rounding. A
    /// piecewise quadratic loss has a piecewise linear slope, which is followed from kink to kink
    /// in O(n log n); other losses by Newton's method in a bracket.
    [[nodiscard]] double search(const Slope& start) const;

    /// Sets the decrement and the length of a Newton step along this line. False, with length 0,
    /// when the value does not decrease in double precision.
    [[nodiscard]] bool search(NewtonStep& step) const;

private:
    [[nodiscard]] double walk(const Slope& start) const;

    const Problem& problem_;
    std::vector<double> z_;
    std::vector<double> dz_;
    double linear_;
    double quadratic_;
};

/// The decrement of a step relative to the value after it.
[[nodiscard]] double relative_decrement(const NewtonStep& step, double value);

/// Reports a step to the observer.
void report_newton_step(const NewtonStep& step, double value, Context& context);

}  // namespace mercer
