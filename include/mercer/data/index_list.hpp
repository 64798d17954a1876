// SPDX-License-Identifier: Apache-2.0
//
// mercer/data/index_list.hpp - a borrowed list of 32-bit or 64-bit column indices.
#pragma once

#include <concepts>
#include <cstdint>
#include <ranges>
#include <span>

#include "mercer/base/types.hpp"

namespace mercer {

/// Integers of one of the two widths, borrowed. A loop over many of them should use visit(), which
/// tests the width once; operator[] tests it at every call.
class IndexList {
public:
    IndexList() = default;
    template <typename Index>
    requires std::same_as<Index, index_t> || std::same_as<Index, std::int32_t> IndexList(
        const Index* data, std::size_t size)
        : data_(data), size_(size), is_narrow_(sizeof(Index) == sizeof(std::int32_t)) {}
    /// Any contiguous range of such integers: a span, a vector.
    template <std::ranges::contiguous_range Range>
    requires(!std::same_as<std::remove_cvref_t<Range>, IndexList>)
        // NOLINTNEXTLINE(google-explicit-constructor): a view, as std::span is
        IndexList(const Range& numbers)
        : IndexList(std::ranges::data(numbers), std::ranges::size(numbers)) {}

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] bool is_narrow() const noexcept { return is_narrow_; }
    [[nodiscard]] const void* data() const noexcept { return data_; }
    [[nodiscard]] std::size_t size_bytes() const noexcept {
        return size_ * (is_narrow_ ? sizeof(std::int32_t) : sizeof(index_t));
    }
    [[nodiscard]] index_t operator[](std::size_t k) const noexcept {
        return is_narrow_ ? narrow()[k] : wide()[k];
    }
    /// Calls use(numbers) with a std::span of their actual type.
    template <typename Use>
    decltype(auto) visit(Use&& use) const {
        return is_narrow_ ? use(std::span(narrow(), size_)) : use(std::span(wide(), size_));
    }

    [[nodiscard]] IndexList subspan(std::size_t first, std::size_t count) const noexcept {
        return visit([&](auto numbers) { return IndexList(numbers.subspan(first, count)); });
    }

private:
    [[nodiscard]] const std::int32_t* narrow() const noexcept {
        return static_cast<const std::int32_t*>(data_);
    }
    [[nodiscard]] const index_t* wide() const noexcept {
        return static_cast<const index_t*>(data_);
    }

    const void* data_ = nullptr;
    std::size_t size_ = 0;
    bool is_narrow_ = false;
};

}  // namespace mercer
