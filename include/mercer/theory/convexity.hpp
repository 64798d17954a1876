// SPDX-License-Identifier: Apache-2.0
//
// mercer/theory/convexity.hpp - the class of a problem, and a test of convexity by chords.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "mercer/base/types.hpp"

namespace mercer {

class Random;
struct QuadraticProgram;

/// The usual classes of optimisation problems.
enum class ProblemClass {
    unconstrained,  ///< any objective over all of R^n
    linear,         ///< a linear objective over a polyhedron
    quadratic,      ///< a quadratic objective over a polyhedron
    nonlinear,      ///< everything else
};

/// "unconstrained", "linear program", "quadratic program", "nonlinear program".
[[nodiscard]] std::string_view to_string(ProblemClass kind) noexcept;

enum class ObjectiveForm { linear, quadratic, nonlinear };
enum class FeasibleSet { whole_space, polyhedron, other };

[[nodiscard]] ProblemClass classify(ObjectiveForm objective, FeasibleSet set) noexcept;

/// Depends on whether there is any constraint or bound, and on whether K is zero.
[[nodiscard]] ProblemClass classify(const QuadraticProgram& program);

/// A function of n numbers.
using RealFunction = std::function<double(std::span<const double>)>;
/// Draws a random point of the convex set on which the function is tested.
using PointSampler = std::function<std::vector<double>(Random&)>;

/// Result of chord_test(). The bend of a chord is t f(a) + (1 - t) f(b) - f(t a + (1 - t) b),
/// divided by 1 + |f(a)| + |f(b)|: >= 0 for a convex function, > 0 between distinct points if it is
/// strictly convex.
struct ChordReport {
    index_t chords = 0;
    double least_bend = kInfinity;  ///< negative beyond rounding: the function is not convex
    std::vector<double> a, b;       ///< the chord of the least bend, and its t
    double t = kNaN;

    /// No chord is below the function by more than the tolerance.
    [[nodiscard]] bool convex(double tolerance = 1e-12) const { return least_bend >= -tolerance; }
    /// Every chord is above the function by more than the tolerance.
    [[nodiscard]] bool strictly_convex(double tolerance = 1e-12) const {
        return least_bend > tolerance;
    }
};

/// Draws `chords` pairs of points and a place t on each chord, a quarter of them t = 1/2, the
/// others uniform on [0.05, 0.95]. A test can refute convexity, and strictness, but prove neither.
/// Throws InvalidArgument when the function is not finite at a point.
[[nodiscard]] ChordReport chord_test(const RealFunction& function, const PointSampler& sampler,
                                     index_t chords, Random& random);

/// Independent normal coordinates with mean `centre` and standard deviation `deviation`.
[[nodiscard]] PointSampler normal_points(std::vector<double> centre, double deviation);

}  // namespace mercer
