// SPDX-License-Identifier: Apache-2.0
//
// src/operators/part_rows.hpp - kernel rows within a part of the data, computed once for all.
//
// Of the pairs of k classes, k-1 need the kernel values within each class. The first one to compute
// such a row retains it here for the others, while there is room.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/runtime/memory.hpp"

namespace mercer {

/// Float32 rows of K between the rows of one part. Rows are only ever added; safe to use from many
/// threads at once.
class PartRows {
public:
    /// Room that is left, in entries, for all parts that share it.
    using Room = std::atomic<index_t>;

    /// `rows` are the part's rows in the data, in its order. Memory comes from `budget`.
    PartRows(std::vector<index_t> rows, std::shared_ptr<Room> room,
             std::shared_ptr<MemoryBudget> budget);

    [[nodiscard]] index_t size() const noexcept { return static_cast<index_t>(rows_.size()); }
    [[nodiscard]] std::span<const index_t> rows() const noexcept { return rows_; }

    /// Row i of the part; null when it is not retained.
    [[nodiscard]] const float* find(index_t i) const noexcept;
    /// Retains a row of size() entries, unless it is present already or there is no room.
    void retain(index_t i, const float* row);

    /// Number of retained rows.
    [[nodiscard]] index_t retained() const noexcept {
        return retained_.load(std::memory_order_relaxed);
    }

private:
    enum class State : int { none, claimed, there };

    std::vector<index_t> rows_;
    std::shared_ptr<Room> room_;
    std::shared_ptr<MemoryBudget> budget_;
    std::vector<std::atomic<State>> states_;
    std::vector<Buffer<float>> values_;
    std::atomic<index_t> retained_{0};
};

}  // namespace mercer
