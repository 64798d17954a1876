// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/set_choice.cpp - retains free variables, the newest first, and adds violators.
#include "solvers/set_choice.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace mercer {

SetChoice::SetChoice(index_t capacity, const DualVariables& variables, const MoveBounds& bounds)
    : capacity_(capacity), vars_(variables), bounds_(bounds) {}

/// Selects the `count` best; the selection does not depend on how ties are sorted.
void SetChoice::select_best(std::vector<Candidate>& candidates, std::size_t count) {
    const auto better = [](const Candidate& a, const Candidate& b) {
        return a.score > b.score || (a.score == b.score && a.place < b.place);
    };
    if (candidates.size() > count) {
        std::nth_element(candidates.begin(),
                         candidates.begin() + static_cast<std::ptrdiff_t>(count), candidates.end(),
                         better);
        candidates.resize(count);
    }
}

/// Finds violators that are not chosen yet, with their distance from the centre of their group.
void SetChoice::find_candidates() {
    up_.clear();
    down_.clear();
    const std::array<double, 2> centres = {bounds_.centre(0), bounds_.centre(1)};
    for (index_t k = 0; k < vars_.active_size(); ++k) {
        if (chosen_[static_cast<std::size_t>(k)] != 0) {
            continue;
        }
        const Moves moves = bounds_.moves_of(k);
        if (moves.up && moves.up_value > bounds_.floor_of(moves.up_group)) {
            up_.push_back({moves.up_value - centres[static_cast<std::size_t>(moves.up_group)], k});
        }
        if (moves.down && moves.down_value < bounds_.ceiling_of(moves.down_group)) {
            down_.push_back(
                {centres[static_cast<std::size_t>(moves.down_group)] - moves.down_value, k});
        }
    }
}

void SetChoice::choose() {
    const auto room = static_cast<std::size_t>(std::min(capacity_, vars_.active_size()));
    const bool whole = static_cast<index_t>(room) == vars_.active_size();
    std::vector<index_t> chosen = whole ? all_staying() : staying(room < 3 ? 0 : room / 2);
    for (const index_t k : chosen) {
        chosen_[static_cast<std::size_t>(k)] = 1;
    }
    find_candidates();
    const std::size_t fresh = room - chosen.size();
    const std::size_t down = std::min(down_.size(), fresh / 2);
    select_best(up_, fresh - down);
    select_best(down_, fresh - std::min(fresh / 2, up_.size()));
    for (const auto* list : {&up_, &down_}) {
        for (const Candidate& candidate : *list) {
            std::uint8_t& mark = chosen_[static_cast<std::size_t>(candidate.place)];
            if (mark == 0 && chosen.size() < room) {
                mark = 1;
                chosen.push_back(candidate.place);
            }
        }
    }
    for (const index_t k : chosen) {
        chosen_[static_cast<std::size_t>(k)] = 0;
    }
    places_ = std::move(chosen);
}

/// The part of the last working set that is retained: free variables first, the newest first. Their
/// slots in it go to retained_slots_.
std::vector<index_t> SetChoice::staying(std::size_t most) {
    std::vector<index_t> out;
    retained_slots_.clear();
    for (const bool free : {true, false}) {
        for (std::size_t i = places_.size(); i-- > 0 && out.size() < most;) {
            const Moves moves = bounds_.moves_of(places_[i]);
            if ((moves.up && moves.down && vars_.b(places_[i]) != 0.0) == free) {
                out.push_back(places_[i]);
                retained_slots_.push_back(slots_[i]);
            }
        }
    }
    std::reverse(out.begin(), out.end());
    std::reverse(retained_slots_.begin(), retained_slots_.end());
    return out;
}

/// The whole last working set in its own order, so that its block stays where it is: 325 pairs of
/// letter with 300 rows each spend a tenth of their time on moving it.
std::vector<index_t> SetChoice::all_staying() {
    retained_slots_ = slots_;
    return places_;
}

void SetChoice::begin_round() {
    ++rounds_;
    std::vector<index_t> joined(places_.size(), rounds_);
    for (std::size_t i = 0; i < retained_slots_.size(); ++i) {
        joined[i] = joined_[static_cast<std::size_t>(retained_slots_[i])];
    }
    assign(std::move(places_), std::move(joined));
}

std::vector<index_t> SetChoice::joined_of_places() const {
    std::vector<index_t> joined;
    for (const index_t slot : slots_) {
        joined.push_back(joined_[static_cast<std::size_t>(slot)]);
    }
    return joined;
}

void SetChoice::assign(std::vector<index_t> places, std::vector<index_t> joined) {
    places_ = std::move(places);
    joined_ = std::move(joined);
    slots_.resize(places_.size());
    std::iota(slots_.begin(), slots_.end(), index_t{0});
}

void SetChoice::forget() {
    places_.clear();
    slots_.clear();
    joined_.clear();
    resize();
}

void SetChoice::move_to(std::span<const index_t> place_after) {
    std::vector<index_t> places;
    std::vector<index_t> slots;
    for (std::size_t i = 0; i < places_.size(); ++i) {
        const index_t place = place_after[static_cast<std::size_t>(places_[i])];
        if (place >= 0) {
            places.push_back(place);
            slots.push_back(slots_[i]);
        }
    }
    places_ = std::move(places);
    slots_ = std::move(slots);
    resize();
}

}  // namespace mercer
