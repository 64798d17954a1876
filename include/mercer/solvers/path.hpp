// SPDX-License-Identifier: Apache-2.0
//
// mercer/solvers/path.hpp - the optimum of a problem for every value of one of its hyperparameters.
//
// What is stored are the events (solution_path.hpp): with them the optimum at any value is one
// linear system, as exact at the path's end as at its start.
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

/// What moves.
enum class PathParameter : std::uint8_t {
    cost,   ///< t times the problem's costs, of all rows or of some
    width,  ///< epsilon of the tube
    mass,   ///< t times the sum of the costs is the mass: t is nu
};

/// A problem with one number that moves.
struct PathProblem {
    Problem problem;  ///< the moving number in it is not looked at, but a mass has to be there
    PathParameter parameter = PathParameter::cost;
    std::vector<bool> moving;  ///< of cost: the rows whose cost moves; empty: all
};

/// The problem at one value. Throws InvalidArgument where it has no such problem.
[[nodiscard]] Problem problem_at(const PathProblem& path_problem, double t);

/// A stretch between two knots; coefficients are linear on it.
struct PathStretch {
    double from = 0.0;
    double to = 0.0;
    std::span<const double> start;  ///< coefficients at `from`
    std::span<const double> end;    ///< and at `to`
    double start_intercept = 0.0;
    double end_intercept = 0.0;
};

/// Follows the optimum from `from` to `to`, either way. `beta` in the dual set at `from` is where
/// it starts, empty: it is solved there. `watch`, when given, is called for every stretch of
/// positive length. Stops when the context asks to; the path until there is good.
[[nodiscard]] SolutionPath trace_path(const PathProblem& problem, std::span<const double> beta,
                                      double from, double to, Context& context,
                                      const std::function<void(const PathStretch&)>& watch = {});

/// The coefficients at t. Throws InvalidArgument when the path does not reach it.
[[nodiscard]] std::vector<double> coefficients_at(const PathProblem& problem,
                                                  const SolutionPath& path, double t,
                                                  Context& context);

}  // namespace mercer
