// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/runtime/idle_blocks_test.cpp - freed blocks come back whole, cleared when asked for,
// and few of them wait.
#include "runtime/idle_blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <thread>
#include <vector>

#include "mercer/base/error.hpp"
#include "mercer/runtime/memory.hpp"

namespace mercer {
namespace {

constexpr index_t kSize = 100'000;  // doubles: some hundred KiB

class idle_blocks : public ::testing::Test {
protected:
    void SetUp() override {
        if (!IdleBlocks::serves(kSize * static_cast<index_t>(sizeof(double)))) {
            GTEST_SKIP() << "a sanitizer watches the heap instead";
        }
    }

    static bool all_zero(const Buffer<double>& buffer) {
        return std::all_of(buffer.span().begin(), buffer.span().end(),
                           [](double value) { return value == 0.0; });
    }

    std::shared_ptr<MemoryBudget> budget_ = std::make_shared<MemoryBudget>();
};

TEST_F(idle_blocks, a_block_is_used_again_and_cleared) {
    const double* first = nullptr;
    {
        Buffer<double> block(budget_, kSize, "a test");
        EXPECT_TRUE(all_zero(block));
        std::fill_n(block.data(), kSize, 7.0);
        first = block.data();
    }
    EXPECT_GT(budget_->idle(), 0);
    EXPECT_EQ(budget_->used(), 0);
    const Buffer<double> again(budget_, kSize - 1000, "a test");  // a little smaller: the same one
    EXPECT_EQ(again.data(), first);
    EXPECT_TRUE(all_zero(again));
    EXPECT_EQ(budget_->idle(), 0);
}

TEST_F(idle_blocks, two_buffers_never_share_a_block) {
    { const Buffer<double> freed(budget_, kSize, "a test"); }
    const Buffer<double> a(budget_, kSize, "a test");
    const Buffer<double> b(budget_, kSize, "a test");
    EXPECT_TRUE(a.data() + kSize <= b.data() || b.data() + kSize <= a.data());
}

TEST_F(idle_blocks, what_waits_is_bounded_and_can_be_given_back) {
    {
        std::vector<Buffer<double>> many;
        for (int i = 0; i < 40; ++i) {
            many.emplace_back(budget_, kSize, "a test");
        }
    }
    EXPECT_GT(budget_->idle(), 0);
    EXPECT_LE(budget_->idle(), index_t{8} << 20);
    budget_->release_idle();
    EXPECT_EQ(budget_->idle(), 0);
}

TEST_F(idle_blocks, the_block_freed_last_waits_even_if_older_ones_have_to_go) {
    {
        std::vector<Buffer<double>> many;  // of a size that is not used again
        for (int i = 0; i < 40; ++i) {
            many.emplace_back(budget_, kSize, "a test");
        }
    }
    const double* last = nullptr;
    {
        const Buffer<double> block(budget_, 4 * kSize, "a test");
        last = block.data();
    }
    EXPECT_LE(budget_->idle(), index_t{8} << 20);
    const Buffer<double> again(budget_, 4 * kSize, "a test");
    EXPECT_EQ(again.data(), last);
}

TEST_F(idle_blocks, large_blocks_wait_as_long_as_reuse_lives) {
    constexpr index_t kLarge = index_t{2} << 20;  // doubles: 16 MiB
    {
        const LargeBlockReuse reuse(budget_);
        const double* first = nullptr;
        {
            Buffer<double> block(budget_, kLarge, "a test");
            std::fill_n(block.data(), kLarge, 7.0);
            first = block.data();
        }
        budget_->release_idle();  // returns nothing as long as blocks are to be used again
        EXPECT_EQ(budget_->used(), 0);
        EXPECT_GE(budget_->idle(), kLarge * static_cast<index_t>(sizeof(double)));
        const Buffer<double> again(budget_, kLarge - 1000,
                                   "a test");  // a fold that is a little smaller
        EXPECT_EQ(again.data(), first);
        EXPECT_TRUE(all_zero(again));
    }
    EXPECT_EQ(budget_->idle(), 0);
    { const Buffer<double> block(budget_, kLarge, "a test"); }
    EXPECT_EQ(budget_->idle(), 0);
}

TEST_F(idle_blocks, waiting_and_used_ones_take_no_more_than_was_used_at_once) {
    constexpr index_t kMebi = index_t{1} << 20;
    const LargeBlockReuse reuse(budget_);
    const auto block_of = [&](index_t mebi) {
        return Buffer<double>(budget_, mebi * kMebi / static_cast<index_t>(sizeof(double)),
                              "a test", Contents::any);
    };
    { const Buffer<double> freed = block_of(16); }
    EXPECT_EQ(budget_->idle(), 16 * kMebi);
    {
        const Buffer<double> first = block_of(16);  // the one that waits
        EXPECT_EQ(budget_->idle(), 0);
        const Buffer<double> other = block_of(24);
    }
    EXPECT_EQ(budget_->idle(), 40 * kMebi);
    {
        const Buffer<double> third = block_of(20);                 // none of this size waits
        EXPECT_EQ(budget_->used() + budget_->idle(), 36 * kMebi);  // the oldest has gone
    }
    const Buffer<double> largest = block_of(48);
    EXPECT_EQ(budget_->idle(), 0);
}

TEST_F(idle_blocks, a_request_that_is_refused_changes_nothing) {
    constexpr index_t kLarge = index_t{2} << 20;  // doubles: 16 MiB
    const auto budget = std::make_shared<MemoryBudget>(kLarge * 9);
    const LargeBlockReuse reuse(budget);
    { const Buffer<double> freed(budget, kLarge, "a test"); }
    const Buffer<double> other(budget, kLarge / 4, "a test");
    EXPECT_THROW(Buffer<double>(budget, kLarge, "a test"), ResourceError);
    EXPECT_EQ(budget->used(), kLarge * 2);
    EXPECT_LE(budget->used() + budget->idle(), budget->limit());
}

TEST_F(idle_blocks, threads_may_take_and_give_at_once) {
    std::vector<std::thread> threads;
    std::vector<int> wrong(4, 0);
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
            for (int round = 0; round < 200; ++round) {
                Buffer<double> block(budget_, kSize + 5000 * (round % 7), "a test", Contents::any);
                std::fill_n(block.data(), block.size(), static_cast<double>(t));
                wrong[static_cast<std::size_t>(t)] +=
                    static_cast<int>(std::count(block.span().begin(), block.span().end(),
                                                static_cast<double>(t)) != block.size());
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

}  // namespace
}  // namespace mercer
