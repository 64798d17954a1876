// SPDX-License-Identifier: Apache-2.0
//
// src/models/hash.hpp - XXH3 (64 bits) of bytes that come in pieces.
#pragma once

#include <xxhash.h>

#include <cstdint>
#include <memory>
#include <new>
#include <span>

namespace mercer {

class Hash {
public:
    Hash() : state_(XXH3_createState(), XXH3_freeState) {
        if (state_ == nullptr) {
            throw std::bad_alloc();
        }
        XXH3_64bits_reset(state_.get());
    }
    void add(std::span<const char> bytes) {
        if (!bytes.empty()) {
            XXH3_64bits_update(state_.get(), bytes.data(), bytes.size());
        }
    }
    [[nodiscard]] std::uint64_t value() const { return XXH3_64bits_digest(state_.get()); }

private:
    std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state_;
};

/// The memory of numbers, byte by byte.
template <typename T>
[[nodiscard]] std::span<const char> bytes_of(std::span<const T> numbers) {
    return {reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()};
}
template <typename T>
[[nodiscard]] std::span<char> writable_bytes_of(std::span<T> numbers) {
    return {reinterpret_cast<char*>(numbers.data()), numbers.size_bytes()};
}

}  // namespace mercer
