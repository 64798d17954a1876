// SPDX-License-Identifier: Apache-2.0
//
// src/data/growing_array.cpp - growth by moving pages instead of copying them.
#include "data/growing_array.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>

#include "mercer/base/error.hpp"

namespace mercer::data {

namespace {

constexpr index_t kPage = 4096;
// Small arrays double; beyond this size one eighth at a time, so that little is charged in vain.
// Moving pages costs some 2 % of parsing the text that fills them.
constexpr index_t kDoublingLimit = index_t{8} << 20;
constexpr index_t kFirstCapacity = index_t{16} << 10;
constexpr index_t kLargest = index_t{1} << 62;

index_t to_pages(index_t bytes) {
    return (bytes + kPage - 1) / kPage * kPage;
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

GrowingBlock::~GrowingBlock() {
    shrink(0);
}

void GrowingBlock::reserve(index_t bytes) {
    if (bytes <= capacity_) {
        return;
    }
    if (bytes > kLargest) {
        throw ResourceError(fmt::format("memory: {} does not fit 64-bit addresses", what_));
    }
    const index_t step = capacity_ < kDoublingLimit ? capacity_ : capacity_ / 8;
    const index_t wanted = to_pages(std::max({bytes, capacity_ + step, kFirstCapacity}));
    const index_t needed = to_pages(bytes);
    // A budget that is nearly spent may still hold what is needed now.
    resize(wanted - capacity_ <= budget_->left() ? wanted : needed);
}

void GrowingBlock::resize(index_t capacity) {
    const index_t extra = capacity - capacity_;
    budget_->take(extra, what_);
    void* block = data_ == nullptr
                      ? ::mmap(nullptr, static_cast<std::size_t>(capacity), PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                      : ::mremap(data_, static_cast<std::size_t>(capacity_),
                                 static_cast<std::size_t>(capacity), MREMAP_MAYMOVE);
    if (block == MAP_FAILED) {
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
    const index_t kept = to_pages(bytes);
    if (kept >= capacity_) {
        return;
    }
    ::munmap(static_cast<char*>(data_) + kept, static_cast<std::size_t>(capacity_ - kept));
    budget_->give(capacity_ - kept);
    capacity_ = kept;
    if (kept == 0) {
        data_ = nullptr;
    }
}

}  // namespace mercer::data
