// SPDX-License-Identifier: Apache-2.0
//
// src/base/random.cpp - xoshiro256++ and the distributions on it.
#include "mercer/base/random.hpp"

#include <bit>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "mercer/base/error.hpp"

namespace mercer {

namespace {

std::uint64_t splitmix64(std::uint64_t& state) {
    state += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

}  // namespace

Random::Random(std::uint64_t seed, std::uint64_t stream) {
    // Mixing the stream through one round first keeps (1, 0) and (0, 1) apart.
    std::uint64_t mixed = stream;
    std::uint64_t state = seed ^ splitmix64(mixed);
    for (std::uint64_t& word : state_) {
        word = splitmix64(state);
    }
}

std::uint64_t Random::bits() {
    const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = std::rotl(state_[3], 45);
    return result;
}

double Random::uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }

double Random::uniform(double lower, double upper) {
    const double value = lower + (upper - lower) * uniform();
    return value < upper ? value : std::nextafter(upper, lower);  // the sum may round up to upper
}

index_t Random::below(index_t bound) {
    if (bound <= 0) {
        throw InvalidArgument("bound: got " + std::to_string(bound) + ", must be > 0");
    }
    const auto range = static_cast<std::uint64_t>(bound);
    const std::uint64_t rejected = (0 - range) % range;  // 2^64 mod range: the biased remainder
    std::uint64_t draw = bits();
    while (draw < rejected) {
        draw = bits();
    }
    return static_cast<index_t>(draw % range);
}

double Random::normal() {
    if (has_spare_) {
        has_spare_ = false;
        return spare_normal_;
    }
    double u = 0.0;
    double v = 0.0;
    double radius2 = 0.0;
    do {
        u = uniform(-1.0, 1.0);
        v = uniform(-1.0, 1.0);
        radius2 = u * u + v * v;
    } while (radius2 >= 1.0 || radius2 == 0.0);
    const double factor = std::sqrt(-2.0 * std::log(radius2) / radius2);
    spare_normal_ = v * factor;
    has_spare_ = true;
    return u * factor;
}

std::vector<index_t> Random::permutation(index_t n) {
    if (n < 0) {
        throw InvalidArgument("n: got " + std::to_string(n) + ", must be >= 0");
    }
    std::vector<index_t> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), index_t{0});
    for (index_t i = n - 1; i > 0; --i) {
        std::swap(order[static_cast<std::size_t>(i)],
                  order[static_cast<std::size_t>(below(i + 1))]);
    }
    return order;
}

}  // namespace mercer
