// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/runtime/memory_test.cpp - the budget, the blocks paid from it, and sizes as text.
#include "mercer/runtime/memory.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "mercer/base/error.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/hardware.hpp"
#include "mercer/runtime/parallel.hpp"

namespace mercer {
namespace {

constexpr index_t kMebi = index_t{1} << 20;

TEST(MemoryBudget, CountsWhatIsTakenAndRemembersThePeak) {
    MemoryBudget budget(100);
    budget.take(60, "a");
    budget.take(40, "b");
    EXPECT_EQ(budget.left(), 0);
    budget.give(60);
    EXPECT_EQ(budget.used(), 40);
    EXPECT_EQ(budget.peak(), 100);
    EXPECT_EQ(budget.limit(), 100);
}

TEST(MemoryBudget, RefusalNamesTheBlockItsNeedAndWhatIsLeft) {
    MemoryBudget budget(8 * kMebi);
    budget.take(6 * kMebi, "rows");
    try {
        budget.take(3 * kMebi, "Gram tile");
        FAIL();
    } catch (const ResourceError& error) {
        EXPECT_STREQ(error.what(),
                     "memory: Gram tile needs 3.0 MiB, but 2.0 MiB of 8.0 MiB are left; "
                     "raise --memory");
    }
    EXPECT_EQ(budget.used(), 6 * kMebi);
    EXPECT_EQ(budget.peak(), 6 * kMebi);
}

TEST(MemoryBudget, AnUnlimitedOneCountsAndNeverRefuses) {
    MemoryBudget budget;
    budget.take(MemoryBudget::kUnlimited / 2, "a");
    EXPECT_EQ(budget.used(), MemoryBudget::kUnlimited / 2);
    budget.give(MemoryBudget::kUnlimited / 2);
    EXPECT_EQ(budget.used(), 0);
}

TEST(MemoryBudget, ManyThreadsNeverOverrunTheLimit) {
    MemoryBudget budget(1000);
    ContextOptions options;
    options.threads = 8;
    Context context(options);
    std::atomic<int> refused{0};
    parallel_for(context, 2000, [&](index_t tile, int) {
        const index_t bytes = 100 + tile % 300;
        try {
            budget.take(bytes, "tile");
            EXPECT_LE(budget.used(), 1000);
            budget.give(bytes);
        } catch (const ResourceError&) {
            ++refused;
        }
    });
    EXPECT_EQ(budget.used(), 0);
    EXPECT_LE(budget.peak(), 1000);
}

TEST(Buffer, IsAlignedAndZeroWhetherSmallOrLarge) {
    const auto budget = std::make_shared<MemoryBudget>();
    for (const index_t size : {index_t{1}, index_t{7}, index_t{1000}, kMebi}) {
        const Buffer<double> buffer(budget, size, "numbers");
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 64, 0U);
        EXPECT_EQ(buffer.size(), size);
        for (const double value : buffer.span()) {
            ASSERT_EQ(value, 0.0);
        }
    }
    EXPECT_EQ(budget->used(), 0);
    EXPECT_EQ(budget->peak(), 8 * kMebi);
}

TEST(Buffer, PaysItsBytesAndGivesThemBack) {
    const auto budget = std::make_shared<MemoryBudget>(1000);
    {
        Buffer<float> first(budget, 100, "first");
        EXPECT_EQ(budget->used(), 400);
        Buffer<float> second = std::move(first);
        EXPECT_EQ(budget->used(), 400);
        EXPECT_TRUE(first.empty());  // NOLINT(bugprone-use-after-move): moved-from is empty
        first = Buffer<float>(budget, 50, "third");
        EXPECT_EQ(budget->used(), 600);
        second = std::move(first);
        EXPECT_EQ(budget->used(), 200);
        EXPECT_EQ(second.size(), 50);
    }
    EXPECT_EQ(budget->used(), 0);
}

TEST(Buffer, AnEmptyOneCostsNothing) {
    const auto budget = std::make_shared<MemoryBudget>(1);
    const Buffer<double> buffer(budget, 0, "nothing");
    EXPECT_TRUE(buffer.empty());
    EXPECT_EQ(budget->used(), 0);
}

TEST(Buffer, MayOutliveItsContext) {
    Buffer<double> buffer;
    {
        const Context context;
        buffer = context.allocate<double>(10, "kept");
    }
    buffer[9] = 3.0;
    EXPECT_EQ(buffer[9], 3.0);
}

TEST(Buffer, RefusesWhatTheBudgetOrTheSystemCannotGive) {
    const auto budget = std::make_shared<MemoryBudget>(1000);
    EXPECT_THROW(Buffer<double>(budget, 126, "too much"), ResourceError);
    EXPECT_EQ(budget->used(), 0);

    const auto unlimited = std::make_shared<MemoryBudget>();
    EXPECT_THROW(Buffer<double>(unlimited, index_t{1} << 61, "product overflows"), ResourceError);
    try {
        Buffer<double> buffer(unlimited, index_t{1} << 56, "the moon");
        FAIL();
    } catch (const ResourceError& error) {
        EXPECT_STREQ(error.what(), "memory: the system refused 524288.0 TiB for the moon");
    }
    EXPECT_EQ(unlimited->used(), 0) << "a refused block is given back";
    EXPECT_THROW(Buffer<double>(unlimited, -1, "negative"), InvalidArgument);
}

TEST(Buffer, ALargeBlockLeavesTheProcessWhenItIsFreed) {
    const auto budget = std::make_shared<MemoryBudget>();
    const index_t before = peak_resident_bytes();
    for (int i = 0; i < 20; ++i) {  // 1.3 GB if nothing were given back
        Buffer<char> buffer(budget, 64 * kMebi, "block");
        for (index_t page = 0; page < buffer.size(); page += 4096) {
            buffer[page] = 1;
        }
    }
    EXPECT_LT(peak_resident_bytes() - before, 600 * kMebi);  // a sanitizer shadows what is used
}

TEST(ByteSize, ReadsNumbersWithUnits) {
    EXPECT_EQ(parse_byte_size("1000"), 1000);
    EXPECT_EQ(parse_byte_size("64KiB"), 65536);
    EXPECT_EQ(parse_byte_size("512M"), 512 * kMebi);
    EXPECT_EQ(parse_byte_size("512m"), 512 * kMebi);
    EXPECT_EQ(parse_byte_size("1.5G"), 1536 * kMebi);
    EXPECT_EQ(parse_byte_size("2TB"), index_t{2} << 40);
    EXPECT_EQ(parse_byte_size("10B"), 10);
}

TEST(ByteSize, RefusesWhatIsNoSize) {
    for (const char* text : {"", "0", "-1", "G", "4X", "4Gx", "4 G", " 4G", "nan", "inf", "0.5",
                             "4GiBB", "1e30", "99999999999T", "4i", "0x10"}) {
        EXPECT_EQ(parse_byte_size(text), std::nullopt) << text;
    }
}

TEST(ByteSize, PrintsTheLargestUnitThatLeavesANumberAboveOne) {
    EXPECT_EQ(format_byte_size(0), "0 B");
    EXPECT_EQ(format_byte_size(1023), "1023 B");
    EXPECT_EQ(format_byte_size(1024), "1.0 KiB");
    EXPECT_EQ(format_byte_size(kMebi * 1536), "1.5 GiB");
    EXPECT_EQ(format_byte_size(index_t{5} << 50), "5120.0 TiB");
}

}  // namespace
}  // namespace mercer
