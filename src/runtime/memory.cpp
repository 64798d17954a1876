// SPDX-License-Identifier: Apache-2.0
//
// src/runtime/memory.cpp - large blocks come from the system and go back when they are freed.
#include "mercer/runtime/memory.hpp"

#include <fast_float/fast_float.h>
#include <fmt/core.h>
#include <malloc.h>
#include <sys/mman.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "mercer/base/error.hpp"
#include "runtime/idle_blocks.hpp"

namespace mercer {

namespace {

// Above this size a block is mapped on its own: freeing it lowers the resident set at once, which
// a heap arena does not promise, and untouched pages cost nothing. Smaller blocks wait for their
// next use after they are freed: fresh pages took a sixth of the time of many small fits.
constexpr index_t kMapThreshold = index_t{8} << 20;
// Enough for what two threads free between two rounds of a solver, or two pieces of a product with
// K. Page faults of whole runs with 4 / 8 / 12 / 16 MiB: mnist 107,000 / 30,000 / 32,000 / 25,000
// (each takes nearly a microsecond, of 1.3 s), usps 31,000 / 14,000 / 9,000 / 9,000, a9a 48,000 /
// 36,000 / 33,000 / 29,000; from 12 on, a9a, usps and reuters need 7 % more memory.
constexpr index_t kMostIdle = index_t{8} << 20;
constexpr index_t kSmallSizes = 1;   // between powers of two
constexpr index_t kLargeSizes = 32;  // folds differ by a row or two

constexpr std::size_t kAlignment = 64;

// Not std::aligned_alloc: in glibc before 2.38 each call puts the sliver that it cuts off in front
// on a free list. The sliver keeps its neighbours from being merged, and the next request of the
// same size does not fit into the block that was freed: 325 small fits grew to 14 MB that way, to 9
// MB this way. Here the padding in front stays with the block, and its last byte holds its length.
void* allocate_aligned(std::size_t bytes) {
    const std::size_t padded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    auto* start = static_cast<unsigned char*>(std::malloc(kAlignment + padded));
    if (start == nullptr) {
        return nullptr;
    }
    const std::size_t room = kAlignment - reinterpret_cast<std::uintptr_t>(start) % kAlignment;
    start[room - 1] = static_cast<unsigned char>(room);
    return start + room;
}

void free_aligned(void* block) noexcept {
    auto* bytes = static_cast<unsigned char*>(block);
    std::free(bytes - bytes[-1]);
}

/// Raises a mark that many threads may raise.
void raise_to(std::atomic<index_t>& mark, index_t value) {
    index_t before = mark.load(std::memory_order_relaxed);
    while (before < value &&
           !mark.compare_exchange_weak(before, value, std::memory_order_relaxed)) {
    }
}

}  // namespace

MemoryBudget::MemoryBudget(index_t limit)
    : limit_(limit),
      idle_(std::make_unique<IdleBlocks>(kSmallSizes)),
      large_(std::make_unique<IdleBlocks>(kLargeSizes)) {}

MemoryBudget::~MemoryBudget() = default;

void MemoryBudget::take(index_t bytes, std::string_view what) {
    index_t used = used_.load(std::memory_order_relaxed);
    do {
        if (bytes > limit_ - used) {
            throw ResourceError(
                fmt::format("memory: {} needs {}, but {} of {} are left; raise --memory", what,
                            format_byte_size(bytes), format_byte_size(limit_ - used),
                            format_byte_size(limit_)));
        }
    } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
    const index_t now = used + bytes;
    raise_to(peak_, now);
    raise_to(most_used_, now);
    if (large_->idle_bytes() > 0) {
        large_->release_down_to(most_used_.load(std::memory_order_relaxed) - now);
    }
}

void* MemoryBudget::allocate(index_t bytes, std::string_view what, Contents contents) {
    const bool large = bytes >= kMapThreshold;
    const bool mapped = large || IdleBlocks::serves(bytes);
    IdleBlocks& blocks = large ? *large_ : *idle_;
    void* block = mapped ? blocks.take(bytes) : nullptr;
    try {
        take(bytes, what);
    } catch (...) {
        if (block != nullptr) {
            blocks.give(block, bytes, 0);
        }
        throw;
    }
    bool zeros = false;
    if (block == nullptr && mapped) {
        block = blocks.make(bytes);
        zeros = true;
        if (large && block != nullptr) {
            ::madvise(block, static_cast<std::size_t>(bytes), MADV_HUGEPAGE);
        }
    } else if (block == nullptr) {
        block = allocate_aligned(static_cast<std::size_t>(bytes));
    }
    if (block != nullptr && !zeros && contents == Contents::zeros) {
        std::memset(block, 0, static_cast<std::size_t>(bytes));
    }
    if (block == nullptr) {
        give(bytes);
        throw ResourceError(
            fmt::format("memory: the system refused {} for {}", format_byte_size(bytes), what));
    }
    return block;
}

void MemoryBudget::release(void* block, index_t bytes) noexcept {
    if (bytes >= kMapThreshold) {
        // Until it is given back, the block is counted as used.
        const bool waits = reusing_.load() > 0 && IdleBlocks::serves(bytes);
        large_->give(block, bytes,
                     waits ? most_used_.load(std::memory_order_relaxed) - used() + bytes : 0);
    } else if (IdleBlocks::serves(bytes)) {
        idle_->give(block, bytes, kMostIdle);
    } else {
        free_aligned(block);
    }
    give(bytes);
}

void MemoryBudget::begin_reuse() noexcept {
    if (reusing_.fetch_add(1) == 0) {
        most_used_.store(used(), std::memory_order_relaxed);
    }
}

void MemoryBudget::end_reuse() noexcept {
    if (reusing_.fetch_sub(1) == 1) {
        large_->release_down_to(0);
    }
}

void MemoryBudget::release_idle() noexcept {
    if (reusing_.load() > 0) {
        return;
    }
    idle_->release_down_to(0);
    ::malloc_trim(0);  // the C library retains the pages of freed arrays below those in use
}

index_t MemoryBudget::idle() const noexcept { return idle_->idle_bytes() + large_->idle_bytes(); }

std::optional<index_t> parse_byte_size(std::string_view text) {
    double number = 0.0;
    const auto parsed = fast_float::from_chars(text.data(), text.data() + text.size(), number);
    if (parsed.ec != std::errc() || !std::isfinite(number) || number <= 0.0) {
        return std::nullopt;
    }
    std::string_view unit = text.substr(static_cast<std::size_t>(parsed.ptr - text.data()));
    double scale = 1.0;
    if (!unit.empty()) {
        const std::size_t power = std::string_view("KMGT").find(
            static_cast<char>(unit.front() >= 'a' ? unit.front() - 'a' + 'A' : unit.front()));
        if (power != std::string_view::npos) {
            scale = std::ldexp(1.0, 10 * (static_cast<int>(power) + 1));
            unit.remove_prefix(1);
            if (!unit.empty() && unit.front() == 'i') {
                unit.remove_prefix(1);
            }
        }
        if (!unit.empty() && unit != "B" && unit != "b") {
            return std::nullopt;
        }
    }
    const double bytes = number * scale;
    if (!(bytes >= 1.0) || bytes > 0x1.0p62) {
        return std::nullopt;
    }
    return static_cast<index_t>(bytes);
}

std::string format_byte_size(index_t bytes) {
    constexpr std::array<const char*, 5> kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
    double value = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (std::abs(value) >= 1024.0 && unit + 1 < kUnits.size()) {
        value /= 1024.0;
        ++unit;
    }
    return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, kUnits[unit]);
}

}  // namespace mercer
