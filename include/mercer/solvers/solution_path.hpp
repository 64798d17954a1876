// SPDX-License-Identifier: Apache-2.0
//
// mercer/solvers/solution_path.hpp - a regularisation path, stored as its events.
//
// Between two events the set of free rows does not change, and coefficients and intercept are
// linear in the hyperparameter t.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/solvers/status.hpp"

namespace mercer {

/// The position of a coefficient: at a bound, at the kink at zero, or free on one side of it. A
/// free coefficient without a kink is `above`.
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
    index_t free = 0;                     ///< free rows after this knot
    index_t support = 0;                  ///< nonzero coefficients
    double dual = 0.0;                    ///< dual value
    double squared_norm = 0.0;            ///< |f|^2
    index_t first_change = 0;             ///< index of the first change at this knot
    std::array<double, 2> multipliers{};  ///< of the sum constraints: their mean is the intercept
};

struct SolutionPath {
    double from = 0.0;
    double to = 0.0;  ///< where the path ends
    std::vector<Position> start;
    std::vector<PositionChange> changes;
    std::vector<PathKnot> knots;
    index_t restarts = 0;        ///< times that the optimum was solved for again
    index_t exchanges = 0;       ///< of free rows for rows that depend on them
    double max_violation = 0.0;  ///< of the KKT conditions, over all knots
    SolveStatus status = SolveStatus::converged;
    bool complete = true;  ///< false: the path could not be followed beyond `to`
    bool closed = false;   ///< because the tube width is 0 there: the optimum is constant beyond
};

}  // namespace mercer
