// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/compute/targets_test.cpp - our choice of vector instructions beside Highway's own.
#include "compute/cpu/targets.hpp"

#include <gtest/gtest.h>

#include <string>

#include "compute/cpu/elementwise.hpp"

namespace mercer {
namespace {

// The compiled targets alone: Highway also counts those that no file of ours is compiled for.
TEST(targets, are_those_that_highway_finds_on_this_cpu) {
    EXPECT_EQ(cpu::supported_targets() & HWY_TARGETS, hwy::SupportedTargets() & HWY_TARGETS);
}

TEST(targets, the_best_one_is_chosen) {
    const std::int64_t targets = hwy::SupportedTargets() & HWY_TARGETS;
    EXPECT_STREQ(cpu::simd_target_name(), hwy::TargetName(targets & -targets));
}

TEST(targets, can_be_restricted_and_given_back) {
    const std::string best = cpu::simd_target_name();
    for (std::int64_t targets = hwy::SupportedTargets() & HWY_TARGETS; targets != 0;
         targets &= targets - 1) {
        cpu::restrict_targets(targets & -targets);
        EXPECT_STREQ(cpu::simd_target_name(), hwy::TargetName(targets & -targets));
    }
    cpu::restrict_targets(0);
    EXPECT_EQ(cpu::simd_target_name(), best);
}

TEST(targets, that_the_cpu_lacks_are_never_chosen) {
    cpu::restrict_targets(~hwy::SupportedTargets());
    EXPECT_STREQ(cpu::simd_target_name(), hwy::TargetName(HWY_STATIC_TARGET));
    cpu::restrict_targets(0);
}

}  // namespace
}  // namespace mercer
