// SPDX-License-Identifier: Apache-2.0
//
// src/data/growing_array.hpp - a budgeted array that grows without being copied.
//
// A reader does not know how many numbers a file holds. The memory of a vector that doubles peaks
// at three times the data; here the system moves the pages (mremap), so the peak is the data plus
// one eighth.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "mercer/base/types.hpp"
#include "mercer/runtime/memory.hpp"

namespace mercer::data {

/// Bytes held against a budget for things that are not Buffers (strings, vectors of targets).
class Charge {
public:
    explicit Charge(std::shared_ptr<MemoryBudget> budget) : budget_(std::move(budget)) {}
    Charge(Charge&& other) noexcept
        : budget_(std::move(other.budget_)), bytes_(std::exchange(other.bytes_, 0)) {}
    Charge& operator=(Charge&&) = delete;
    ~Charge() {
        if (bytes_ > 0) {
            budget_->give(bytes_);
        }
    }

    /// Throws ResourceError when the budget refuses.
    void add(index_t bytes, std::string_view what) {
        budget_->take(bytes, what);
        bytes_ += bytes;
    }

private:
    std::shared_ptr<MemoryBudget> budget_;
    index_t bytes_ = 0;
};

/// Memory that can grow and shrink; new bytes are zero.
class GrowingBlock {
public:
    GrowingBlock(std::shared_ptr<MemoryBudget> budget, std::string what)
        : budget_(std::move(budget)), what_(std::move(what)) {}
    GrowingBlock(GrowingBlock&& other) noexcept;
    GrowingBlock& operator=(GrowingBlock&& other) noexcept;
    ~GrowingBlock();

    /// Makes room for at least `bytes`; throws ResourceError when budget or system refuse.
    void reserve(index_t bytes);
    /// Gives back the pages beyond `bytes`; small blocks stay unchanged unless `bytes` is 0.
    void shrink(index_t bytes) noexcept;

    [[nodiscard]] void* data() const noexcept { return data_; }
    [[nodiscard]] index_t capacity() const noexcept { return capacity_; }

private:
    std::shared_ptr<MemoryBudget> budget_;
    std::string what_;
    void* data_ = nullptr;
    index_t capacity_ = 0;
};

/// A vector of trivial `T` on a GrowingBlock.
template <typename T>
class GrowingArray {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    GrowingArray(std::shared_ptr<MemoryBudget> budget, std::string what)
        : block_(std::move(budget), std::move(what)) {}
    GrowingArray(GrowingArray&& other) noexcept
        : block_(std::move(other.block_)),
          size_(std::exchange(other.size_, 0)),
          capacity_(std::exchange(other.capacity_, 0)) {}
    GrowingArray& operator=(GrowingArray&& other) noexcept {
        block_ = std::move(other.block_);
        size_ = std::exchange(other.size_, 0);
        capacity_ = std::exchange(other.capacity_, 0);
        return *this;
    }

    void push_back(T value) {
        if (size_ == capacity_) {
            grow(size_ + 1);
        }
        data()[size_++] = value;
    }

    /// Adds `count` elements, zeros unless truncate() left old values; returns a pointer to the
    /// first.
    [[nodiscard]] T* extend(index_t count) {
        if (count > capacity_ - size_) {
            const std::optional<index_t> size = try_add(size_, count);
            grow(size ? *size : MemoryBudget::kUnlimited);
        }
        T* begin = data() + size_;
        size_ += count;
        return begin;
    }

    /// Drops the elements beyond `size` and returns spare pages to the system.
    void truncate(index_t size) noexcept {
        size_ = size;
        block_.shrink(size * static_cast<index_t>(sizeof(T)));
        capacity_ = block_.capacity() / static_cast<index_t>(sizeof(T));
    }
    void shrink_to_fit() noexcept { truncate(size_); }

    [[nodiscard]] index_t size() const noexcept { return size_; }
    [[nodiscard]] T* data() noexcept { return static_cast<T*>(block_.data()); }
    [[nodiscard]] const T* data() const noexcept { return static_cast<const T*>(block_.data()); }
    [[nodiscard]] T& operator[](index_t i) noexcept { return data()[i]; }
    [[nodiscard]] const T& operator[](index_t i) const noexcept { return data()[i]; }
    [[nodiscard]] std::span<const T> span() const noexcept {
        return {data(), static_cast<std::size_t>(size_)};
    }

private:
    void grow(index_t size) {
        block_.reserve(checked_multiply(size, sizeof(T)));
        capacity_ = block_.capacity() / static_cast<index_t>(sizeof(T));
    }

    GrowingBlock block_;
    index_t size_ = 0;
    index_t capacity_ = 0;
};

}  // namespace mercer::data
