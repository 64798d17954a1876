// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/move_bounds.hpp - the possible moves of the variables of a box dual, and violations.
//
// A group is a set of variables with a sum constraint: none, all variables, or one group per side
// of zero. Functions called for every variable in every round are inline.
#pragma once

#include <algorithm>
#include <array>

#include "mercer/base/types.hpp"
#include "mercer/problems/problem.hpp"
#include "solvers/dual_variables.hpp"
#include "solvers/working_set.hpp"

namespace mercer {

class StateReader;
class StateWriter;

/// The two possible moves of one variable.
struct Moves {
    bool up = false;
    bool down = false;
    double up_value = 0.0;  ///< minus the one-sided derivative
    double down_value = 0.0;
    int up_group = 0;
    int down_group = 0;
};

/// For each group the largest value m of a variable that may increase, and the smallest value M of
/// one that may decrease.
class MoveBounds {
public:
    MoveBounds(const Problem& problem, const DualVariables& variables);

    [[nodiscard]] int groups() const noexcept { return groups_; }

    [[nodiscard]] Moves moves_of(double b, double v, const DualTerm& term) const {
        Moves out;
        out.up = b < term.box.upper;
        out.down = b > term.box.lower;
        out.up_value = v;
        out.down_value = v;
        if (kinked_) {
            out.up_value += b >= 0.0 ? -term.width : term.width;
            out.down_value += b > 0.0 ? -term.width : term.width;
            if (groups_ == 2) {
                out.up_group = b >= 0.0 ? 0 : 1;
                out.down_group = b > 0.0 ? 0 : 1;
            }
        }
        return out;
    }
    /// The moves of an active variable.
    [[nodiscard]] Moves moves_of(index_t k) const {
        return moves_of(vars_.b(k), vars_.v(k), vars_.term(k));
    }
    /// The moves of any row, by its stored coefficient and value.
    [[nodiscard]] Moves moves_of_row(index_t row) const {
        const auto at = static_cast<std::size_t>(row);
        return moves_of(vars_.beta()[at], vars_.values()[at], vars_.term_of_row(row));
    }

    /// Computes the bounds over the active variables, or over all rows as stored.
    void find();
    void find_in_all_rows();

    /// The bound that a value that may increase is compared with, and that of one that may
    /// decrease.
    [[nodiscard]] double floor_of(int group) const {
        return groups_ == 0 ? 0.0 : bounds_[static_cast<std::size_t>(group)].minimum;
    }
    [[nodiscard]] double ceiling_of(int group) const {
        return groups_ == 0 ? 0.0 : bounds_[static_cast<std::size_t>(group)].maximum;
    }
    /// The middle of the two.
    [[nodiscard]] double centre(std::size_t group) const;

    /// The largest m - M.
    [[nodiscard]] double violation() const;

    /// True for a variable at an end of its box, or at zero, that has no reason to leave it.
    [[nodiscard]] bool is_idle(const Moves& moves) const {
        if (moves.up && moves.down && !kinked_) {
            return false;
        }
        return (!moves.up || moves.up_value < floor_of(moves.up_group)) &&
               (!moves.down || moves.down_value > ceiling_of(moves.down_group));
    }

    /// The variable as used within a round: its side of zero, and its value with the kink's slope.
    [[nodiscard]] LocalVariable local(index_t k) const;

    void save(StateWriter& state) const;
    void restore(StateReader& state);

private:
    struct Bounds {
        double maximum = -kInfinity;
        double minimum = kInfinity;
    };

    void offer(const Moves& moves) {
        if (moves.up) {
            double& maximum = bounds_[static_cast<std::size_t>(moves.up_group)].maximum;
            maximum = std::max(maximum, moves.up_value);
        }
        if (moves.down) {
            double& minimum = bounds_[static_cast<std::size_t>(moves.down_group)].minimum;
            minimum = std::min(minimum, moves.down_value);
        }
    }

    const DualVariables& vars_;
    int groups_;
    bool kinked_;
    std::array<Bounds, 2> bounds_{};
};

}  // namespace mercer
