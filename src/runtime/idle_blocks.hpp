// SPDX-License-Identifier: Apache-2.0
//
// src/runtime/idle_blocks.hpp - freed blocks of memory that wait for their next use.
//
// Training many machines allocates and frees the same dozen blocks for each of them. The heap
// retains their pages but fragments them: a third of the memory of a fit of 325 pairs of classes
// was holes. The system takes pages back at once but clears them anew each time. Here a freed block
// stays in one piece, and the owner says how many bytes may wait.
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "mercer/base/types.hpp"

namespace mercer {

/// Blocks of pages by size. Safe to use from many threads.
class IdleBlocks {
public:
    /// Block sizes are rounded up to one of `sizes` between powers of two: problems of nearly the
    /// same size use the same blocks, and pages that are not touched cost nothing.
    explicit IdleBlocks(index_t sizes) : sizes_(sizes) {}
    ~IdleBlocks() { release_down_to(0); }
    IdleBlocks(const IdleBlocks&) = delete;
    IdleBlocks& operator=(const IdleBlocks&) = delete;

    /// True for sizes that are worth a block of their own.
    [[nodiscard]] static bool serves(index_t bytes) noexcept;

    /// A waiting block of that size; null when there is none.
    [[nodiscard]] void* take(index_t bytes) noexcept;
    /// A new block of that size, full of zeros; null when the system refuses.
    [[nodiscard]] void* make(index_t bytes) const noexcept;
    /// Takes back a block of take(bytes) or make(bytes). All that wait stay within `most` bytes.
    void give(void* block, index_t bytes, index_t most) noexcept;

    /// Returns the oldest waiting blocks to the system until at most that many bytes wait.
    void release_down_to(index_t most) noexcept;

    [[nodiscard]] index_t idle_bytes() const noexcept {
        return idle_bytes_.load(std::memory_order_relaxed);
    }

private:
    struct Idle {
        void* block;
        index_t size;
    };

    [[nodiscard]] index_t size_of_block(index_t bytes) const noexcept;
    void shrink(index_t most) noexcept;  ///< with the lock held

    index_t sizes_;
    std::mutex mutex_;
    std::vector<Idle> idle_;  ///< the oldest first
    std::atomic<index_t> idle_bytes_{0};
};

}  // namespace mercer
