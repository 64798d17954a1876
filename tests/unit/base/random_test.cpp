// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/base/random_test.cpp - random streams: exact values, ranges and first moments.
#include "mercer/base/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>

#include "mercer/base/error.hpp"

namespace mercer {
namespace {

constexpr std::uint64_t kAllOnes = ~std::uint64_t{0};

struct KnownStream {
    std::uint64_t seed;
    std::uint64_t stream;
    std::array<std::uint64_t, 4> bits;
};

// From an independent implementation of splitmix64 and xoshiro256++ in another language, itself
// checked on the published outputs for state {1, 2, 3, 4}: 41943041, 58720359, 3588806011781223,
// ...
TEST(Random, BitsAreThoseOfXoshiro256PlusPlus) {
    constexpr std::array<KnownStream, 5> kStreams{{
        {0, 0, {0x84f09bf307c1073a, 0xc82ffb597ceee51b, 0xadf96905c5df4417, 0xe9d9a8489d042c93}},
        {1, 0, {0x4887886c7244e091, 0x4cfafb3b6cc3ea99, 0xfbce21167403a2c1, 0x2a5a56f477b61858}},
        {0, 1, {0x704560ced7cc0501, 0x4eef90036c89c53a, 0xdce05af2ba1364d7, 0xe019c82160dbbf4c}},
        {42, 7, {0x0d9893fc677d6169, 0x8c202a1a1dd3b94d, 0xb20f071eca7887c8, 0x092b21a6dc9a40cb}},
        {kAllOnes,
         kAllOnes,
         {0x5f7e53d0a0e9db9a, 0x20378f93c1450ce7, 0x97749e115e365c77, 0x726dccf3aee9d1a3}},
    }};
    for (const KnownStream& known : kStreams) {
        Random random(known.seed, known.stream);
        for (const std::uint64_t bits : known.bits) {
            EXPECT_EQ(random.bits(), bits) << known.seed << ", " << known.stream;
        }
    }
}

TEST(Random, UniformIsTheTop53Bits) {
    Random random(0);
    EXPECT_EQ(random.uniform(), std::ldexp(static_cast<double>(0x84f09bf307c1073aULL >> 11), -53));
}

TEST(Random, UniformHasMeanOneHalfAndVarianceOneTwelfth) {
    Random random(3);
    constexpr int kDraws = 200000;
    double sum = 0.0;
    double squares = 0.0;
    for (int i = 0; i < kDraws; ++i) {
        const double u = random.uniform();
        ASSERT_GE(u, 0.0);
        ASSERT_LT(u, 1.0);
        sum += u;
        squares += u * u;
    }
    const double mean = sum / kDraws;
    EXPECT_NEAR(mean, 0.5, 5.0 / std::sqrt(12.0 * kDraws));
    EXPECT_NEAR(squares / kDraws - mean * mean, 1.0 / 12.0, 1e-3);
}

TEST(Random, UniformNeverReachesItsUpperEnd) {
    Random random(4);
    const double next = std::nextafter(1.0, 2.0);  // the interval [1, next) holds one number
    for (int i = 0; i < 1000; ++i) {
        ASSERT_EQ(random.uniform(1.0, next), 1.0);
        const double value = random.uniform(-3.0, 5.0);
        ASSERT_GE(value, -3.0);
        ASSERT_LT(value, 5.0);
    }
}

TEST(Random, NormalHasTheMomentsOfTheGaussian) {
    Random random(5);
    constexpr int kDraws = 200000;
    std::array<double, 4> moments{};
    int beyond_two = 0;
    for (int i = 0; i < kDraws; ++i) {
        const double x = random.normal();
        double power = 1.0;
        for (double& moment : moments) {
            power *= x;
            moment += power / kDraws;
        }
        beyond_two += std::abs(x) > 2.0 ? 1 : 0;
    }
    EXPECT_NEAR(moments[0], 0.0, 0.012);
    EXPECT_NEAR(moments[1], 1.0, 0.016);
    EXPECT_NEAR(moments[2], 0.0, 0.045);
    EXPECT_NEAR(moments[3], 3.0, 0.12);
    EXPECT_NEAR(static_cast<double>(beyond_two) / kDraws, 0.0455003, 0.0025);
}

TEST(Random, BelowIsUnbiasedOnSmallBounds) {
    for (const index_t bound : {1, 2, 3, 7, 10}) {
        Random random(6, static_cast<std::uint64_t>(bound));
        constexpr int kDraws = 70000;
        std::vector<int> counts(static_cast<std::size_t>(bound), 0);
        for (int i = 0; i < kDraws; ++i) {
            const index_t draw = random.below(bound);
            ASSERT_GE(draw, 0);
            ASSERT_LT(draw, bound);
            ++counts[static_cast<std::size_t>(draw)];
        }
        const double expected = static_cast<double>(kDraws) / static_cast<double>(bound);
        double chi2 = 0.0;
        for (const int count : counts) {
            chi2 += (count - expected) * (count - expected) / expected;
        }
        EXPECT_LT(chi2, 30.0) << bound;  // 9 degrees of freedom: probability 4e-4
    }
}

// 2^64 = 2 * (3 * 2^61) + 2 * 2^61: a plain remainder would fall into the first two thirds 3/8 of
// the time each and into the last one only 2/8.
TEST(Random, BelowIsUnbiasedOnLargeBounds) {
    Random random(7);
    const index_t third = index_t{1} << 61;
    constexpr int kDraws = 30000;
    std::array<int, 3> counts{};
    for (int i = 0; i < kDraws; ++i) {
        ++counts[static_cast<std::size_t>(random.below(3 * third) / third)];
    }
    for (const int count : counts) {
        EXPECT_NEAR(count, kDraws / 3.0, 500.0);
    }
}

TEST(Random, BelowRefusesABoundThatIsNotPositive) {
    Random random(8);
    EXPECT_THROW((void)random.below(0), InvalidArgument);
    try {
        (void)random.below(-2);
        FAIL();
    } catch (const InvalidArgument& error) {
        EXPECT_STREQ(error.what(), "bound: got -2, must be > 0");
    }
}

TEST(Random, PermutationHoldsEachIndexOnce) {
    Random random(9);
    for (const index_t n : {0, 1, 2, 17, 1000}) {
        std::vector<index_t> order = random.permutation(n);
        std::sort(order.begin(), order.end());
        std::vector<index_t> identity(static_cast<std::size_t>(n));
        std::iota(identity.begin(), identity.end(), index_t{0});
        EXPECT_EQ(order, identity);
    }
    EXPECT_THROW((void)random.permutation(-1), InvalidArgument);
}

TEST(Random, AllPermutationsOfThreeAreEquallyLikely) {
    Random random(10);
    constexpr int kDraws = 60000;
    std::array<int, 6> counts{};
    for (int i = 0; i < kDraws; ++i) {
        const std::vector<index_t> order = random.permutation(3);
        ++counts[static_cast<std::size_t>(2 * order[0] + (order[1] > order[2] ? 1 : 0))];
    }
    for (const int count : counts) {
        EXPECT_NEAR(count, kDraws / 6.0, 500.0);
    }
}

TEST(Random, StreamsOfOneSeedDiffer) {
    std::set<std::uint64_t> first_draws;
    for (std::uint64_t stream = 0; stream < 1000; ++stream) {
        first_draws.insert(Random(11, stream).bits());
    }
    EXPECT_EQ(first_draws.size(), 1000U);
    EXPECT_NE(Random(1, 0).bits(), Random(0, 1).bits());
}

TEST(Random, ACopyGoesOnWithTheSameNumbers) {
    Random random(12);
    (void)random.normal();  // leaves a spare normal behind
    Random copy = random;
    for (int i = 0; i < 5; ++i) {
        EXPECT_EQ(copy.normal(), random.normal());
    }
}

}  // namespace
}  // namespace mercer
