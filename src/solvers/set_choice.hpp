// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/set_choice.hpp - chooses the working set of a round of decomposition.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mercer/base/types.hpp"
#include "solvers/dual_variables.hpp"
#include "solvers/move_bounds.hpp"

namespace mercer {

/// The working set of a decomposition: half of the last one is retained, and the worst violators
/// are added. A place is a position among the active variables, a slot one in the block of the last
/// round.
class SetChoice {
public:
    SetChoice(index_t capacity, const DualVariables& variables, const MoveBounds& bounds);

    /// Chooses the places of the next working set: the retained ones, then the worst violators.
    void choose();

    /// The block now holds the chosen variables in the order of places().
    void begin_round();

    [[nodiscard]] index_t capacity() const noexcept { return capacity_; }
    [[nodiscard]] const std::vector<index_t>& places() const noexcept { return places_; }
    /// Slots in the last block of the first variables that choose() chose.
    [[nodiscard]] const std::vector<index_t>& retained_slots() const noexcept {
        return retained_slots_;
    }
    /// The rounds in which the variables were added, by place and by slot.
    [[nodiscard]] std::vector<index_t> joined_of_places() const;
    [[nodiscard]] const std::vector<index_t>& joined_of_slots() const noexcept { return joined_; }
    [[nodiscard]] index_t rounds() const noexcept { return rounds_; }

    /// Sets another working set, with the rounds in which its variables were added.
    void assign(std::vector<index_t> places, std::vector<index_t> joined);
    void set_rounds(index_t rounds) noexcept { rounds_ = rounds; }

    /// Retains nothing; the number of active variables has changed.
    void forget();
    /// The active variables have changed: a place becomes place_after[place]; -1: it is gone.
    void move_to(std::span<const index_t> place_after);
    void resize() { chosen_.assign(static_cast<std::size_t>(vars_.active_size()), 0); }

private:
    struct Candidate {
        double score;
        index_t place;
    };

    void find_candidates();
    [[nodiscard]] std::vector<index_t> staying(std::size_t most);
    [[nodiscard]] std::vector<index_t> all_staying();
    static void select_best(std::vector<Candidate>& candidates, std::size_t count);

    index_t capacity_;
    const DualVariables& vars_;
    const MoveBounds& bounds_;
    std::vector<index_t> places_;
    std::vector<index_t> slots_;  ///< of the places
    std::vector<index_t> retained_slots_;
    std::vector<index_t> joined_;  ///< by slot
    std::vector<std::uint8_t> chosen_;
    std::vector<Candidate> up_;
    std::vector<Candidate> down_;
    index_t rounds_ = 0;
};

}  // namespace mercer
