// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/active_set.cpp - equality-constrained steps on the free rows, and exchanges.
//
// Method   Active set for a convex quadratic programme (Scheinberg, JMLR 7, 2006); free_factor.hpp
//          holds the system of the free rows, active_set_search.cpp the loop.
// Fits     every dual with a box, up to a few thousand free rows.
// Cost     m^2 for each change of the set of m free rows, n m for each step.
// Stops    when no row can gain more than rounding explains.
// Notation b  coefficients   v  l - (K + R) b   r  multiplier of a group: v - slope = r if free
#include "solvers/active_set.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "mercer/base/compensated_sum.hpp"
#include "mercer/base/roundoff.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {

namespace {

constexpr double kSumNoise = 4.0 * kEpsilon;

/// A sum and the absolute sum of its terms, by which a difference is judged to be rounding.
struct WeighedSum {
    CompensatedSum sum;
    double weight = 0.0;

    void add(double term) {
        sum.add(term);
        weight += std::abs(term);
    }
    /// `wanted` minus the sum.
    [[nodiscard]] double missing_from(double wanted) const {
        const double missing = wanted - sum.value();
        return std::abs(missing) <= kSumNoise * (weight + std::abs(wanted)) ? 0.0 : missing;
    }
};

}  // namespace

ActiveSet::ActiveSet(const MovingDual& dual, std::span<const double> beta, double t,
                     Context& context)
    : DualRows(dual, beta, t),
      context_(context),
      factor_(*this, context),
      drive_(beta.size(), 0.0),
      product_(beta.size(), 0.0) {
    std::vector<index_t> inside;
    for (index_t i = 0; i < size(); ++i) {
        largest_ = std::max(largest_, factor_.diagonal(i));
        if (places_[at(i)] == Place::free) {
            inside.push_back(i);
        }
    }
    start_drive();
    refresh();
    if (factor_.assign(inside)) {
        free_ = std::move(inside);
    } else {
        std::vector<double> column(beta_.size());
        for (const index_t row : inside) {
            // Move towards zero: that end is finite in every box.
            factor_.copy(row, column);
            static_cast<void>(set_free(row, beta_[at(row)] < 0.0, column));
        }
    }
    measure();
}

/// Computes how the rows at an end that moves with t change the values.
void ActiveSet::start_drive() {
    std::vector<index_t> all(beta_.size());
    std::vector<index_t> driven;
    std::vector<double> rates;
    for (index_t i = 0; i < size(); ++i) {
        all[at(i)] = i;
        if (bound_rate(i) != 0.0) {
            driven.push_back(i);
            rates.push_back(bound_rate(i));
        }
    }
    if (driven.empty()) {
        return;
    }
    drive_ = dual_.problem->gram->multiply(all, driven, rates, Precision::float64, context_);
    for (std::size_t k = 0; k < driven.size(); ++k) {
        drive_[at(driven[k])] += term(driven[k]).ridge * rates[k];
    }
}

/// Updates drive_ for a row that reaches an end moving with `rate` or leaves one moving with -rate.
void ActiveSet::drive(double rate, std::span<const double> column) {
    for (std::size_t i = 0; i < drive_.size(); ++i) {
        drive_[i] += rate * column[i];
    }
}

void ActiveSet::leave(std::size_t position, bool at_upper_end) {
    const index_t row = free_[position];
    factor_.copy(row, product_);
    factor_.remove(position);
    free_.erase(free_.begin() + static_cast<std::ptrdiff_t>(position));
    set_bound(row, at_upper_end);
    if (const double rate = bound_rate(row); rate != 0.0) {
        product_[at(row)] += term(row).ridge;
        drive(rate, product_);
    }
}

ActiveSet::Entered ActiveSet::enter(index_t row, bool up) {
    std::vector<double> column(beta_.size());
    factor_.copy(row, column);
    if (const double rate = bound_rate(row); rate != 0.0) {
        drive(-rate, column);
        drive_[at(row)] -= rate * term(row).ridge;
    }
    const double side = side_of(row);
    sign_[at(row)] = (side != 0.0 ? side > 0.0 : up) ? 1 : -1;
    places_[at(row)] = Place::free;
    return set_free(row, up, column);
}

ActiveSet::Entered ActiveSet::set_free(index_t row, bool up, std::span<const double> column) {
    Entered ended = Entered::free;
    while (factor_.depends(row, column)) {
        if (!slide(row, up, column, ended)) {
            return ended;
        }
    }
    factor_.append(row, column);
    free_.push_back(row);
    places_[at(row)] = Place::free;
    return Entered::free;
}

void ActiveSet::take_ray(index_t row, double sign, std::span<const double> x) {
    ray_.assign(beta_.size(), 0.0);
    ray_[at(row)] = sign;
    for (std::size_t k = 0; k < free_.size(); ++k) {
        ray_[at(free_[k])] = -sign * x[k];
    }
}

/// Moves along the direction in which the entering row is a combination of the free ones, until one
/// of them reaches an end and leaves (true), the row reaches its own other end, or without limit.
bool ActiveSet::slide(index_t row, bool up, std::span<const double> column, Entered& ended) {
    ++exchanges_;
    const std::vector<double> x = factor_.explained();
    const double sign = up ? 1.0 : -1.0;
    const auto [room, met] = room_to_slide(row, up, x);
    if (!std::isfinite(room)) {
        take_ray(row, sign, x);
        ended = Entered::unbounded;
        return false;
    }
    factor_.multiply(x, product_);
    for (std::size_t i = 0; i < values_.size(); ++i) {
        values_[i] -= sign * room * (column[i] - product_[i]);
    }
    values_[at(row)] -= sign * room * term(row).ridge;
    for (std::size_t k = 0; k < free_.size(); ++k) {
        values_[at(free_[k])] += sign * room * x[k] * term(free_[k]).ridge;
        const double moved = beta_[at(free_[k])] - sign * room * x[k];
        beta_[at(free_[k])] =
            std::clamp(moved, lower_end(free_[k]).at(t_), upper_end(free_[k]).at(t_));
    }
    beta_[at(row)] += sign * room;
    if (met == free_.size()) {
        set_bound(row, up);
        if (const double rate = bound_rate(row); rate != 0.0) {
            drive(rate, column);
            drive_[at(row)] += rate * term(row).ridge;
        }
        ended = Entered::other_end;
        return false;
    }
    leave(met, -sign * x[met] > 0.0);
    return true;
}

SetDirection ActiveSet::direction() {
    SetDirection out;
    std::vector<double> h;
    for (const index_t row : free_) {
        const double side = side_of(row);
        h.push_back(term(row).linear.rate - side * term(row).width.rate - drive_[at(row)]);
    }
    std::array<WeighedSum, 2> bound;
    for (index_t i = 0; i < size(); ++i) {
        if (const double rate = bound_rate(i); rate != 0.0) {
            bound[group_of(i)].add(rate);
        }
    }
    const FreeSolution solution = factor_.solve(
        std::move(h),
        {bound[0].missing_from(dual_.sums[0].rate), bound[1].missing_from(dual_.sums[1].rate)});
    out.beta = solution.x;
    out.multipliers = solution.r;
    out.values.resize(values_.size());
    // Computed for all rows. Skipping the free ones would save 6 to 15 % of the time (a path of
    // 1,000 rows, 400 of them free), but their conditions would then hold by construction and check
    // nothing.
    factor_.multiply(out.beta, out.values);
    for (index_t i = 0; i < size(); ++i) {
        double& rate = out.values[at(i)];
        out.scale = std::max(out.scale, std::abs(drive_[at(i)]));
        rate = term(i).linear.rate - drive_[at(i)] - rate;
    }
    double total = 0.0;
    for (std::size_t k = 0; k < free_.size(); ++k) {
        out.values[at(free_[k])] -= term(free_[k]).ridge * out.beta[k];
        total += std::abs(out.beta[k]);
    }
    out.scale += largest_ * total;
    return out;
}

void ActiveSet::refresh() { take_product(factor_.product(beta_), largest_); }

bool ActiveSet::hand_over(std::size_t position, bool up) {
    const index_t row = free_[position];
    const std::size_t group = group_of(row);
    const Move next = best_move(group, up, row);
    if (next.row < 0) {
        return false;
    }
    multipliers_[group] += up ? next.gain : -next.gain;
    leave(position, up);
    return enter(next.row, next.up) != Entered::unbounded;
}

/// The step to the optimum of the free rows, ignoring their ends.
FreeSolution ActiveSet::best_step() const {
    std::array<WeighedSum, 2> sums;
    for (index_t i = 0; i < size(); ++i) {
        if (beta_[at(i)] != 0.0) {
            sums[group_of(i)].add(beta_[at(i)]);
        }
    }
    std::vector<double> h;
    for (const index_t row : free_) {
        h.push_back(free_value(row));
    }
    return factor_.solve(std::move(h), {sums[0].missing_from(dual_.sums[0].at(t_)),
                                        sums[1].missing_from(dual_.sums[1].at(t_))});
}

/// Moves the free rows to their optimum, or to the first end on the way. False when the numbers are
/// not finite.
bool ActiveSet::step_to_best(double& length, bool past_ends) {
    length = 1.0;
    moved_ = false;
    if (free_.empty()) {
        return true;
    }
    const FreeSolution best = best_step();
    if (!std::all_of(best.x.begin(), best.x.end(), [](double d) { return std::isfinite(d); })) {
        return false;
    }
    const Room room = past_ends ? Room{1.0, free_.size()} : room_to_step(best.x);
    length = room.length;
    moved_ = std::any_of(best.x.begin(), best.x.end(), [](double d) { return d != 0.0; });
    if (!moved_) {
        return true;
    }
    factor_.multiply(best.x, product_);
    const auto m = static_cast<double>(free_.size());
    work_ += m * (static_cast<double>(size()) + 3.0 * m);
    for (std::size_t i = 0; i < values_.size(); ++i) {
        values_[i] -= length * product_[i];
    }
    for (std::size_t k = 0; k < free_.size(); ++k) {
        const index_t row = free_[k];
        values_[at(row)] -= length * best.x[k] * term(row).ridge;
        beta_[at(row)] = std::clamp(beta_[at(row)] + length * best.x[k], lower_end(row).at(t_),
                                    upper_end(row).at(t_));
    }
    if (room.met < free_.size()) {
        leave(room.met, best.x[room.met] > 0.0);
    }
    return true;
}

bool ActiveSet::place_free() {
    double length = 1.0;
    const bool finite = step_to_best(length, true);
    refresh();
    return finite;
}

double ActiveSet::ray_gain() const {
    double gain = 0.0;
    for (index_t i = 0; i < size(); ++i) {
        const double width = term(i).width.at(t_);
        gain += values_[at(i)] * ray_[at(i)] - width * std::abs(ray_[at(i)]);
    }
    return gain;
}

}  // namespace mercer
