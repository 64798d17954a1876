// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/set_round.hpp - one round of decomposition: the block of the working set is filled
// and solved, then all values are updated from the rows whose coefficients changed.
#pragma once

#include <vector>

#include "mercer/base/types.hpp"
#include "solvers/dual_variables.hpp"
#include "solvers/move_bounds.hpp"
#include "solvers/set_choice.hpp"
#include "solvers/working_set.hpp"

namespace mercer {

class Context;

class SetRound {
public:
    SetRound(index_t capacity, DualVariables& variables, const MoveBounds& bounds,
             Context& context);

    /// The gain of a round.
    struct Gain {
        bool moved = false;
        double dual = 0.0;  ///< of the dual objective
        double size = 0.0;  ///< absolute sum of the terms of `dual`
    };

    /// Fills the block of the chosen variables, reusing the part of the retained ones.
    void load(SetChoice& choice, Context& context);

    [[nodiscard]] index_t size() const noexcept { return set_.size(); }
    [[nodiscard]] index_t solve(double tolerance, index_t max_steps) {
        return set_.solve(tolerance, max_steps);
    }

    /// Updates all values by the solution of the block. It can only be stopped before the first
    /// value changes.
    [[nodiscard]] Gain update(const SetChoice& choice, Context& context);
    /// For a working set that is the whole problem: its values are all values.
    [[nodiscard]] Gain take_all(const SetChoice& choice);

    /// Marks the block as not matching the choice, until it is filled again.
    void lose_block() noexcept { block_lost_ = true; }
    void recover_block(SetChoice& choice, Context& context);

private:
    [[nodiscard]] std::vector<index_t> collect_moved(const SetChoice& choice);
    void subtract(std::size_t first, std::size_t count, Context& context, Context& unstoppable);

    DualVariables& vars_;
    const MoveBounds& bounds_;
    WorkingSet set_;
    bool block_lost_ = false;
    std::vector<index_t> rows_;
    std::vector<double> deltas_;
    std::vector<double> slopes_;      ///< of the kink, as subtracted within the working set
    std::vector<double> old_values_;  ///< of the rows that moved
    std::vector<const float*> pointers_;
};

}  // namespace mercer
