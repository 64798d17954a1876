// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/data/growing_array_test.cpp - growth keeps values, zeros new ones and pays its way.
#include "data/growing_array.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "mercer/base/error.hpp"

namespace mercer::data {
namespace {

TEST(GrowingArray, values_survive_every_growth_and_shrinking) {
    const auto budget = std::make_shared<MemoryBudget>();
    {
        GrowingArray<index_t> array(budget, "numbers");
        constexpr index_t kCount = 3000000;
        for (index_t i = 0; i < kCount; ++i) {
            array.push_back(i);
        }
        array.shrink_to_fit();
        EXPECT_EQ(array.size(), kCount);
        for (index_t i = 0; i < kCount; ++i) {
            ASSERT_EQ(array[i], i);
        }
        EXPECT_LE(budget->used(), kCount * 8 + 4096);
        EXPECT_LE(budget->peak(), kCount * 9 + (1 << 20));
        array.truncate(10);
        EXPECT_EQ(array.size(), 10);
        EXPECT_EQ(array[9], 9);
        array.truncate(0);
        EXPECT_EQ(budget->used(), 0);
        array.push_back(7);
        EXPECT_EQ(array[0], 7);
    }
    EXPECT_EQ(budget->used(), 0);
}

TEST(GrowingArray, extended_elements_are_zero) {
    GrowingArray<double> array(std::make_shared<MemoryBudget>(), "numbers");
    for (const index_t count : {1, 100, 5000, 20000, 2000000}) {
        const double* fresh = array.extend(count);
        for (index_t i = 0; i < count; ++i) {
            ASSERT_EQ(fresh[i], 0.0);
        }
        std::fill_n(array.data(), array.size(), 1.0);
    }
}

TEST(GrowingArray, moving_hands_the_memory_over) {
    const auto budget = std::make_shared<MemoryBudget>();
    GrowingArray<int> first(budget, "numbers");
    first.push_back(5);
    GrowingArray<int> second(std::move(first));
    EXPECT_EQ(second[0], 5);
    GrowingArray<int> third(budget, "numbers");
    third.push_back(6);
    third = std::move(second);
    EXPECT_EQ(third.size(), 1);
    EXPECT_EQ(third[0], 5);
}

TEST(GrowingArray, the_last_bytes_of_a_budget_can_be_used) {
    const auto budget = std::make_shared<MemoryBudget>(index_t{1} << 20);
    GrowingArray<char> array(budget, "bytes");
    EXPECT_THROW(
        {
            while (true) {
                array.push_back('x');
            }
        },
        ResourceError);
    EXPECT_EQ(array.size(), 1 << 20);
    EXPECT_THROW((void)array.extend(MemoryBudget::kUnlimited), ResourceError);
}

}  // namespace
}  // namespace mercer::data
