// SPDX-License-Identifier: Apache-2.0
//
// mercer/runtime/memory.hpp - the one budget through which every large block goes.
#pragma once

#include <atomic>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "mercer/base/checked.hpp"
#include "mercer/base/error.hpp"
#include "mercer/base/types.hpp"

namespace mercer {

/// What a new block holds: zeros, or unspecified bytes when it is written before it is read.
enum class Contents { zeros, any };

class IdleBlocks;

/// Allocates large blocks and counts their bytes against a limit. Thread-safe; shared by everyone
/// who holds it.
class MemoryBudget {
public:
    /// A budget of `limit` bytes; kUnlimited counts but never refuses.
    explicit MemoryBudget(index_t limit = kUnlimited);
    ~MemoryBudget();
    MemoryBudget(const MemoryBudget&) = delete;
    MemoryBudget& operator=(const MemoryBudget&) = delete;

    static constexpr index_t kUnlimited = std::numeric_limits<index_t>::max();

    /// Takes `bytes`. Throws ResourceError naming `what`, the need and what is left when they do
    /// not fit.
    void take(index_t bytes, std::string_view what);

    /// Gives back what take() took.
    void give(index_t bytes) noexcept { used_.fetch_sub(bytes, std::memory_order_relaxed); }

    /// Aligned bytes, taken from the budget; throws ResourceError. Buffer's only source of memory.
    [[nodiscard]] void* allocate(index_t bytes, std::string_view what, Contents contents);
    void release(void* block, index_t bytes) noexcept;

    /// Released blocks, a few MiB at most, may wait for their next use; they are not counted. This
    /// returns them, and the free pages of the heap, to the system: call it between parts of a
    /// program that need blocks of different sizes.
    void release_idle() noexcept;
    [[nodiscard]] index_t idle() const noexcept;

    /// From begin_reuse() to end_reuse(), large blocks wait as well, and release_idle() returns
    /// nothing. Together with those in use they take no more than was in use at some time since
    /// then. See LargeBlockReuse.
    void begin_reuse() noexcept;
    void end_reuse() noexcept;

    [[nodiscard]] index_t limit() const noexcept { return limit_; }
    [[nodiscard]] index_t used() const noexcept { return used_.load(std::memory_order_relaxed); }
    [[nodiscard]] index_t peak() const noexcept { return peak_.load(std::memory_order_relaxed); }
    /// Restarts the peak at what is used now.
    void reset_peak() noexcept { peak_.store(used(), std::memory_order_relaxed); }
    [[nodiscard]] index_t left() const noexcept { return limit_ - used(); }

private:
    index_t limit_;
    std::atomic<index_t> used_{0};
    std::atomic<index_t> peak_{0};
    std::atomic<int> reusing_{0};
    std::atomic<index_t> most_used_{0};  ///< since reuse began
    std::unique_ptr<IdleBlocks> idle_;
    std::unique_ptr<IdleBlocks> large_;
};

/// While it lives, freed large blocks serve the next requests of about their size: for work that
/// trains many machines of one size.
class LargeBlockReuse {
public:
    explicit LargeBlockReuse(std::shared_ptr<MemoryBudget> budget) : budget_(std::move(budget)) {
        budget_->begin_reuse();
    }
    LargeBlockReuse(const LargeBlockReuse&) = delete;
    LargeBlockReuse& operator=(const LargeBlockReuse&) = delete;
    ~LargeBlockReuse() { budget_->end_reuse(); }

private:
    std::shared_ptr<MemoryBudget> budget_;
};

/// A 64-byte aligned array of trivial `T` that is paid for from a budget.
///
/// Move-only. The budget is kept alive by the array, so a block may outlive its Context.
template <typename T>
class Buffer {
public:
    Buffer() = default;

    /// Throws ResourceError when budget or system refuse; `what` names the block in the message.
    /// Throws InvalidArgument when `size` is negative.
    Buffer(std::shared_ptr<MemoryBudget> budget, index_t size, std::string_view what,
           Contents contents = Contents::zeros);

    Buffer(Buffer&& other) noexcept { swap(other); }
    Buffer& operator=(Buffer&& other) noexcept {
        Buffer(std::move(other)).swap(*this);
        return *this;
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() { release(); }

    [[nodiscard]] index_t size() const noexcept { return size_; }
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] T* data() noexcept { return data_; }
    [[nodiscard]] const T* data() const noexcept { return data_; }
    [[nodiscard]] T& operator[](index_t i) noexcept { return data_[i]; }
    [[nodiscard]] const T& operator[](index_t i) const noexcept { return data_[i]; }
    [[nodiscard]] std::span<T> span() noexcept { return {data_, static_cast<std::size_t>(size_)}; }
    [[nodiscard]] std::span<const T> span() const noexcept {
        return {data_, static_cast<std::size_t>(size_)};
    }
    void swap(Buffer& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(bytes_, other.bytes_);
        std::swap(budget_, other.budget_);
    }

private:
    void release() noexcept;

    T* data_ = nullptr;
    index_t size_ = 0;
    index_t bytes_ = 0;
    std::shared_ptr<MemoryBudget> budget_;
};

/// `4G`, `512M`, `64KiB`, `1000` (bytes) as bytes; nothing when it is not a size > 0 that fits.
[[nodiscard]] std::optional<index_t> parse_byte_size(std::string_view text);

/// Bytes in words: `74.5 GiB`.
[[nodiscard]] std::string format_byte_size(index_t bytes);

template <typename T>
Buffer<T>::Buffer(std::shared_ptr<MemoryBudget> budget, index_t size, std::string_view what,
                  Contents contents) {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
    if (size < 0) {
        throw InvalidArgument(std::string(what) + ": got a negative size");
    }
    if (size == 0) {
        return;
    }
    const index_t bytes = checked_multiply(size, sizeof(T));
    data_ = static_cast<T*>(budget->allocate(bytes, what, contents));
    size_ = size;
    bytes_ = bytes;
    budget_ = std::move(budget);
}

template <typename T>
void Buffer<T>::release() noexcept {
    if (data_ != nullptr) {
        budget_->release(data_, bytes_);
        data_ = nullptr;
    }
}

}  // namespace mercer
