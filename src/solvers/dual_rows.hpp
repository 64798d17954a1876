// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/dual_rows.hpp - the rows of a parametric dual: their places and possible gains.
//
// Functions called for all rows at every event are inline: the path of a pair of letters (1,212
// rows, 2,425 events) takes 0.12 s with inlining and 0.15 s without.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "mercer/base/index.hpp"
#include "mercer/base/types.hpp"
#include "solvers/moving_dual.hpp"

namespace mercer {

/// The place of a row's coefficient.
enum class Place : std::uint8_t { lower, zero, upper, free };

/// A possible move of a row at an end of its piece: its gain per unit, and the rate of that gain in
/// t.
struct Move {
    index_t row = -1;
    bool up = true;
    double gain = 0.0;
    double rate = 0.0;
};

/// The derivatives in t while the set of free rows does not change.
struct SetDirection {
    std::vector<double> beta;    ///< of the free rows, in their order
    std::vector<double> values;  ///< of all rows
    std::array<double, 2> multipliers{};
    double scale = 0.0;  ///< bound on the terms that a value's rate is the sum of
};

/// The state of the rows at one t. ActiveSet moves them.
class DualRows {
public:
    [[nodiscard]] index_t size() const noexcept { return dual_.size(); }
    [[nodiscard]] double parameter() const noexcept { return t_; }
    [[nodiscard]] const MovingDual& dual() const noexcept { return dual_; }
    [[nodiscard]] const std::vector<index_t>& free_rows() const noexcept { return free_; }
    [[nodiscard]] const std::vector<double>& beta() const noexcept { return beta_; }
    [[nodiscard]] const std::vector<double>& values() const noexcept { return values_; }
    [[nodiscard]] const std::vector<Place>& places() const noexcept { return places_; }
    [[nodiscard]] const std::array<double, 2>& multipliers() const noexcept { return multipliers_; }
    [[nodiscard]] const MovingTerm& term(index_t row) const { return dual_.terms[at(row)]; }

    /// Makes the target of free rows lie inside the flat side of their loss, this many units of the
    /// noise from its edge: with a cost of 1e10 the last bits of f are a loss of 1e-3. Only for a
    /// loss with a flat side and without a free width.
    void aim_inside(double units) noexcept { spare_ = units; }

    /// True when a free row is below the kink of its box.
    [[nodiscard]] bool is_below(index_t row) const {
        return term(row).kinked && sign_[at(row)] < 0;
    }

    /// The ends of the piece that a free row is on.
    [[nodiscard]] Moving lower_end(index_t row) const {
        return term(row).kinked && sign_[at(row)] > 0 ? Moving{} : term(row).lower;
    }
    [[nodiscard]] Moving upper_end(index_t row) const {
        return term(row).kinked && sign_[at(row)] < 0 ? Moving{} : term(row).upper;
    }

    [[nodiscard]] std::size_t group_of(index_t row) const { return group_by(side_of(row)); }
    [[nodiscard]] std::size_t group_of(const Move& move) const {
        const double side = side_of(move.row);
        return group_by(side != 0.0 ? side : (move.up ? 1.0 : -1.0));
    }
    [[nodiscard]] index_t free_in(std::size_t group) const;

    /// How a coefficient at an end of its box moves with t.
    [[nodiscard]] double bound_rate(index_t row) const {
        switch (places_[at(row)]) {
            case Place::lower:
                return term(row).lower.rate;
            case Place::upper:
                return term(row).upper.rate;
            default:
                return 0.0;
        }
    }

    /// Writes the possible moves of a row at an end to `out` and returns their number.
    [[nodiscard]] int moves_of(index_t row, const SetDirection* direction,
                               std::array<Move, 2>& out) const {
        const Place place = places_[at(row)];
        const MovingTerm& moving = term(row);
        if (place == Place::free || !(moving.lower.at(t_) < moving.upper.at(t_))) {
            return 0;
        }
        int count = 0;
        for (const bool up : {true, false}) {
            if (place == (up ? Place::upper : Place::lower)) {
                continue;
            }
            double side = side_of(row);
            side = side != 0.0 ? side : (up ? 1.0 : -1.0);
            const std::size_t group = group_by(side);
            const double gain = values_[at(row)] - side * width(row) - multipliers_[group];
            double rate = 0.0;
            if (direction != nullptr) {
                rate = direction->values[at(row)] - side * moving.width.rate -
                       direction->multipliers[group];
            }
            out[static_cast<std::size_t>(count++)] =
                up ? Move{row, up, gain, rate} : Move{row, up, -gain, -rate};
        }
        return count;
    }

    /// Calls use(move) for every possible move of every row at an end.
    template <typename Use>
    void for_each_move(const SetDirection* direction, const Use& use) const {
        std::array<Move, 2> moves;
        for (index_t row = 0; row < size(); ++row) {
            const int count = moves_of(row, direction, moves);
            for (int k = 0; k < count; ++k) {
                use(moves[static_cast<std::size_t>(k)]);
            }
        }
    }

    /// Changes t, and everything that depends on it.
    void advance(const SetDirection& direction, double step);

    /// The largest violation of the KKT conditions, and how much of it rounding explains.
    [[nodiscard]] double violation() const;
    [[nodiscard]] double noise() const noexcept { return noise_; }

protected:
    /// Rows strictly inside their piece count as free, without being in free_rows() yet.
    DualRows(const MovingDual& dual, std::span<const double> beta, double t);

    [[nodiscard]] std::size_t group_by(double side) const {
        return dual_.groups == 2 && side < 0.0 ? 1 : 0;
    }
    [[nodiscard]] double side_of(index_t row) const {
        if (!term(row).kinked) {
            return term(row).only_side(t_);
        }
        switch (places_[at(row)]) {
            case Place::lower:
                return -1.0;
            case Place::upper:
                return 1.0;
            case Place::zero:
                return 0.0;
            case Place::free:
                break;
        }
        return sign_[at(row)];
    }
    [[nodiscard]] double width(index_t row) const {
        const double stated = term(row).width.at(t_);
        if (spare_ == 0.0 || term(row).ridge > 0.0) {
            return stated;
        }
        return term(row).kinked ? stated - std::min(spare_ * noise_, 0.5 * stated)
                                : stated - spare_ * noise_;
    }

    /// The value of a free row that equals the multiplier of its group at the optimum.
    [[nodiscard]] double free_value(index_t row) const {
        return values_[at(row)] - side_of(row) * width(row);
    }
    /// The largest distance of a free row's value from its group's multiplier.
    [[nodiscard]] double spread() const;
    [[nodiscard]] Move best_move(std::size_t group, bool up, index_t except) const;

    /// How far the free rows can move along a direction, and which of them then reaches its end.
    struct Room {
        double length = 0.0;
        std::size_t met = 0;  ///< a position in free_rows(); their number: none
    };
    /// How far a row can increase or decrease while the free rows move by -x per unit.
    [[nodiscard]] Room room_to_slide(index_t row, bool up, std::span<const double> x) const;
    /// The part of a step x, at most 1, until the first free row reaches an end.
    [[nodiscard]] Room room_to_step(std::span<const double> x) const;

    /// Puts a row at an end of its piece.
    void set_bound(index_t row, bool at_upper_end);
    /// Sets the values and their noise from K b and the largest entry of K + R.
    void take_product(std::vector<double> product, double largest);
    /// Computes the multipliers from the free rows; for a group without free rows, the middle of
    /// the interval that the other rows allow.
    void measure();

    const MovingDual& dual_;
    double t_;
    std::vector<double> beta_;
    std::vector<double> values_;  ///< l - (K + R) b
    std::vector<Place> places_;
    std::vector<std::int8_t> sign_;  ///< the side of a free kinked row
    std::array<double, 2> multipliers_{};
    std::vector<index_t> free_;
    double noise_ = 0.0;
    double spare_ = 0.0;
};

}  // namespace mercer
