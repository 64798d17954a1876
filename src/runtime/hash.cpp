// SPDX-License-Identifier: Apache-2.0
//
// src/runtime/hash.cpp - the only file that includes xxHash.
#include "mercer/runtime/hash.hpp"

#include <xxhash.h>

#include <new>

namespace mercer {

Hash::Hash() : state_(XXH3_createState()) {
    if (state_ == nullptr) {
        throw std::bad_alloc();
    }
    XXH3_64bits_reset(state_);
}

Hash::~Hash() { XXH3_freeState(state_); }

void Hash::add(std::span<const char> bytes) {
    if (!bytes.empty()) {
        XXH3_64bits_update(state_, bytes.data(), bytes.size());
    }
}

std::uint64_t Hash::value() const { return XXH3_64bits_digest(state_); }

std::uint64_t hash_of(std::span<const char> bytes) {
    return XXH3_64bits(bytes.data(), bytes.size());
}

}  // namespace mercer
