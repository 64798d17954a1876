// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/l1_steps.cpp - columns enter and leave, rows change their pieces, knots are recorded.
#include "solvers/l1_steps.hpp"

#include <algorithm>
#include <cmath>

namespace mercer::l1 {

bool PathSteps::step() {
    if (!direct()) {
        return false;
    }
    const double rest = shifted_ ? share_ : lambda_ - to_;
    const Event event = next_event();
    if (event.length >= rest - kEnd * (shifted_ ? 1.0 : unit_)) {
        advance(rest, -1);
        (shifted_ ? share_ : lambda_) = shifted_ ? 0.0 : to_;
        return true;
    }
    advance(event.length, event.kind == L1Event::leave ? event.index : -1);
    if (event.kind == L1Event::zone && corrected_) {
        return true;  // the row is no longer at the end of its zone
    }
    return apply(event);
}

bool PathSteps::apply(const Event& event) {
    pending_ = event;
    bool good = true;
    switch (event.kind) {
        case L1Event::enter:
            sign_[at(event.index)] = event.sign;
            good = enter(event.index);
            break;
        case L1Event::leave:
            break;  // done by advance()
        case L1Event::zone:
            good = cross(event.zone);
            break;
        case L1Event::restart:
        case L1Event::end:
            break;
    }
    record_pending();
    return good;
}

void PathSteps::record_pending() {
    const Event event = pending_;
    pending_ = Event();
    if (event.index >= 0) {
        record(event.kind, event.index, event.kind == L1Event::enter ? event.index : -1);
    }
}

bool PathSteps::enter(index_t j) {
    for (;;) {
        const double pivot = pivot_of(j);
        if (pivot > kRegular * diagonal_) {
            append(j, pivot);
            return true;
        }
        std::vector<double> way = factor_.explained();
        for (double& each : way) {
            each *= -sign_[at(j)];
        }
        way.push_back(sign_[at(j)]);
        active_.push_back(j);
        const bool moved = flat_move(way);
        if (!moved) {
            active_.pop_back();
            skipped_[at(j)] = true;
            pending_ = Event();
            const bool untouched = beta_[at(j)] == 0.0;
            sign_[at(j)] = 0.0;
            return untouched;
        }
    }
}

bool PathSteps::cross(const ZoneChange& change) {
    const double weight = risk_->weight_change(change);
    risk_->change(change);
    for (;;) {
        std::vector<double> w(active_.size());
        risk_->row_values(change.row, active_, w);
        for (double& each : w) {
            each *= std::sqrt(std::abs(weight));
        }
        if (weight > 0.0) {
            factor_.add(w);
            return true;
        }
        if (1.0 - factor_.leverage(w) > kDigits) {
            factor_.subtract();
            return true;
        }
        std::vector<double> way = factor_.explained();
        if (refine_loss(w, way) > kRegular) {
            return refactor();
        }
        // H is singular along this direction. Continue along it in the direction in which the row
        // crossed.
        double rise = 0.0;
        for (std::size_t k = 0; k < way.size(); ++k) {
            rise += rhs_of(active_[k]) * way[k];
        }
        for (double& each : way) {
            each = rise < 0.0 ? -each : each;
        }
        if (!flat_move(way)) {
            return false;
        }
    }
}

PathSteps::FlatEnd PathSteps::flat_end(std::span<const double> way) const {
    double largest = 0.0;
    for (std::size_t k = 0; k < way.size(); ++k) {
        largest = std::max(largest, std::abs(way[k]));
    }
    FlatEnd end;
    for (std::size_t k = 0; k < way.size(); ++k) {
        const index_t j = active_[k];
        if (sign_[at(j)] * way[k] < -kTie * largest &&
            std::max(0.0, -beta_[at(j)] / way[k]) < end.length) {
            end.length = std::max(0.0, -beta_[at(j)] / way[k]);
            end.leaving = j;
        }
    }
    end.zone = risk_->next_change(0.0, least_, true);
    if (end.zone.row >= 0 && end.zone.length < end.length) {
        end.length = end.zone.length;
        end.leaving = -1;
    }
    return end;
}

void PathSteps::bend(const ZoneChange& zone) {
    std::vector<double> w(active_.size());
    risk_->row_values(zone.row, active_, w);
    const double weight = risk_->weight_change(zone);
    for (double& each : w) {
        each *= std::sqrt(std::max(0.0, weight));
    }
    risk_->change(zone);
    factor_.add(w);
}

bool PathSteps::flat_move(std::span<const double> way) {
    const bool joining = static_cast<index_t>(active_.size()) > factor_.size();
    const index_t newcomer = joining ? active_.back() : -1;
    risk_->direct(active_, way);
    const FlatEnd end = flat_end(way);
    if (!std::isfinite(end.length)) {
        return false;
    }
    if (end.length > 0.0) {
        record_pending();
    }
    for (std::size_t k = 0; k < way.size(); ++k) {
        beta_[at(active_[k])] += end.length * way[k];
    }
    refresh();
    ++path_.flat_moves;
    if (joining) {
        active_.pop_back();
    }
    if (end.leaving >= 0) {
        remove(end.leaving);
        record(L1Event::leave, end.leaving, newcomer);
    } else {
        bend(end.zone);
        record(L1Event::zone, end.zone.row, newcomer);
    }
    return true;
}

void PathSteps::record(L1Event event, index_t index, index_t newcomer) {
    if (shifted_) {
        return;
    }
    L1Knot knot;
    knot.lambda = lambda_;
    knot.event = event;
    knot.index = index;
    knot.intercept = risk_->intercept();
    knot.violation = std::max(between_, violation(g_, lambda_));
    knot.begin = static_cast<index_t>(path_.index.size());
    between_ = 0.0;
    double sizes = 0.0;
    for (index_t j = 0; j < columns_; ++j) {
        knot.active += place_[at(j)] >= 0 || j == newcomer ? 1 : 0;
        if (const double value = beta_[at(j)]; value != 0.0) {
            path_.index.push_back(j);
            path_.value.push_back(value);
            sizes += std::abs(value);
        }
    }
    knot.objective = risk_->value() + lambda_ * sizes;
    path_.max_violation = std::max(path_.max_violation, knot.violation);
    path_.knots.push_back(knot);
}

}  // namespace mercer::l1
