// SPDX-License-Identifier: Apache-2.0
//
// src/operators/part_rows.cpp - the first thread that claims a row writes it.
#include "operators/part_rows.hpp"

#include <algorithm>
#include <utility>

#include "mercer/base/error.hpp"

namespace mercer {

PartRows::PartRows(std::vector<index_t> rows, std::shared_ptr<Room> room,
                   std::shared_ptr<MemoryBudget> budget)
    : rows_(std::move(rows)),
      room_(std::move(room)),
      budget_(std::move(budget)),
      states_(rows_.size()),
      values_(rows_.size()) {}

const float* PartRows::find(index_t i) const noexcept {
    const auto at = static_cast<std::size_t>(i);
    return states_[at].load(std::memory_order_acquire) == State::there ? values_[at].data()
                                                                       : nullptr;
}

void PartRows::retain(index_t i, const float* row) {
    const auto at = static_cast<std::size_t>(i);
    State expected = State::none;
    if (room_->load(std::memory_order_relaxed) < size() ||
        !states_[at].compare_exchange_strong(expected, State::claimed)) {
        return;
    }
    if (room_->fetch_sub(size()) < size()) {  // no room: stays claimed, is not retained
        room_->fetch_add(size());
        return;
    }
    try {
        values_[at] = Buffer<float>(budget_, size(), "kernel rows within a class", Contents::any);
    } catch (const ResourceError&) {  // a row that is not retained is computed again
        room_->store(0);
        return;
    }
    std::copy_n(row, size(), values_[at].data());
    states_[at].store(State::there, std::memory_order_release);
    retained_.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace mercer
