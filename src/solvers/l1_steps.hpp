// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/l1_steps.hpp - one segment of an l1 path and the event at its end.
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

    /// One segment and the event at its end. False when the factor failed.
    bool step();
    bool apply(const Event& event);
    /// Records the event that is being applied, once.
    void record_pending();
    /// Makes a column active. One that depends on the others replaces one of them, or first moves
    /// rows into curved zones.
    bool enter(index_t j);
    /// Moves a row into its next zone.
    bool cross(const ZoneChange& change);
    /// Moves the coefficients of active_ along a direction in which no gradient changes, until one
    /// of them is zero or a row gets curvature. The last one may not be in the factor yet; it is
    /// then in active_ only during the move. False when nothing ends the move.
    bool flat_move(std::span<const double> way);

    /// What ends such a move: a coefficient becomes zero, or a row gets curvature.
    struct FlatEnd {
        double length = kInfinity;
        index_t leaving = -1;  ///< column; -1: the row of `zone` ends the move
        ZoneChange zone;
    };
    /// The end of a move along the direction last given to the risk.
    [[nodiscard]] FlatEnd flat_end(std::span<const double> way) const;
    /// Moves a row into a curved zone and adds its curvature to the factor.
    void bend(const ZoneChange& zone);

    void record(L1Event event, index_t index, index_t newcomer = -1);

    double to_;
    L1Path path_;
    Event pending_;  ///< the event being applied, which has no knot yet
};

}  // namespace mercer::l1
