// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/dual_rows.cpp - places, multipliers and violations of the rows of a parametric dual.
#include "solvers/dual_rows.hpp"

#include <cmath>
#include <utility>

#include "mercer/base/roundoff.hpp"

namespace mercer {

DualRows::DualRows(const MovingDual& dual, std::span<const double> beta, double t)
    : dual_(dual),
      t_(t),
      beta_(beta.begin(), beta.end()),
      places_(beta.size(), Place::zero),
      sign_(beta.size(), 0) {
    for (index_t i = 0; i < size(); ++i) {
        const double lower = term(i).lower.at(t);
        const double upper = term(i).upper.at(t);
        const double b = beta_[at(i)];
        if (b >= upper && !(term(i).kinked && upper <= 0.0)) {
            places_[at(i)] = Place::upper;
            beta_[at(i)] = upper;
        } else if (b <= lower) {
            places_[at(i)] = Place::lower;
            beta_[at(i)] = lower;
        } else if (term(i).kinked && b == 0.0) {
            places_[at(i)] = Place::zero;
        } else {
            places_[at(i)] = Place::free;
            sign_[at(i)] = b > 0.0 ? 1 : -1;
        }
    }
}

index_t DualRows::free_in(std::size_t group) const {
    return std::count_if(free_.begin(), free_.end(),
                         [&](index_t row) { return group_of(row) == group; });
}

void DualRows::set_bound(index_t row, bool at_upper_end) {
    const MovingTerm& moving = term(row);
    if (moving.kinked && sign_[at(row)] != (at_upper_end ? 1 : -1)) {
        places_[at(row)] = Place::zero;
        beta_[at(row)] = 0.0;
    } else {
        places_[at(row)] = at_upper_end ? Place::upper : Place::lower;
        beta_[at(row)] = (at_upper_end ? moving.upper : moving.lower).at(t_);
    }
}

void DualRows::advance(const SetDirection& direction, double step) {
    t_ += step;
    for (std::size_t k = 0; k < free_.size(); ++k) {
        beta_[at(free_[k])] += step * direction.beta[k];
    }
    for (index_t i = 0; i < size(); ++i) {
        if (places_[at(i)] == Place::lower) {
            beta_[at(i)] = term(i).lower.at(t_);
        } else if (places_[at(i)] == Place::upper) {
            beta_[at(i)] = term(i).upper.at(t_);
        }
        values_[at(i)] += step * direction.values[at(i)];
    }
    for (std::size_t g = 0; g < 2; ++g) {
        multipliers_[g] += step * direction.multipliers[g];
    }
}

void DualRows::take_product(std::vector<double> product, double largest) {
    values_ = std::move(product);
    double total = 0.0;
    double linear = 0.0;
    for (index_t i = 0; i < size(); ++i) {
        double& v = values_[at(i)];
        v = term(i).linear.at(t_) - v - term(i).ridge * beta_[at(i)];
        total += std::abs(beta_[at(i)]);
        linear = std::max(linear, std::abs(term(i).linear.at(t_)) + term(i).width.at(t_));
    }
    noise_ = 0.5 * kEpsilon * (linear + largest * total);
}

void DualRows::measure() {
    std::array<double, 2> sum{};
    std::array<double, 2> count{};
    for (const index_t row : free_) {
        const std::size_t g = group_of(row);
        sum[g] += free_value(row);
        count[g] += 1.0;
    }
    std::array<Interval, 2> open;
    multipliers_ = {0.0, 0.0};
    for_each_move(nullptr, [&](const Move& move) {
        Interval& interval = open[group_of(move)];
        if (move.up) {
            interval.lower = std::max(interval.lower, move.gain);
        } else {
            interval.upper = std::min(interval.upper, -move.gain);
        }
    });
    for (std::size_t g = 0; g < static_cast<std::size_t>(dual_.groups); ++g) {
        multipliers_[g] = count[g] > 0.0 ? sum[g] / count[g] : choose_intercept(open[g]);
    }
}

DualRows::Room DualRows::room_to_slide(index_t row, bool up, std::span<const double> x) const {
    Room out;
    out.length =
        up ? upper_end(row).at(t_) - beta_[at(row)] : beta_[at(row)] - lower_end(row).at(t_);
    out.met = free_.size();
    double steepest = 0.0;
    for (const double entry : x) {
        steepest = std::max(steepest, std::abs(entry));
    }
    for (std::size_t k = 0; k < free_.size(); ++k) {
        const double rate = up ? -x[k] : x[k];
        if (std::abs(rate) <= kEpsilon * steepest) {
            continue;
        }
        const Moving end = rate > 0.0 ? upper_end(free_[k]) : lower_end(free_[k]);
        const double until = std::max(0.0, (end.at(t_) - beta_[at(free_[k])]) / rate);
        if (until < out.length ||
            (until == out.length && out.met < x.size() && free_[k] < free_[out.met])) {
            out = {until, k};
        }
    }
    return out;
}

DualRows::Room DualRows::room_to_step(std::span<const double> x) const {
    Room out{1.0, free_.size()};
    for (std::size_t k = 0; k < free_.size(); ++k) {
        if (x[k] == 0.0) {
            continue;
        }
        const Moving end = x[k] > 0.0 ? upper_end(free_[k]) : lower_end(free_[k]);
        const double room = (end.at(t_) - beta_[at(free_[k])]) / x[k];
        if (room < out.length) {
            out = {std::max(0.0, room), k};
        }
    }
    return out;
}

Move DualRows::best_move(std::size_t group, bool up, index_t except) const {
    Move best;
    best.gain = -kInfinity;
    for_each_move(nullptr, [&](const Move& move) {
        if (move.up == up && move.row != except && group_of(move) == group &&
            move.gain > best.gain) {
            best = move;
        }
    });
    return best;
}

double DualRows::spread() const {
    double most = 0.0;
    for (const index_t row : free_) {
        most = std::max(most, std::abs(free_value(row) - multipliers_[group_of(row)]));
    }
    return most;
}

double DualRows::violation() const {
    double most = spread();
    for_each_move(nullptr, [&](const Move& move) { most = std::max(most, move.gain); });
    return most;
}

}  // namespace mercer
