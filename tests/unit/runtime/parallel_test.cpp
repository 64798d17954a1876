// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/runtime/parallel_test.cpp - every tile once, same bits, exceptions and stops.
#include "mercer/runtime/parallel.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include "mercer/base/error.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {
namespace {

Context make_context(int threads, const std::atomic<bool>* stop = nullptr) {
    ContextOptions options;
    options.threads = threads;
    options.stop_flag = stop;
    return Context(options);
}

constexpr index_t kEndless = index_t{1} << 50;  // more tiles than any test can wait for

class ParallelFor : public testing::TestWithParam<int> {};

INSTANTIATE_TEST_SUITE_P(Threads, ParallelFor, testing::Values(1, 2, 3, 8, 64));

TEST_P(ParallelFor, RunsEachTileOnce) {
    Context context = make_context(GetParam());
    for (const index_t tiles : {0, 1, 2, 7, 100, 5000}) {
        std::vector<std::atomic<int>> runs(static_cast<std::size_t>(tiles));
        std::atomic<int> bad_worker{0};
        parallel_for(context, tiles, [&](index_t tile, int worker) {
            ++runs[static_cast<std::size_t>(tile)];
            bad_worker += worker < 0 || worker >= GetParam() ? 1 : 0;
        });
        EXPECT_EQ(bad_worker, 0);
        for (const std::atomic<int>& count : runs) {
            ASSERT_EQ(count, 1);
        }
    }
}

TEST_P(ParallelFor, GivesTheBitsOfOneThread) {
    const auto compute = [](int threads) {
        Context context = make_context(threads);
        std::vector<double> partial(333);
        parallel_for(context, 333, [&](index_t tile, int) {
            double sum = 0.0;
            for (int i = 0; i < 1000; ++i) {
                sum += std::sin(static_cast<double>(tile) * 0.1 + i);
            }
            partial[static_cast<std::size_t>(tile)] = sum;
        });
        double total = 0.0;
        for (const double part : partial) {
            total += part;
        }
        return total;
    };
    EXPECT_EQ(compute(GetParam()), compute(1));
}

TEST_P(ParallelFor, NoTwoThreadsShareAWorkerNumber) {
    Context context = make_context(GetParam());
    std::vector<std::atomic<int>> busy(static_cast<std::size_t>(GetParam()));
    std::atomic<int> clashes{0};
    parallel_for(context, 500, [&](index_t, int worker) {
        std::atomic<int>& mine = busy[static_cast<std::size_t>(worker)];
        clashes += mine++ == 0 ? 0 : 1;
        --mine;
    });
    EXPECT_EQ(clashes, 0);
}

TEST_P(ParallelFor, RethrowsTheExceptionOfABody) {
    Context context = make_context(GetParam());
    try {
        parallel_for(context, kEndless, [&](index_t tile, int) {
            if (tile == 10) {
                throw DataError("tile " + std::to_string(tile));
            }
        });
        FAIL();
    } catch (const DataError& error) {
        EXPECT_STREQ(error.what(), "tile 10");
    }

    std::atomic<int> again{0};
    parallel_for(context, 50, [&](index_t, int) { ++again; });
    EXPECT_EQ(again, 50) << "a failure leaves the threads usable";
}

TEST_P(ParallelFor, TellsOfTheFirstTileThatFails) {
    Context context = make_context(GetParam());
    for (int repeat = 0; repeat < 50; ++repeat) {
        try {
            parallel_for(context, 100, [&](index_t tile, int) {
                if (tile == 10) {
                    std::this_thread::sleep_for(std::chrono::microseconds(200));
                }
                if (tile >= 10) {
                    throw DataError("tile " + std::to_string(tile));
                }
            });
            FAIL();
        } catch (const DataError& error) {
            EXPECT_STREQ(error.what(), "tile 10");
        }
    }
}

TEST_P(ParallelFor, SurvivesAnExceptionInEveryBody) {
    Context context = make_context(GetParam());
    EXPECT_THROW(parallel_for(context, 100, [](index_t, int) { throw 7; }), int);
}

TEST_P(ParallelFor, StopsWhenTheContextAsksTo) {
    std::atomic<bool> stop{false};
    Context context = make_context(GetParam(), &stop);
    std::atomic<int> runs{0};
    EXPECT_THROW(parallel_for(context, kEndless,
                              [&](index_t tile, int) {
                                  ++runs;
                                  if (tile == 5) {
                                      stop = true;
                                  }
                              }),
                 Interrupted);
    EXPECT_GE(runs, 1);
    EXPECT_THROW(parallel_for(context, 1, [](index_t, int) {}), Interrupted);
}

TEST_P(ParallelFor, RunsANestedOneOnTheCallingThread) {
    Context context = make_context(GetParam());
    std::atomic<int> elsewhere{0};
    std::vector<std::atomic<int>> runs(600);
    parallel_for(context, 20, [&](index_t outer, int) {
        const std::thread::id caller = std::this_thread::get_id();
        parallel_for(context, 30, [&](index_t inner, int worker) {
            ++runs[static_cast<std::size_t>(outer * 30 + inner)];
            elsewhere += std::this_thread::get_id() == caller && worker == 0 ? 0 : 1;
        });
    });
    EXPECT_EQ(elsewhere, 0);
    for (const std::atomic<int>& count : runs) {
        ASSERT_EQ(count, 1);
    }
}

TEST_P(ParallelFor, HandsWritesOfTheTilesToTheCaller) {
    Context context = make_context(GetParam());
    for (int round = 0; round < 200; ++round) {
        std::vector<int> output(64, 0);  // plain memory: the sanitizers look at these writes
        parallel_for(context, 64,
                     [&](index_t tile, int) { output[static_cast<std::size_t>(tile)] = round; });
        for (const int value : output) {
            ASSERT_EQ(value, round);
        }
    }
}

TEST_P(ParallelFor, WorksInAForkedProcess) {
    Context context = make_context(GetParam());
    std::vector<int> output(50, 0);
    const auto fill = [&](int value) {
        parallel_for(context, 50,
                     [&](index_t tile, int) { output[static_cast<std::size_t>(tile)] = value; });
        return output == std::vector<int>(50, value);
    };
    EXPECT_TRUE(fill(1));  // starts the threads, which the child will not have
    const pid_t child = ::fork();
    if (child == 0) {
        ::_exit(fill(2) ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    EXPECT_TRUE(fill(3));
}

TEST_P(ParallelFor, ContextsComeAndGo) {
    std::atomic<int> runs{0};
    for (int round = 0; round < 50; ++round) {
        Context context = make_context(GetParam());
        parallel_for(context, 3, [&](index_t, int) { ++runs; });
    }
    EXPECT_EQ(runs, 150);
}

}  // namespace
}  // namespace mercer
