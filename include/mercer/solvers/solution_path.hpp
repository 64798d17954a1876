// SPDX-License-Identifier: Apache-2.0
//
// mercer/solvers/solution_path.hpp - the events of a path, which are all that is stored of it.
//
// Between two events the set of free rows stays, and coefficients and intercept are linear in the
// hyperparameter t.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/solvers/status.hpp"

namespace mercer {

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

}  // namespace mercer
