// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/data/fold_kinds_test.cpp - groups stay whole, time goes forward, given folds are checked.
#include "mercer/data/fold_kinds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "mercer/base/error.hpp"
#include "mercer/base/random.hpp"

namespace mercer {
namespace {

TEST(FoldKinds, AGroupIsNeverOnBothSidesAndFoldsAreEven) {
    for (index_t seed = 0; seed < 50; ++seed) {
        Random random(static_cast<std::uint64_t>(seed), 0);
        std::vector<index_t> groups;
        for (index_t i = 0; i < 200; ++i) {
            groups.push_back(static_cast<index_t>(random.uniform() * random.uniform() * 40.0));
        }
        const std::vector<Split> folds = make_group_folds(groups, 4, seed);
        ASSERT_EQ(folds.size(), 4U);
        std::vector<int> judged(groups.size(), 0);
        for (const Split& fold : folds) {
            std::set<index_t> seen;
            for (const index_t row : fold.train) {
                seen.insert(groups[static_cast<std::size_t>(row)]);
            }
            for (const index_t row : fold.test) {
                EXPECT_EQ(seen.count(groups[static_cast<std::size_t>(row)]), 0U);
                ++judged[static_cast<std::size_t>(row)];
            }
            EXPECT_EQ(fold.train.size() + fold.test.size(), groups.size());
        }
        EXPECT_TRUE(std::all_of(judged.begin(), judged.end(), [](int k) { return k == 1; }));
    }
    const std::vector<index_t> even{5, 5, 9, 9, 1, 1, 7, 7};
    for (const Split& fold : make_group_folds(even, 4, 3)) {
        EXPECT_EQ(fold.test.size(), 2U);
    }
    EXPECT_THROW((void)make_group_folds(even, 5, 0), InvalidArgument);
}

TEST(FoldKinds, RowsAreJudgedByMachinesOfEarlierRowsOnly) {
    const std::vector<Split> folds = make_time_folds(11, 3);  // stretches of 3, 3, 3 and 2
    ASSERT_EQ(folds.size(), 3U);
    EXPECT_EQ(folds[0].train, (std::vector<index_t>{0, 1, 2}));
    EXPECT_EQ(folds[0].test, (std::vector<index_t>{3, 4, 5}));
    EXPECT_EQ(folds[1].test, (std::vector<index_t>{6, 7, 8}));
    EXPECT_EQ(folds[2].train.size(), 9U);
    EXPECT_EQ(folds[2].test, (std::vector<index_t>{9, 10}));
    EXPECT_THROW((void)make_time_folds(3, 3), InvalidArgument);
}

TEST(FoldKinds, GivenFoldsAreRefusedWithTheirFault) {
    const std::vector<Split> good{{{0, 1}, {2}}, {{2}, {0}}};
    EXPECT_NO_THROW(require_folds(good, 3));
    EXPECT_THROW(require_folds(std::vector<Split>{}, 3), InvalidArgument);
    EXPECT_THROW(require_folds(std::vector<Split>{{{0, 1}, {}}}, 3), InvalidArgument);
    EXPECT_THROW(require_folds(std::vector<Split>{{{0, 1}, {1}}}, 3), InvalidArgument);
    EXPECT_THROW(require_folds(std::vector<Split>{{{0, 1}, {3}}}, 3), InvalidArgument);
    EXPECT_THROW(require_folds(std::vector<Split>{{{0, -1}, {2}}}, 3), InvalidArgument);
}

}  // namespace
}  // namespace mercer
