// SPDX-License-Identifier: Apache-2.0
//
// mercer/runtime/hash.hpp - XXH3 (64 bits) of bytes that come in pieces.
#pragma once

#include <cstdint>
#include <span>

struct XXH3_state_s;

namespace mercer {

/// The value depends on the bytes alone, not on where the pieces begin.
class Hash {
public:
    Hash();
    ~Hash();
    Hash(const Hash&) = delete;
    Hash& operator=(const Hash&) = delete;

    void add(std::span<const char> bytes);
    [[nodiscard]] std::uint64_t value() const;

private:
    XXH3_state_s* state_;
};

/// The hash of bytes in one piece: the same value.
[[nodiscard]] std::uint64_t hash_of(std::span<const char> bytes);

/// The bytes of an array of numbers.
template <typename T>
[[nodiscard]] std::span<const char> bytes_of(std::span<const T> numbers) {
    return {reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()};
}
template <typename T>
[[nodiscard]] std::span<char> writable_bytes_of(std::span<T> numbers) {
    return {reinterpret_cast<char*>(numbers.data()), numbers.size_bytes()};
}

}  // namespace mercer
