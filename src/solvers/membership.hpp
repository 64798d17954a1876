// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/membership.hpp - sets of variables as bits, in the form of compute/coordinate.hpp.
#pragma once

#include <cstdint>
#include <vector>

#include "mercer/compute/coordinate.hpp"

namespace mercer {

/// `size` rounded up to the number of entries that the vectorised passes read.
[[nodiscard]] inline index_t padded_lanes(index_t size) {
    return (size + kCoordinateLanes - 1) / kCoordinateLanes * kCoordinateLanes;
}

inline void set_bit(std::vector<std::uint8_t>& set, index_t k, bool on) {
    std::uint8_t& byte = set[static_cast<std::size_t>(k / 8)];
    const auto bit = static_cast<std::uint8_t>(1U << (k % 8));
    byte = on ? byte | bit : byte & static_cast<std::uint8_t>(~bit);
}

[[nodiscard]] inline bool get_bit(const std::vector<std::uint8_t>& set, index_t k) {
    return ((set[static_cast<std::size_t>(k / 8)] >> (k % 8)) & 1) != 0;
}

}  // namespace mercer
