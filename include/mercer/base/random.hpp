// SPDX-License-Identifier: Apache-2.0
//
// mercer/base/random.hpp - seeded random streams whose numbers are the same on every platform.
//
// The standard library fixes its engines but not its distributions, so both are our own. A stream
// is named by (seed, stream): parallel or nested work takes its own stream and never shares one.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "mercer/base/types.hpp"

namespace mercer {

/// xoshiro256++ (Blackman and Vigna, 2019), seeded by splitmix64 from (seed, stream).
class Random {
public:
    explicit Random(std::uint64_t seed, std::uint64_t stream = 0);

    /// The next 64 random bits.
    [[nodiscard]] std::uint64_t bits();

    /// Uniform on [0, 1), 53 bits.
    [[nodiscard]] double uniform();

    /// Uniform on [lower, upper).
    [[nodiscard]] double uniform(double lower, double upper);

    /// Uniform on {0, ..., bound - 1}, without modulo bias.
    /// Throws InvalidArgument unless bound > 0.
    [[nodiscard]] index_t below(index_t bound);

    /// Standard normal by the polar method of Marsaglia.
    [[nodiscard]] double normal();

    /// A uniformly random permutation of 0 .. n-1 (Fisher-Yates).
    /// Throws InvalidArgument unless n >= 0.
    [[nodiscard]] std::vector<index_t> permutation(index_t n);

private:
    std::array<std::uint64_t, 4> state_{};
    double spare_normal_ = 0.0;
    bool has_spare_ = false;
};

}  // namespace mercer
