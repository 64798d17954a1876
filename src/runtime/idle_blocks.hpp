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
    ~IdleBlocks() { release(); }
    IdleBlocks(const IdleBlocks&) = delete;
    IdleBlocks& operator=(const IdleBlocks&) = delete;

    /// True for sizes that are worth a block of their own.
    [[nodiscard]] static bool serves(index_t bytes) noexcept;

    struct Taken {
        void* block = nullptr;  ///< null: the system refused
        bool zeros = false;     ///< fresh from the system
    };
    [[nodiscard]] Taken take(index_t bytes) noexcept;
    /// Takes back a block of take(bytes). All that wait stay within `most` bytes: the oldest are
    /// returned to the system.
    void give(void* block, index_t bytes, index_t most) noexcept;

    /// Returns all waiting blocks to the system.
    void release() noexcept;

    [[nodiscard]] index_t idle_bytes() const noexcept {
        return idle_bytes_.load(std::memory_order_relaxed);
    }

private:
    struct Idle {
        void* block;
        index_t size;
    };

    [[nodiscard]] index_t size_of_block(index_t bytes) const noexcept;
    void release_down_to(index_t most) noexcept;

    index_t sizes_;
    std::mutex mutex_;
    std::vector<Idle> idle_;  ///< the oldest first
    std::atomic<index_t> idle_bytes_{0};
};

}  // namespace mercer
