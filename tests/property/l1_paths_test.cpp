// SPDX-License-Identifier: Apache-2.0
//
// tests/property/l1_paths_test.cpp - l1 paths of random problems, including degenerate ones: they
// reach their end, and the machine at any weight is certified.
#include <gtest/gtest.h>

#include <string>

#include "support/facts.hpp"
#include "support/random_l1_paths.hpp"

namespace mercer {
namespace {

using testing::L1PathKind;
using testing::L1PathTally;

constexpr L1PathKind kKinds[] = {
    {"squared", L1Ridge::none, false},        {"squared", L1Ridge::identity, false},
    {"squared", L1Ridge::none, true},         {"squared", L1Ridge::gram, true},
    {"squared-hinge", L1Ridge::none, false},  {"squared-hinge", L1Ridge::identity, false},
    {"squared-hinge", L1Ridge::none, true},   {"squared-hinge", L1Ridge::gram, true},
    {"modified-huber", L1Ridge::none, false}, {"modified-huber", L1Ridge::identity, false},
    {"modified-huber", L1Ridge::none, true},  {"modified-huber", L1Ridge::gram, true}};

/// Kernel functions of close rows are linearly dependent up to rounding. Without a ridge some paths
/// do not reach zero: these report it, and get further than is useful in practice.
void expect_exact(const L1PathKind& kind, const L1PathTally& tally) {
    const bool singular = kind.of_kernel && kind.ridge == L1Ridge::none;
    EXPECT_EQ(tally.silent, 0);
    EXPECT_LE(tally.unfinished, singular ? tally.paths / 100 : 0);
    EXPECT_LE(tally.unfinished_at, 1e-7);
    EXPECT_LE(tally.at_knots, 1e-9);
    EXPECT_LE(tally.between, 1e-9);
    EXPECT_LE(tally.at_end, 1e-8);
    EXPECT_LE(tally.understated, 1e-9);
    // One value in a thousand, on the last segment of a nearly singular path.
    EXPECT_LE(tally.uncertified, singular ? tally.paths / 50 : 0) << "worst " << tally.worst_gap;
    EXPECT_LE(tally.rounded, kind.ridge == L1Ridge::none ? tally.paths / 5 : 0);
    EXPECT_LE(tally.restarts, tally.events / 100);
}

class L1Paths : public ::testing::TestWithParam<L1PathKind> {};

TEST_P(L1Paths, of_random_problems_reach_their_end_and_certify_at_any_weight) {
    expect_exact(GetParam(), testing::tally_l1_paths(GetParam(), 20, 11));
}

INSTANTIATE_TEST_SUITE_P(Kinds, L1Paths, ::testing::ValuesIn(kKinds));

// Whole numbers, so that many events coincide and the tracer goes in circles far from the end.
TEST(L1PathRestarts, leave_a_circle_with_an_intercept_at_once) {
    struct Circle {
        L1PathKind kind;
        std::uint64_t seed;
        std::uint64_t stream;
    };
    for (const auto& [kind, seed, stream] :
         {Circle{{"squared-hinge", L1Ridge::none, false}, 77, 176},
          Circle{{"modified-huber", L1Ridge::none, false}, 77, 176},
          Circle{{"squared-hinge", L1Ridge::none, true}, 1000, 2193}}) {
        Random random(seed, stream);
        const testing::RandomL1Path each(kind, 30, random);
        ASSERT_TRUE(each.problem().intercept);
        Context context(ContextOptions{.threads = 1});
        const L1Path path = trace_l1_path(each.problem(), 0.0, context);
        EXPECT_EQ(path.status, SolveStatus::converged) << kind;
        EXPECT_EQ(path.knots.back().lambda, 0.0) << kind;
        EXPECT_LE(path.max_violation, 1e-12 * path.lambda_max) << kind;
        EXPECT_LE(path.restarts, 1) << kind;
    }
}

// The tolerances of the tracer were chosen with the seeds 1000, 2000 and 3000: this is a different
// one.
class SlowL1Paths : public ::testing::TestWithParam<L1PathKind> {};

TEST_P(SlowL1Paths, of_five_hundred_random_problems_certify_at_any_weight) {
    const L1PathTally tally = testing::tally_l1_paths(GetParam(), 500, 4000);
    expect_exact(GetParam(), tally);
    const std::string of = "500 random paths of a kind, 12 kinds: ";
    expect_fact("A13", of + "violation at knots over lambda_max, beyond rounding", tally.at_knots);
    expect_fact("A13", of + "gradient at the end over lambda_max, beyond rounding", tally.at_end);
    expect_fact("A14", of + "restarts over events",
                static_cast<double>(tally.restarts) / static_cast<double>(tally.events));
    expect_fact("A14", of + "paths that end above 0 and say so", tally.unfinished);
    expect_fact("A14", of + "paths that end above 0 and do not say so", tally.silent);
    expect_fact("A15",
                "500 random paths of a kind, 12 kinds: of 10,000 gaps at random lambdas, those "
                "above 1e-9 that rounding does not explain",
                tally.uncertified);
}

INSTANTIATE_TEST_SUITE_P(Kinds, SlowL1Paths, ::testing::ValuesIn(kKinds));

}  // namespace
}  // namespace mercer
