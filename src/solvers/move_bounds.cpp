// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/move_bounds.cpp - the largest violation, and the side of zero of each variable.
#include "solvers/move_bounds.hpp"

#include <cmath>

#include "mercer/runtime/state_keeper.hpp"

namespace mercer {

MoveBounds::MoveBounds(const Problem& problem, const DualVariables& variables)
    : vars_(variables),
      groups_(problem.has_mass() ? 2 : (problem.intercept ? 1 : 0)),
      kinked_(problem.has_mass()) {
    for (index_t i = 0; i < problem.size(); ++i) {
        kinked_ = kinked_ || vars_.term_of_row(i).width > 0.0;
    }
}

void MoveBounds::find() {
    bounds_ = {};
    for (index_t k = 0; k < vars_.active_size(); ++k) {
        offer(moves_of(k));
    }
}

void MoveBounds::find_in_all_rows() {
    bounds_ = {};
    for (index_t row = 0; row < vars_.size(); ++row) {
        offer(moves_of_row(row));
    }
}

double MoveBounds::centre(std::size_t group) const {
    if (groups_ == 0) {
        return 0.0;
    }
    const Bounds& bounds = bounds_[group];
    return std::isfinite(bounds.maximum) && std::isfinite(bounds.minimum)
               ? 0.5 * (bounds.maximum + bounds.minimum)
               : 0.0;
}

double MoveBounds::violation() const {
    if (groups_ == 0) {
        return std::max({0.0, bounds_[0].maximum, -bounds_[0].minimum});
    }
    double worst = 0.0;
    for (const Bounds& bounds : bounds_) {
        worst = std::max(worst, bounds.maximum - bounds.minimum);  // -inf when a set is empty
    }
    return worst;
}

LocalVariable MoveBounds::local(index_t k) const {
    const DualTerm& term = vars_.term(k);
    LocalVariable out{.b = vars_.b(k),
                      .v = vars_.v(k),
                      .lower = term.box.lower,
                      .upper = term.box.upper,
                      .diagonal = vars_.diagonal(k)};
    if (!kinked_) {
        return out;
    }
    bool positive = out.b > 0.0;
    if (out.b == 0.0) {
        const Moves moves = moves_of(k);
        const double rise = moves.up ? moves.up_value - floor_of(moves.up_group) : -kInfinity;
        const double fall =
            moves.down ? ceiling_of(moves.down_group) - moves.down_value : -kInfinity;
        positive = rise >= fall;
    }
    out.group = positive ? 0 : 1;
    out.v += positive ? -term.width : term.width;
    (positive ? out.lower : out.upper) = 0.0;
    return out;
}

void MoveBounds::save(StateWriter& state) const {
    for (const Bounds& bounds : bounds_) {
        state.number(bounds.maximum);
        state.number(bounds.minimum);
    }
}

void MoveBounds::restore(StateReader& state) {
    for (Bounds& bounds : bounds_) {
        bounds.maximum = state.number<double>();
        bounds.minimum = state.number<double>();
    }
}

}  // namespace mercer
