// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/l1_restart.cpp - after a knot that is not optimal, the path is resumed a little
// further on.
#include <algorithm>
#include <cmath>

#include "mercer/runtime/context.hpp"
#include "solvers/l1_tracer.hpp"

namespace mercer::l1 {

bool Tracer::restart() {
    ++path_.restarts;
    const double here = lambda_;
    // The jump becomes longer if short ones make no progress.
    jump_ = here > (1.0 - kNowhere) * jumped_at_ ? kLonger * jump_ : kPastShare;
    jumped_at_ = here;
    const std::size_t knots = path_.knots.size();
    for (int attempt = 0; attempt < kAttempts && knots > 0; ++attempt) {
        lambda_ = past(here);
        if (take_last_knot() && find_again()) {
            return true;
        }
        forget(knots);
        jump_ *= kLonger;
    }
    if (here <= kWarmOnly * unit_) {
        return false;
    }
    // Restart from zero coefficients; if that was done here before, jump ahead first.
    lambda_ = here == restarted_at_ ? past(here) : here;
    restarted_at_ = lambda_;
    clear();
    return find_again();
}

double Tracer::past(double lambda) const {
    return std::max(to_, lambda - std::min(kPast * unit_, jump_ * lambda));
}

bool Tracer::take_last_knot() {
    clear();
    const L1Knot& last = path_.knots.back();
    std::vector<index_t> columns = active_;
    for (const index_t b : columns) {
        beta_[at(b)] = last.intercept;
    }
    for (std::size_t k = at(last.begin); k < path_.index.size(); ++k) {
        const index_t j = path_.index[k];
        beta_[at(j)] = path_.value[k];
        sign_[at(j)] = path_.value[k] > 0.0 ? 1.0 : -1.0;
        columns.push_back(j);
    }
    active_ = columns;
    shifted_ = false;
    refresh();
    risk_->settle();
    active_ = std::move(columns);
    return refactor();
}

bool Tracer::find_again() {
    shifted_ = false;
    refresh();
    shift_.assign(g_.size(), 0.0);
    for (index_t j = 0; j < static_cast<index_t>(g_.size()); ++j) {
        const double g = g_[at(j)];
        const double most = lambda_ * random_.uniform(0.2, 0.9);
        shift_[at(j)] = place_[at(j)] >= 0   ? -g - lambda_ * sign_[at(j)]
                        : std::abs(g) > most ? std::copysign(most, g) - g
                                             : 0.0;
    }
    shifted_ = true;
    share_ = 1.0;
    refresh();
    index_t idle = 0;
    bool good = true;
    while (share_ > 0.0 && good && idle <= kShiftedIdle && !context_.should_stop()) {
        const double before = share_;
        least_ = idle > kDoubtful;
        good = step();
        idle = before - share_ > kIdle * before ? 0 : idle + 1;
    }
    shifted_ = false;
    refresh();
    correct();
    between_ = 0.0;
    pending_ = Event();
    if (!good || share_ > 0.0 || violation(g_, lambda_) > kTolerated * unit_) {
        return false;
    }
    record(L1Event::restart, -1);
    return measure_jump();
}

bool Tracer::measure_jump() {
    L1Knot& last = path_.knots.back();
    if (path_.knots.size() > 1) {
        const double middle = 0.5 * ((path_.knots.end() - 2)->lambda + last.lambda);
        const L1Point point = path_.at(middle);
        std::vector<index_t> columns;
        std::vector<double> values;
        for (index_t j = 0; j < columns_; ++j) {
            columns.push_back(j);
            values.push_back(point.beta[at(j)]);
        }
        if (risk_->free_column() >= 0) {
            columns.push_back(risk_->free_column());
            values.push_back(point.intercept);
        }
        risk_->move(columns, values);
        for (std::size_t j = 0; j < at(columns_); ++j) {
            const double g = risk_->gradient()[j];
            const double each = values[j] == 0.0 ? std::abs(g) - middle
                                                 : std::abs(g + std::copysign(middle, values[j]));
            last.violation = std::max(last.violation, each);
        }
        path_.max_violation = std::max(path_.max_violation, last.violation);
        refresh();
    }
    return last.violation <= kJumped * unit_;
}

}  // namespace mercer::l1
