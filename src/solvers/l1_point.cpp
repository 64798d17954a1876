// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/l1_point.cpp - directions, events and corrections at a point of the path.
#include "solvers/l1_point.hpp"

#include <algorithm>
#include <cmath>

namespace mercer::l1 {

bool PathPoint::direct() {
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

bool PathPoint::is_refined(double factor) {
    const double rest = (shifted_ ? share_ : lambda_) / unit_;
    return residual() * rest <= factor * kRefined;
}

double PathPoint::residual() {
    left_.resize(active_.size());
    double worst = 0.0;
    for (std::size_t k = 0; k < active_.size(); ++k) {
        left_[k] = rhs_[k] - risk_->gradient_rates()[at(active_[k])];
        worst = std::max(worst, std::abs(left_[k]));
    }
    return worst;
}

Event PathPoint::next_event() const {
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

void PathPoint::offer(const Event& each, double tie, Event& best) const {
    const bool sooner = each.length < best.length - tie;
    const bool at_once = each.length <= best.length + tie;
    if (sooner || (at_once && !least_ && each.rate > best.rate)) {
        const double length = std::min(each.length, best.length);
        best = each;
        best.length = length;
    }
}

Event PathPoint::leaving(index_t j, double largest) const {
    const double rate = gamma_[at(place_[at(j)])];
    const double h = std::sqrt(risk_->diagonal()[at(j)]);
    if (sign_[at(j)] * rate * h >= -kTie * largest) {
        return {};
    }
    return {std::max(0.0, -beta_[at(j)] / rate), L1Event::leave, j, 0.0, kInfinity, {}};
}

Event PathPoint::entering(index_t j, double curvature) const {
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

void PathPoint::advance(double length, index_t leaving) {
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
    if (leaving >= 0) {  // before a Newton step can move it
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

void PathPoint::refresh() {
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

double PathPoint::correct() {
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
    if (!corrected_) {  // the factor is no more accurate than the point
        for (std::size_t k = 0; k < active_.size(); ++k) {
            beta_[at(active_[k])] = start[k];
        }
        refresh();
    }
    return before;
}

double PathPoint::active_violation() {
    left_.resize(active_.size());
    double worst = 0.0;
    for (std::size_t k = 0; k < active_.size(); ++k) {
        left_[k] = -g_[at(active_[k])] - lambda_ * sign_[at(active_[k])];
        worst = std::max(worst, std::abs(left_[k]));
    }
    return worst;
}

double PathPoint::violation(std::span<const double> g, double lambda) const {
    double worst = 0.0;
    for (std::size_t j = 0; j < g.size(); ++j) {
        const bool free = static_cast<index_t>(j) == risk_->free_column();
        const double each = place_[j] >= 0 ? std::abs(g[j] + (free ? 0.0 : lambda * sign_[j]))
                            : free         ? std::abs(g[j])
                                           : std::abs(g[j]) - lambda;
        worst = std::max(worst, each);
    }
    return worst;
}

}  // namespace mercer::l1
