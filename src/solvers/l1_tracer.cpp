// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/l1_tracer.cpp - from event to event down the weight of the penalty.
//
// Method   Rosset and Zhu, Annals of Statistics 35, 2007; with a squared loss the LASSO by Efron,
//          Hastie, Johnstone and Tibshirani, Annals of Statistics 32, 2004. Events: a coefficient's
//          gradient reaches lambda, a coefficient reaches zero, a row reaches the end of a piece of
//          its loss. Events at the same lambda are taken one at a time, when in doubt the one of
//          least index (Murty, 1974), which ends where the Hessian is regular. A column that
//          depends on the active ones in the curved rows is exchanged at a fixed lambda, on which
//          neither gradient nor objective depend along that way.
// Cost     two products with Z for each event, and the square of the number of coefficients.
// Stops    at the end asked for. Every knot's gradient is computed anew from its coefficients.
//          Where it is not optimal, the optimum is found again a little further on (a restart),
//          from the last knot that is, or from zero coefficients: the gradient is shifted so that
//          those are optimal, and the shift is taken back, which is another path of the same
//          events.
#include "solvers/l1_tracer.hpp"

#include <algorithm>
#include <cmath>

#include "mercer/runtime/context.hpp"

namespace mercer::l1 {

Tracer::Tracer(const L1PathProblem& problem, double to, Context& context)
    : context_(context),
      unstoppable_(Context::unstoppable(context)),
      risk_(make_l1_risk(problem, *unstoppable_)),
      columns_(problem.columns.rows),
      rows_(problem.columns.columns),
      to_(to),
      random_(context.random(0)) {
    path_.columns = columns_;
}

L1Path Tracer::run() {
    if (begin() > to_) {
        follow();
    } else {
        lambda_ = to_;
    }
    if (path_.status != SolveStatus::reduced && !ended_) {
        record(L1Event::end, -1);
    }
    return std::move(path_);
}

double Tracer::begin() {
    clear();
    refresh();
    double scale = 0.0;
    for (index_t j = 0; j < columns_; ++j) {
        scale = std::max(scale, std::sqrt(2.0 * risk_->diagonal()[at(j)] * risk_->value()));
        unit_ = std::max(unit_, std::abs(g_[at(j)]));
    }
    unit_ = unit_ > kNone * scale ? unit_ : 0.0;
    path_.lambda_max = lambda_ = unit_;
    return lambda_;
}

void Tracer::clear() {
    const auto count = at(risk_->variables());
    risk_->reset();
    beta_.assign(count, 0.0);
    sign_.assign(count, 0.0);
    place_.assign(count, -1);
    skipped_.assign(count, false);
    active_.clear();
    factor_.clear();
    if (const index_t b = risk_->free_column(); b >= 0) {
        beta_[at(b)] = risk_->intercept();
        const double diagonal = risk_->diagonal()[at(b)];
        static_cast<void>(factor_.pivot({}, diagonal));
        append(b, diagonal);
    }
}

void Tracer::follow() {
    const index_t patience = 100 + 4 * (columns_ + rows_);
    index_t idle = 0;
    while (lambda_ > to_) {
        if (context_.should_stop()) {
            path_.status = SolveStatus::interrupted;
            return;
        }
        context_.report({.stage = "path", .done = static_cast<index_t>(path_.knots.size())});
        const double before = lambda_;
        const std::size_t knots = path_.knots.size();
        least_ = idle > kDoubtful;
        const bool good = step() && violation_since(knots) <= kTolerated * unit_;
        idle = before - lambda_ > kIdle * before ? 0 : idle + 1;
        if (!good || idle > patience) {
            if (!good) {
                forget(knots);
                lambda_ = before;
            }
            const std::size_t count = path_.knots.size();
            if (lambda_ - to_ <= kClose * unit_) {
                give_up();
                return;
            }
            if (path_.restarts > kRestarts + static_cast<index_t>(knots) / kRestarts ||
                !restart()) {
                forget(count);
                give_up();
                return;
            }
            idle = 0;
        }
    }
}

bool Tracer::step() {
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

bool Tracer::direct() {
    rhs_.resize(active_.size());
    for (std::size_t k = 0; k < active_.size(); ++k) {
        rhs_[k] = shifted_ ? shift_[at(active_[k])] : sign_[at(active_[k])];
    }
    for (int attempt = 0; attempt < 2; ++attempt) {
        gamma_ = rhs_;
        factor_.solve(gamma_);
        risk_->direct(active_, gamma_);
        for (int k = 0; k < kRefinements && !is_refined(1.0); ++k) {
            residual();
            factor_.solve(left_);
            for (std::size_t i = 0; i < left_.size(); ++i) {
                gamma_[i] += left_[i];
            }
            risk_->direct(active_, gamma_);
        }
        if (is_refined(1.0)) {
            return true;
        }
        if (attempt == 0 && !refactor()) {
            return false;
        }
    }
    return is_refined(kUnrefined);
}

bool Tracer::is_refined(double factor) {
    const double rest = (shifted_ ? share_ : lambda_) / unit_;
    return residual() * rest <= factor * kRefined;
}

double Tracer::residual() {
    left_.resize(active_.size());
    double worst = 0.0;
    for (std::size_t k = 0; k < active_.size(); ++k) {
        left_[k] = rhs_[k] - risk_->gradient_rates()[at(active_[k])];
        worst = std::max(worst, std::abs(left_[k]));
    }
    return worst;
}

bool Tracer::refactor() {
    const std::vector<index_t> active = active_;
    factor_.clear();
    active_.clear();
    for (const index_t j : active) {
        const double pivot = pivot_of(j);
        if (!(pivot > 0.0)) {
            return false;
        }
        append(j, pivot);
    }
    return true;
}

double Tracer::pivot_of(index_t j) {
    active_.push_back(j);
    std::vector<double> column(active_.size());
    risk_->hessian(j, active_, column);
    active_.pop_back();
    diagonal_ = column.back();
    column.pop_back();
    const double pivot = factor_.pivot(column, diagonal_);
    return pivot > kDigits * diagonal_ ? pivot : refined_pivot(j);
}

double Tracer::refined_pivot(index_t j) {
    std::vector<double> x = factor_.explained();
    std::vector<double> way(x.size() + 1, 1.0);
    active_.push_back(j);
    for (int k = 0; k <= kPivotRefinements; ++k) {
        for (std::size_t i = 0; i < x.size(); ++i) {
            way[i] = -x[i];
        }
        risk_->direct(active_, way);
        if (k == kPivotRefinements) {
            break;
        }
        left_.resize(x.size());
        for (std::size_t i = 0; i < x.size(); ++i) {
            left_[i] = risk_->gradient_rates()[at(active_[i])];
        }
        factor_.solve(left_);
        for (std::size_t i = 0; i < x.size(); ++i) {
            x[i] += left_[i];
        }
    }
    active_.pop_back();
    factor_.explain(x);
    return risk_->curvature();
}

void Tracer::append(index_t j, double pivot) {
    factor_.append(pivot, *unstoppable_);
    place_[at(j)] = static_cast<index_t>(active_.size());
    active_.push_back(j);
}

void Tracer::remove(index_t j) {
    const index_t place = place_[at(j)];
    factor_.remove(place);
    active_.erase(active_.begin() + place);
    for (std::size_t k = at(place); k < active_.size(); ++k) {
        place_[at(active_[k])] = static_cast<index_t>(k);
    }
    place_[at(j)] = -1;
    sign_[at(j)] = 0.0;
    beta_[at(j)] = 0.0;
}

Event Tracer::next_event() const {
    Event best;
    double curvature = 0.0;  // gamma'H gamma
    double largest = 0.0;
    for (std::size_t k = 0; k < gamma_.size(); ++k) {
        curvature += rhs_[k] * gamma_[k];
        const double h = risk_->diagonal()[at(active_[k])];
        largest = std::max(largest, std::abs(gamma_[k]) * std::sqrt(h));
    }
    curvature = std::max(0.0, curvature);
    const double tie = (least_ ? kIdle : kTie) * (shifted_ ? share_ : lambda_);
    for (index_t j = 0; j < columns_; ++j) {
        offer(place_[at(j)] >= 0 ? leaving(j, largest) : entering(j, curvature), tie, best);
    }
    const ZoneChange zone = risk_->next_change(tie, least_, false);
    if (zone.row >= 0) {
        offer({zone.length, L1Event::zone, zone.row, 0.0, kInfinity, zone}, tie, best);
    }
    return best;
}

void Tracer::offer(const Event& each, double tie, Event& best) const {
    const bool sooner = each.length < best.length - tie;
    const bool at_once = each.length <= best.length + tie;
    if (sooner || (at_once && !least_ && each.rate > best.rate)) {
        const double length = std::min(each.length, best.length);
        best = each;
        best.length = length;
    }
}

Event Tracer::leaving(index_t j, double largest) const {
    const double rate = gamma_[at(place_[at(j)])];
    const double h = std::sqrt(risk_->diagonal()[at(j)]);
    if (sign_[at(j)] * rate * h >= -kTie * largest) {
        return {};
    }
    return {std::max(0.0, -beta_[at(j)] / rate), L1Event::leave, j, 0.0, kInfinity, {}};
}

Event Tracer::entering(index_t j, double curvature) const {
    if (skipped_[at(j)]) {
        return {};
    }
    const double a = risk_->gradient_rates()[at(j)] - (shifted_ ? shift_[at(j)] : 0.0);
    const double fall = shifted_ ? 0.0 : 1.0;
    const double noise = kRateNoise * (fall + std::abs(shifted_ ? shift_[at(j)] : 0.0) +
                                       std::sqrt(risk_->diagonal()[at(j)] * curvature));
    Event best;
    for (const double s : {1.0, -1.0}) {
        const double decline = fall - s * a;
        if (decline > noise) {
            const double length = std::max(0.0, (lambda_ + s * g_[at(j)]) / decline);
            if (length < best.length) {
                best = {length, L1Event::enter, j, s, decline, {}};
            }
        }
    }
    return best;
}

void Tracer::advance(double length, index_t leaving) {
    corrected_ = false;
    if (length <= 0.0 && (leaving < 0 || beta_[at(leaving)] == 0.0)) {
        if (leaving >= 0) {
            remove(leaving);
        }
        return;
    }
    for (std::size_t k = 0; k < active_.size(); ++k) {
        beta_[at(active_[k])] += length * gamma_[k];
    }
    const double before = lambda_;
    (shifted_ ? share_ : lambda_) -= length;
    middle_.assign(g_.begin(), g_.end());
    if (leaving >= 0) {  // before a step of Newton's method could move it
        remove(leaving);
    }
    refresh();
    between_ = std::max(between_, correct());
    for (std::size_t j = 0; j < middle_.size(); ++j) {
        middle_[j] = 0.5 * (middle_[j] + g_[j]);
    }
    between_ = std::max(between_, violation(middle_, 0.5 * (before + lambda_)));
    std::fill(skipped_.begin(), skipped_.end(), false);
}

void Tracer::refresh() {
    values_.resize(active_.size());
    for (std::size_t k = 0; k < active_.size(); ++k) {
        double& value = beta_[at(active_[k])];
        value = sign_[at(active_[k])] * value < 0.0 ? 0.0 : value;  // it stays there
        values_[k] = value;
    }
    risk_->move(active_, values_);
    g_.assign(risk_->gradient().begin(), risk_->gradient().end());
    for (std::size_t j = 0; j < g_.size() && shifted_; ++j) {
        g_[j] += share_ * shift_[j];
    }
}

double Tracer::correct() {
    corrected_ = false;
    const double before = active_violation();
    if (before <= kResidual * unit_) {
        return before;
    }
    const std::vector<double> start = values_;
    factor_.solve(left_);
    for (std::size_t k = 0; k < active_.size(); ++k) {
        beta_[at(active_[k])] += left_[k];
    }
    refresh();
    corrected_ = active_violation() < before;
    if (!corrected_) {  // the factor is no better than the point
        for (std::size_t k = 0; k < active_.size(); ++k) {
            beta_[at(active_[k])] = start[k];
        }
        refresh();
    }
    return before;
}

double Tracer::active_violation() {
    left_.resize(active_.size());
    double worst = 0.0;
    for (std::size_t k = 0; k < active_.size(); ++k) {
        left_[k] = -g_[at(active_[k])] - lambda_ * sign_[at(active_[k])];
        worst = std::max(worst, std::abs(left_[k]));
    }
    return worst;
}

bool Tracer::apply(const Event& event) {
    pending_ = event;
    bool good = true;
    switch (event.kind) {
        case L1Event::enter:
            sign_[at(event.index)] = event.sign;
            good = enter(event.index);
            break;
        case L1Event::leave:
            break;  // done on the way
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

bool Tracer::enter(index_t j) {
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

bool Tracer::cross(const ZoneChange& change) {
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
        // Nothing is left in this direction. It leads on the way the row came, further.
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

double Tracer::refine_loss(std::span<const double> w, std::vector<double>& way) {
    for (int k = 0;; ++k) {
        risk_->direct(active_, way);
        double leverage = 0.0;
        for (std::size_t i = 0; i < way.size(); ++i) {
            leverage += w[i] * way[i];
        }
        if (k == kPivotRefinements) {
            return risk_->curvature() / leverage;
        }
        left_.resize(way.size());
        for (std::size_t i = 0; i < way.size(); ++i) {
            left_[i] = w[i] * (1.0 - leverage) - risk_->gradient_rates()[at(active_[i])];
        }
        factor_.solve(left_);
        for (std::size_t i = 0; i < way.size(); ++i) {
            way[i] += left_[i];
        }
    }
}

bool Tracer::flat_move(std::span<const double> way) {
    const bool joining = static_cast<index_t>(active_.size()) > factor_.size();
    risk_->direct(active_, way);
    double largest = 0.0;
    for (std::size_t k = 0; k < way.size(); ++k) {
        largest = std::max(largest, std::abs(way[k]));
    }
    double length = kInfinity;
    index_t blocked = -1;
    for (std::size_t k = 0; k < way.size(); ++k) {
        const index_t j = active_[k];
        if (sign_[at(j)] * way[k] < -kTie * largest &&
            std::max(0.0, -beta_[at(j)] / way[k]) < length) {
            length = std::max(0.0, -beta_[at(j)] / way[k]);
            blocked = j;
        }
    }
    const ZoneChange zone = risk_->next_change(0.0, least_, true);
    if (zone.row >= 0 && zone.length < length) {
        length = zone.length;
        blocked = -1;
    }
    if (!std::isfinite(length)) {
        return false;
    }
    const index_t newcomer = active_.back();
    if (length > 0.0) {
        record_pending();
    }
    for (std::size_t k = 0; k < way.size(); ++k) {
        beta_[at(active_[k])] += length * way[k];
    }
    refresh();
    ++path_.flat_moves;
    if (joining) {
        active_.pop_back();
    }
    if (blocked >= 0) {
        remove(blocked);
        record(L1Event::leave, blocked, joining ? newcomer : -1);
        return true;
    }
    std::vector<double> w(active_.size());
    risk_->row_values(zone.row, active_, w);
    const double weight = risk_->weight_change(zone);
    for (double& each : w) {
        each *= std::sqrt(std::max(0.0, weight));
    }
    risk_->change(zone);
    factor_.add(w);
    record(L1Event::zone, zone.row, joining ? newcomer : -1);
    return true;
}

}  // namespace mercer::l1
