// SPDX-License-Identifier: Apache-2.0
//
// mercer/solvers/path.hpp - the optimum of a problem for every value of one of its hyperparameters.
//
// Only the events are stored (solution_path.hpp): with them the optimum at any value is one linear
// system, as accurate at the path's end as at its start.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/problems/problem.hpp"
#include "mercer/solvers/solution_path.hpp"

namespace mercer {

class Context;

/// The hyperparameter that changes along the path.
enum class PathParameter : std::uint8_t {
    cost,   ///< the costs are t times the problem's, for all rows or for some
    width,  ///< t is the tube width epsilon
    mass,   ///< the mass is t times the sum of the costs: t is nu
};

/// A problem with one varying hyperparameter.
struct PathProblem {
    Problem problem;  ///< the value of the varying number is ignored, but a mass must be set
    PathParameter parameter = PathParameter::cost;
    std::vector<bool> moving;  ///< for cost: the rows whose cost varies; empty: all
};

/// The problem at one value. Throws InvalidArgument if there is no problem for that value.
[[nodiscard]] Problem problem_at(const PathProblem& path_problem, double t);

/// A segment between two knots; coefficients are linear on it.
struct PathStretch {
    double from = 0.0;
    double to = 0.0;
    std::span<const double> start;  ///< coefficients at `from`
    std::span<const double> end;    ///< and at `to`
    double start_intercept = 0.0;
    double end_intercept = 0.0;
};

/// Follows the optimum from `from` to `to`, upwards or downwards. It starts from `beta`, in the
/// dual set at `from`; if `beta` is empty, the problem is solved there first. `watch`, if given, is
/// called for every segment of positive length. Stops when the context requests it; the path up to
/// that point is valid.
[[nodiscard]] SolutionPath trace_path(const PathProblem& problem, std::span<const double> beta,
                                      double from, double to, Context& context,
                                      const std::function<void(const PathStretch&)>& watch = {});

/// The coefficients at t. Throws InvalidArgument when the path does not reach it.
[[nodiscard]] std::vector<double> coefficients_at(const PathProblem& problem,
                                                  const SolutionPath& path, double t,
                                                  Context& context);

}  // namespace mercer
