// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/parametric_path.hpp - the optimum of a dual whose numbers move with a parameter.
//
// Between two events the set of free rows stays, and coefficients and multipliers are linear in the
// parameter. What is recorded are the events: with them the optimum at any value is one linear
// system (optimum_at), as exact at the path's end as at its start.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/solvers/status.hpp"
#include "solvers/active_set.hpp"

namespace mercer {

class Context;

/// Where a coefficient is, with the side of a free one that has a kink: the whole state of a row.
enum class Position : std::int8_t { lower = -2, below = -1, zero = 0, above = 1, upper = 2 };

/// A row changes its position at t.
struct PositionChange {
    double t = 0.0;
    index_t row = -1;
    Position from = Position::zero;
    Position to = Position::zero;
};

/// The dual on one stretch of the path.
struct PathKnot {
    double t = 0.0;
    index_t free = 0;
    index_t support = 0;
    double dual = 0.0;  ///< value of the dual
    index_t first_change = 0;
    std::array<double, 2> multipliers{};
};

struct ParametricPath {
    double from = 0.0;
    double to = 0.0;  ///< how far it came
    std::vector<Position> start;
    std::vector<PositionChange> changes;
    std::vector<PathKnot> knots;
    index_t restarts = 0;
    index_t exchanges = 0;
    index_t idle = 0;  ///< events of no length
    double max_violation = 0.0;
    SolveStatus status = SolveStatus::converged;
    bool ended_early = false;  ///< nothing is beyond `to`
    bool closed = false;       ///< because the tube has closed there: the optimum stays as it is
};

/// Follows the optimum from `from` to `to`, starting from `beta` in the dual set at `from`.
/// `segment`, when given, is called at the start of every stretch of positive length.
struct PathSegment {
    const ActiveSet& set;
    const SetDirection& direction;
    double length = 0.0;
};
[[nodiscard]] ParametricPath trace_path(
    const MovingDual& dual, std::span<const double> beta, double from, double to, Context& context,
    const std::function<void(const PathSegment&)>& segment = {});

/// The optimum at t by the path's positions there.
[[nodiscard]] std::vector<double> optimum_at(const MovingDual& dual, const ParametricPath& path,
                                             double t, Context& context);

}  // namespace mercer
