// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/fit/folds_test.cpp - the loop over folds runs every fold once and throws the first
// fault.
#include "mercer/fit/folds.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "mercer/base/error.hpp"
#include "mercer/operators/gram_operator.hpp"
#include "mercer/runtime/context.hpp"
#include "unit/fit/toys.hpp"

namespace mercer::fit {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<Split> folds_of(index_t count) {
    std::vector<index_t> part;
    for (index_t i = 0; i < 2 * count; ++i) {
        part.push_back(i % count);
    }
    return folds_of_parts(part, count);
}

TEST(Folds, PartsWithoutRowsMakeNoFold) {
    const index_t part[] = {0, 2, 2, 0};
    const std::vector<Split> folds = folds_of_parts(part, 4);
    ASSERT_EQ(folds.size(), 2U);
    EXPECT_THAT(folds[0].test, ElementsAre(0, 3));
    EXPECT_THAT(folds[0].train, ElementsAre(1, 2));
    EXPECT_THAT(folds[1].test, ElementsAre(1, 2));
}

TEST(Folds, RowsLieWhereTheyLayAndBringTheirNumbers) {
    Dataset data = toys::make_rows({{1.0}, {2.0}, {3.0}}, {10, 20, 30});
    data.weights = {1, 2, 3};
    data.queries = {7, 8, 9};
    const index_t rows[] = {2, 0};
    const Dataset some = rows_at(data, rows);
    EXPECT_TRUE(some.is_view());
    EXPECT_THAT(some.targets, ElementsAre(30.0, 10.0));
    EXPECT_THAT(some.weights, ElementsAre(3.0, 1.0));
    EXPECT_THAT(some.queries, ElementsAre(9, 7));
}

TEST(Folds, TheOnlyClassIsThatOfRowsWithAWeight) {
    const double targets[] = {2.0, 1.0, 2.0};
    const double weights[] = {1.0, 0.0, 1.0};
    EXPECT_EQ(only_class(targets, {}), std::nullopt);
    EXPECT_EQ(only_class(targets, weights), 2.0);
    EXPECT_EQ(only_class({}, {}), 0.0);
}

TEST(Folds, EachRunsOnceAndPutsItsValuesWhereItsRowsAre) {
    for (const int threads : {1, 2, 4}) {
        Context context(ContextOptions{.threads = threads});
        const std::vector<Split> folds = folds_of(9);
        std::vector<double> out(18, -1.0);
        std::atomic<int> side_by_side{0};
        run_folds(
            folds, {},
            [&](const FoldRun& fold) {
                side_by_side += fold.context.threads() == 1 && fold.cache_limit > 0;
                fold.put(std::vector<double>(2, static_cast<double>(fold.number)), out);
            },
            context);
        EXPECT_EQ(side_by_side, threads == 1 ? 0 : 9);
        for (std::size_t i = 0; i < out.size(); ++i) {
            EXPECT_EQ(out[i], static_cast<double>(i % 9));
        }
    }
}

TEST(Folds, TheFirstFaultIsThrownForAnyNumberOfThreads) {
    for (const int threads : {1, 4}) {
        Context context(ContextOptions{.threads = threads});
        const std::vector<Split> folds = folds_of(16);
        const auto fail = [&](const FoldTask& task) -> std::string {
            try {
                run_folds(
                    folds, task,
                    [](const FoldRun& fold) {
                        if (fold.number >= 5) {
                            throw InvalidArgument("C: " + std::to_string(fold.number));
                        }
                    },
                    context);
            } catch (const InvalidArgument& fault) {
                return fault.what();
            }
            return "";
        };
        EXPECT_EQ(fail({}), "C: 5");
        EXPECT_EQ(fail({.name = "select", .tells_fold = true}), "fold 6 of 16: C: 5");
    }
}

TEST(Folds, AFaultOfAnOptionKeepsItsFieldsAndNamesTheFold) {
    Context context;
    const std::vector<Split> folds = folds_of(3);
    try {
        run_folds(
            folds, {.name = "select", .tells_fold = true},
            [](const FoldRun&) { throw InvalidArgument("nu", "0.9", "must be <= 0.5"); }, context);
        FAIL() << "no fault";
    } catch (const InvalidArgument& fault) {
        ASSERT_NE(fault.fault(), nullptr);
        EXPECT_EQ(fault.fault()->option, "nu");
        EXPECT_STREQ(fault.what(), "nu: got 0.9, must be <= 0.5 (fold 1 of 3)");
    }
}

TEST(Folds, OneThatLacksMemoryBesideOthersRunsAgainAlone) {
    Context context(ContextOptions{.threads = 2});
    std::vector<double> out(16, 0.0);
    run_folds(
        folds_of(8), {},
        [&](const FoldRun& fold) {
            if (fold.number == 3 && fold.cache_limit > 0) {
                throw ResourceError("memory: too little");
            }
            fold.put(std::vector<double>(2, 1.0), out);
        },
        context);
    EXPECT_THAT(out, testing::Each(1.0));
}

TEST(Folds, ARoundOfAFoldBeginsOnlyAfterTheOneBeforeIsDone) {
    for (const int threads : {2, 4}) {
        Context context(ContextOptions{.threads = threads});
        std::vector<std::atomic<int>> rounds(5);
        run_folds(
            folds_of(5), {.rounds = 3},
            [&](const FoldRun& fold) {
                if (fold.number == 3 && fold.round == 0 && fold.cache_limit > 0) {
                    throw ResourceError("memory: too little beside others");
                }
                EXPECT_EQ(rounds[static_cast<std::size_t>(fold.number)]++, fold.round);
            },
            context);
        for (const std::atomic<int>& count : rounds) {
            EXPECT_EQ(count, 3);
        }
    }
}

TEST(Folds, NoRoundOfAFoldFollowsOneThatWasStopped) {
    Context context(ContextOptions{.threads = 2});
    std::atomic<int> done{0};
    std::atomic<bool> followed{false};
    const auto body = [&](const FoldRun& fold) {
        if (fold.number == 3 && fold.round == 0) {
            while (done < 7) {  // until the other thread waits for this fold
                std::this_thread::yield();
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            throw Interrupted("stopped");
        }
        followed = followed || fold.number == 3;
        ++done;
    };
    EXPECT_THROW(run_folds(folds_of(5), {.rounds = 2}, body, context), Interrupted);
    EXPECT_FALSE(followed);
}

TEST(Folds, AStopIsSaidByTheNameOfTheTask) {
    const std::atomic<bool> stop{true};
    Context context(ContextOptions{.threads = 1, .stop_flag = &stop});
    try {
        run_folds(
            folds_of(3), {.name = "select"}, [](const FoldRun&) {}, context);
        FAIL();
    } catch (const Interrupted& fault) {
        EXPECT_THAT(fault.what(), HasSubstr("select"));
    }
}

TEST(Folds, SharesOfTheMemoryLimitWhatIsAskedFor) {
    Context context;
    const Split split;
    const Dataset data = toys::make_rows({{1.0}}, {1});
    const GramCost cost{.rows = 1, .columns = 1, .stored = 1};
    const FoldRun alone{0, split, context, 0};
    EXPECT_EQ(alone.cache_bytes(0, cost), 0);
    EXPECT_EQ(alone.cache_bytes(50, cost), 50);
    const FoldRun shared{0, split, context, 40};
    EXPECT_EQ(shared.cache_bytes(0, cost), 40);
    EXPECT_EQ(shared.cache_bytes(50, cost), 40);
    EXPECT_EQ(shared.within_limit({.run = {.cache_bytes = 30}}, data).run.cache_bytes, 30);
}

}  // namespace
}  // namespace mercer::fit
