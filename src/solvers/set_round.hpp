// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/set_round.hpp - one round of decomposition: the block of the working set is filled
// and solved, then all values are updated from the rows that moved.
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

    /// What a round has brought.
    struct Gain {
        bool moved = false;
        double dual = 0.0;  ///< of the dual objective
        double size = 0.0;  ///< of the terms it is made of
    };

    /// Fills the block of the chosen variables; those that stay keep theirs.
    void load(SetChoice& choice, Context& context);

    [[nodiscard]] index_t size() const noexcept { return set_.size(); }
    [[nodiscard]] index_t solve(double tolerance, index_t max_steps) {
        return set_.solve(tolerance, max_steps);
    }

    /// Takes the solution of the block into all values. Stopped before any of them has moved, or
    /// not at all.
    [[nodiscard]] Gain update(const SetChoice& choice, Context& context);
    /// When the working set is all there is: its values are the values.
    [[nodiscard]] Gain take_all(const SetChoice& choice);

    /// The block is no longer the one of the choice, until it is filled anew.
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
