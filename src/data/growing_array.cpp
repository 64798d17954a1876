// SPDX-License-Identifier: Apache-2.0
//
// src/data/growing_array.cpp - growth by moving pages instead of copying them.
#include "data/growing_array.hpp"

#include <fmt/core.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "mercer/base/error.hpp"

namespace mercer::data {

namespace {

constexpr index_t kPage = 4096;
// Below this size a block lives on the heap: mapping pages costs more than copying so little.
constexpr index_t kMapThreshold = index_t{64} << 10;
// Small arrays double; larger ones grow by one eighth, so that little is charged without use.
// Moving pages takes 0.1 % of the time of read_bench.
constexpr index_t kDoublingLimit = index_t{8} << 20;
constexpr index_t kFirstCapacity = 1024;
constexpr index_t kMostBytes = index_t{1} << 62;

index_t rounded(index_t bytes) {
    return bytes < kMapThreshold ? bytes : (bytes + kPage - 1) / kPage * kPage;
}

/// Resizes a block of `old_size` bytes (null: none) to `size`; new bytes are zero. Null when the
/// system refuses; the old block then remains.
void* reallocate(void* old, index_t old_size, index_t size) {
    const auto bytes = static_cast<std::size_t>(size);
    const auto old_bytes = static_cast<std::size_t>(old_size);
    if (size < kMapThreshold) {
        void* block = std::realloc(old, bytes);
        if (block != nullptr) {
            std::memset(static_cast<char*>(block) + old_bytes, 0, bytes - old_bytes);
        }
        return block;
    }
    const bool was_mapped = old_size >= kMapThreshold;
    void* block = was_mapped ? ::mremap(old, old_bytes, bytes, MREMAP_MAYMOVE)
                             : ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) {
        return nullptr;
    }
    if (!was_mapped && old != nullptr) {
        std::memcpy(block, old, old_bytes);
        std::free(old);
    }
    return block;
}

}  // namespace

GrowingBlock::GrowingBlock(GrowingBlock&& other) noexcept
    : budget_(other.budget_),
      what_(other.what_),
      data_(std::exchange(other.data_, nullptr)),
      capacity_(std::exchange(other.capacity_, 0)) {}

GrowingBlock& GrowingBlock::operator=(GrowingBlock&& other) noexcept {
    std::swap(budget_, other.budget_);
    std::swap(what_, other.what_);
    std::swap(data_, other.data_);
    std::swap(capacity_, other.capacity_);
    return *this;
}

GrowingBlock::~GrowingBlock() { shrink(0); }

void GrowingBlock::reserve(index_t bytes) {
    if (bytes <= capacity_) {
        return;
    }
    if (bytes > kMostBytes) {
        throw ResourceError(fmt::format("memory: {} does not fit 64-bit addresses", what_));
    }
    const index_t step = capacity_ < kDoublingLimit ? capacity_ : capacity_ / 8;
    const index_t wanted = rounded(std::max({bytes, capacity_ + step, kFirstCapacity}));
    const index_t needed = rounded(bytes);
    // A budget that is nearly spent may still have what is needed now.
    const index_t capacity = wanted - capacity_ <= budget_->left() ? wanted : needed;
    const index_t extra = capacity - capacity_;
    budget_->take(extra, what_);
    void* block = reallocate(data_, capacity_, capacity);
    if (block == nullptr) {
        budget_->give(extra);
        throw ResourceError(
            fmt::format("memory: the system refused {} for {}", format_byte_size(capacity), what_));
    }
    data_ = block;
    capacity_ = capacity;
    if (capacity >= kDoublingLimit) {
        ::madvise(data_, static_cast<std::size_t>(capacity_), MADV_HUGEPAGE);
    }
}

void GrowingBlock::shrink(index_t bytes) noexcept {
    // A mapped block stays mapped while any of it is retained: its size tells how it was allocated.
    const index_t retained =
        bytes == 0 ? 0 : std::max(rounded(bytes), std::min(capacity_, kMapThreshold));
    if (retained >= capacity_) {
        return;
    }
    if (capacity_ >= kMapThreshold) {
        ::munmap(static_cast<char*>(data_) + retained,
                 static_cast<std::size_t>(capacity_ - retained));
    } else {
        std::free(data_);
    }
    budget_->give(capacity_ - retained);
    capacity_ = retained;
    if (retained == 0) {
        data_ = nullptr;
    }
}

}  // namespace mercer::data
