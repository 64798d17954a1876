// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/runtime/hash_test.cpp - the hash of bytes does not depend on how they come.
#include "mercer/runtime/hash.hpp"

#include <gtest/gtest.h>
#include <xxhash.h>

#include <algorithm>
#include <string>
#include <vector>

namespace mercer {
namespace {

TEST(hash, pieces_do_not_matter) {
    std::string text;
    for (int i = 0; i < 1000; ++i) {
        text += static_cast<char>(i * 37 % 251);
    }
    const std::uint64_t whole = XXH3_64bits(text.data(), text.size());
    for (const std::size_t piece : {1U, 7U, 256U, 1000U}) {
        Hash hash;
        for (std::size_t begin = 0; begin < text.size(); begin += piece) {
            hash.add(
                std::span<const char>(text).subspan(begin, std::min(piece, text.size() - begin)));
            hash.add({});
        }
        EXPECT_EQ(hash.value(), whole) << piece;
    }
    EXPECT_EQ(Hash().value(), XXH3_64bits("", 0));
    EXPECT_EQ(hash_of(text), whole);
    EXPECT_EQ(hash_of({}), Hash().value());
}

TEST(hash, numbers_are_seen_as_their_bytes) {
    std::vector<double> numbers = {1.0, -2.5};
    EXPECT_EQ(bytes_of(std::span<const double>(numbers)).size(), 16U);
    writable_bytes_of(std::span(numbers))[7] = 0;  // the sign and most of the exponent
    EXPECT_LT(numbers[0], 1e-300);
    EXPECT_EQ(numbers[1], -2.5);
}

}  // namespace
}  // namespace mercer
