// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/l1_steps.hpp - one stretch of a path of few coefficients and the event at its end.
#pragma once

#include <span>

#include "solvers/l1_point.hpp"

namespace mercer::l1 {

/// Moves the point, applies events and records the knots.
class PathSteps : protected PathPoint {
protected:
    PathSteps(const L1PathProblem& problem, double to, Context& context)
        : PathPoint(problem, context), to_(to) {
        path_.columns = columns_;
    }

    /// One stretch and the event at its end. False when the factor failed.
    bool step();
    bool apply(const Event& event);
    /// The event that is being applied, once.
    void record_pending();
    /// Makes a column active; one that depends on the others takes the place of one of them, or
    /// moves rows into curved zones first.
    bool enter(index_t j);
    /// Takes a row into its next zone.
    bool cross(const ZoneChange& change);
    /// Moves the columns of active_ along a way on which no gradient changes, until one of them is
    /// zero or a row gets curvature; the last of them may not have its place in the factor yet, and
    /// has it in active_ only for the time of the move. False when nothing ends the way.
    bool flat_move(std::span<const double> way);

    /// What ends a way on which no gradient changes: a coefficient that becomes zero, or a row that
    /// gets curvature.
    struct FlatEnd {
        double length = kInfinity;
        index_t leaving = -1;  ///< column; -1: the row of `zone` ends the way
        ZoneChange zone;
    };
    /// The end of the way that the risk was directed along.
    [[nodiscard]] FlatEnd flat_end(std::span<const double> way) const;
    /// Takes a row into a curved zone, and its curvature into the factor.
    void bend(const ZoneChange& zone);

    void record(L1Event event, index_t index, index_t newcomer = -1);

    double to_;
    L1Path path_;
    Event pending_;  ///< that is being applied and has no knot yet
};

}  // namespace mercer::l1
