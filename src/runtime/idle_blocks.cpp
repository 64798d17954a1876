// SPDX-License-Identifier: Apache-2.0
//
// src/runtime/idle_blocks.cpp - lists of blocks by size.
#include "runtime/idle_blocks.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <new>

namespace mercer {

namespace {

// Smaller blocks come from the heap, which returns its end to the system whenever 128 KiB are free
// there: with 64 KiB here, 325 pairs of classes took 7 % more time for 2,400 such returns.
constexpr index_t kSmallest = index_t{16} << 10;
// A sanitizer checks accesses to a heap block, but not to a block that waits here.
constexpr bool kWatched = MERCER_SANITIZED != 0;

}  // namespace

bool IdleBlocks::serves(index_t bytes) noexcept { return !kWatched && bytes >= kSmallest; }

index_t IdleBlocks::size_of_block(index_t bytes) const noexcept {
    const auto power = static_cast<index_t>(std::bit_ceil(static_cast<std::uint64_t>(bytes)));
    const index_t step = power / 2 / sizes_;
    return (bytes + step - 1) / step * step;
}

void* IdleBlocks::take(index_t bytes) noexcept {
    const index_t size = size_of_block(bytes);
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(idle_.rbegin(), idle_.rend(),
                                    [&](const Idle& idle) { return idle.size == size; });
    if (found == idle_.rend()) {
        return nullptr;
    }
    void* block = found->block;
    idle_.erase(std::next(found).base());
    idle_bytes_ -= size;
    return block;
}

void* IdleBlocks::make(index_t bytes) const noexcept {
    void* block = ::mmap(nullptr, static_cast<std::size_t>(size_of_block(bytes)),
                         PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return block == MAP_FAILED ? nullptr : block;
}

void IdleBlocks::give(void* block, index_t bytes, index_t most) noexcept {
    const index_t size = size_of_block(bytes);
    try {
        const std::lock_guard lock(mutex_);
        if (size <= most) {
            idle_.push_back({block, size});
            idle_bytes_ += size;
            block = nullptr;
        }
        shrink(most);
    } catch (const std::bad_alloc&) {  // no memory for the list: return the block to the system
    }
    if (block != nullptr) {
        ::munmap(block, static_cast<std::size_t>(size));
    }
}

void IdleBlocks::release_down_to(index_t most) noexcept {
    const std::lock_guard lock(mutex_);
    shrink(most);
}

void IdleBlocks::shrink(index_t most) noexcept {
    std::size_t released = 0;
    while (idle_bytes() > most) {
        const Idle& oldest = idle_[released++];
        ::munmap(oldest.block, static_cast<std::size_t>(oldest.size));
        idle_bytes_ -= oldest.size;
    }
    idle_.erase(idle_.begin(), idle_.begin() + static_cast<std::ptrdiff_t>(released));
}

}  // namespace mercer
