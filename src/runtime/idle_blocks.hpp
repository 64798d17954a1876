// SPDX-License-Identifier: Apache-2.0
//
// src/runtime/idle_blocks.hpp - freed blocks of memory that wait for their next use.
//
// Training many small machines takes and frees the same dozen blocks for each of them. The heap
// keeps their pages but tears them into pieces: a third of what a fit of 325 pairs of classes held
// was holes. The system takes pages back at once but clears them anew each time. Here a block waits
// whole, and the blocks that wait take few bytes together.
#pragma once

#include <mutex>
#include <unordered_map>
#include <vector>

#include "mercer/base/types.hpp"

namespace mercer {

/// Blocks of pages by size. Safe to use from many threads.
class IdleBlocks {
public:
    IdleBlocks() = default;
    ~IdleBlocks() { release(); }
    IdleBlocks(const IdleBlocks&) = delete;
    IdleBlocks& operator=(const IdleBlocks&) = delete;

    /// True for sizes that are worth a block of their own. MemoryBudget maps the largest by itself.
    [[nodiscard]] static bool serves(index_t bytes) noexcept;

    struct Taken {
        void* block = nullptr;  ///< null: the system refused
        bool zeros = false;     ///< fresh from the system
    };
    [[nodiscard]] Taken take(index_t bytes) noexcept;
    /// Takes back a block of take(bytes).
    void give(void* block, index_t bytes) noexcept;

    /// Returns all that waits to the system.
    void release() noexcept;

    [[nodiscard]] index_t idle_bytes() const noexcept;

private:
    mutable std::mutex mutex_;
    std::unordered_map<index_t, std::vector<void*>> idle_;  ///< by size
    index_t idle_bytes_ = 0;
};

}  // namespace mercer
