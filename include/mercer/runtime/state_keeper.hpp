// SPDX-License-Identifier: Apache-2.0
//
// mercer/runtime/state_keeper.hpp - how a long computation saves its state and resumes from it.
//
// The computation calls due() at points where its state is consistent, and saves the state when
// due() is true. Restarted with the same input, it continues from saved() as if it had never
// stopped.
#pragma once

#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "mercer/base/error.hpp"
#include "mercer/base/types.hpp"

namespace mercer {

class StateKeeper {
public:
    virtual ~StateKeeper() = default;

    /// True when it is time to save the state again.
    [[nodiscard]] virtual bool due() = 0;

    /// Saves the state. Throws ResourceError; the state saved before then remains.
    virtual void save(std::string state) = 0;

    /// The state to continue from; empty: start from the beginning.
    [[nodiscard]] virtual std::string_view saved() const = 0;
};

/// Numbers and arrays of numbers as bytes, each array with its length.
class StateWriter {
public:
    template <typename T>
    void number(T value) {
        static_assert(std::is_arithmetic_v<T>);
        bytes_.append(reinterpret_cast<const char*>(&value), sizeof(T));
    }
    template <typename T>
    void array(std::span<const T> values) {
        static_assert(std::is_arithmetic_v<T>);
        number(static_cast<index_t>(values.size()));
        bytes_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    }
    template <typename T>
    void array(const std::vector<T>& values) {
        array(std::span<const T>(values));
    }

    [[nodiscard]] std::string take() { return std::move(bytes_); }

private:
    std::string bytes_;
};

/// Reads what StateWriter wrote. Throws DataError when the bytes are something else.
class StateReader {
public:
    explicit StateReader(std::string_view bytes) : bytes_(bytes) {}

    template <typename T>
    [[nodiscard]] T number() {
        T value{};
        copy(&value, sizeof(T));
        return value;
    }
    /// An integer of [lower, upper].
    [[nodiscard]] index_t integer(index_t lower, index_t upper) {
        const auto value = number<index_t>();
        require(lower <= value && value <= upper);
        return value;
    }
    template <typename T>
    [[nodiscard]] std::vector<T> array() {
        const index_t size =
            integer(0, static_cast<index_t>(bytes_.size()) / static_cast<index_t>(sizeof(T)));
        std::vector<T> values(static_cast<std::size_t>(size));
        copy(values.data(), values.size() * sizeof(T));
        return values;
    }
    /// An array of that length.
    template <typename T>
    [[nodiscard]] std::vector<T> array(index_t size) {
        std::vector<T> values = array<T>();
        require(static_cast<index_t>(values.size()) == size);
        return values;
    }
    /// Distinct integers of [0, limit).
    [[nodiscard]] std::vector<index_t> places(index_t limit) {
        std::vector<index_t> values = array<index_t>();
        std::vector<bool> seen(static_cast<std::size_t>(limit), false);
        for (const index_t value : values) {
            require(value >= 0 && value < limit && !seen[static_cast<std::size_t>(value)]);
            seen[static_cast<std::size_t>(value)] = true;
        }
        return values;
    }

    [[nodiscard]] bool at_end() const noexcept { return bytes_.empty(); }

    static void require(bool holds) {
        if (!holds) {
            throw DataError("the saved state does not fit this problem");
        }
    }

private:
    void copy(void* to, std::size_t size) {
        require(size <= bytes_.size());
        if (size > 0) {
            std::memcpy(to, bytes_.data(), size);
        }
        bytes_.remove_prefix(size);
    }

    std::string_view bytes_;
};

}  // namespace mercer
