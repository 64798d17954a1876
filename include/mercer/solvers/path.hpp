// SPDX-License-Identifier: Apache-2.0
//
// mercer/solvers/path.hpp - the optimum of a problem for every value of one of its hyperparameters.
//
// Between two events the set of free rows stays, and coefficients and intercept are linear in the
// parameter. What is stored are the events: with them the optimum at any value is one linear
// system, as exact at the path's end as at its start.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/problems/problem.hpp"
#include "mercer/solvers/status.hpp"

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
    Problem problem;  ///< the moving number in it is not looked at
    PathParameter parameter = PathParameter::cost;
    std::vector<bool> moving;  ///< of cost: the rows whose cost moves; empty: all
};

/// The problem at one value. Throws InvalidArgument where it has no such problem.
[[nodiscard]] Problem problem_at(const PathProblem& path_problem, double t);

/// Where a coefficient is: at a bound, at the kink in zero, or free on one side of it. A free
/// coefficient without a kink is `above`.
enum class Position : std::int8_t { lower = -2, below = -1, zero = 0, above = 1, upper = 2 };

/// A row changes its position at t.
struct PositionChange {
    double t = 0.0;
    index_t row = -1;
    Position from = Position::zero;
    Position to = Position::zero;
};

/// Where the set of free rows changes.
struct PathKnot {
    double t = 0.0;
    index_t free = 0;                     ///< rows from here on
    index_t support = 0;                  ///< coefficients that are not zero
    double dual = 0.0;                    ///< value of the dual
    double squared_norm = 0.0;            ///< |f|^2
    index_t first_change = 0;             ///< of the changes made here
    std::array<double, 2> multipliers{};  ///< of the given sums: their half sum is the intercept
};

struct SolutionPath {
    double from = 0.0;
    double to = 0.0;  ///< how far it came
    std::vector<Position> start;
    std::vector<PositionChange> changes;
    std::vector<PathKnot> knots;
    index_t restarts = 0;        ///< where the optimum had to be found anew
    index_t exchanges = 0;       ///< of rows that depend on the free ones
    double max_violation = 0.0;  ///< of the conditions of optimality, over all knots
    SolveStatus status = SolveStatus::converged;
    bool complete = true;  ///< false: nothing is beyond `to`
    bool closed = false;   ///< because the tube has closed there: beyond, the optimum stays
};

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
