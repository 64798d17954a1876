// SPDX-License-Identifier: Apache-2.0
//
// tests/property/path_test.cpp - exact paths of random problems: they reach their end, and the
// machine at any value is certified.
#include <gtest/gtest.h>

#include "support/random_paths.hpp"

namespace mercer {
namespace {

using testing::PathKind;
using testing::PathTally;

constexpr PathKind kKinds[] = {PathKind::svc_cost,    PathKind::svc_weight, PathKind::svr_cost,
                               PathKind::svr_epsilon, PathKind::svr_nu,     PathKind::svc_nu,
                               PathKind::one_class_nu};

void expect_exact(const PathTally& tally) {
    EXPECT_EQ(tally.unfinished, 0);
    EXPECT_EQ(tally.uncertified, 0) << "worst " << tally.worst_gap;
    EXPECT_LE(tally.restarts, tally.events / 100);
}

class Paths : public ::testing::TestWithParam<PathKind> {};

TEST_P(Paths, of_random_problems_reach_their_end_and_certify_at_any_value) {
    expect_exact(testing::tally_paths(GetParam(), 20, 80, 11));
}

INSTANTIATE_TEST_SUITE_P(Kinds, Paths, ::testing::ValuesIn(kKinds));

class SlowPaths : public ::testing::TestWithParam<PathKind> {};

TEST_P(SlowPaths, of_five_hundred_random_problems_certify_at_any_value) {
    expect_exact(testing::tally_paths(GetParam(), 500, 200, 1000));
}

INSTANTIATE_TEST_SUITE_P(Kinds, SlowPaths, ::testing::ValuesIn(kKinds));

}  // namespace
}  // namespace mercer
