// SPDX-License-Identifier: Apache-2.0
//
// tests/unit/runtime/context_test.cpp - limits, stop requests and progress of a Context.
#include "mercer/runtime/context.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <memory>
#include <thread>
#include <vector>

#include "mercer/base/error.hpp"
#include "mercer/runtime/hardware.hpp"
#include "mercer/runtime/parallel.hpp"

namespace mercer {
namespace {

class RecordingObserver final : public Observer {
public:
    void progress(const Progress& progress) override { seen.push_back(progress); }
    std::vector<Progress> seen;
};

TEST(Context, ByDefaultUsesWhatTheMachineAllows) {
    const Context context;
    EXPECT_EQ(context.threads(), usable_threads());
    EXPECT_EQ(context.memory()->limit(), MemoryBudget::kUnlimited);
    EXPECT_EQ(context.seed(), 0U);
    EXPECT_FALSE(context.should_stop());
}

TEST(Context, TakesWhatItIsGiven) {
    ContextOptions options;
    options.threads = 3;
    options.memory = 1000;
    options.seed = 42;
    const Context context(options);
    EXPECT_EQ(context.threads(), 3);
    EXPECT_THROW((void)context.allocate<double>(126, "rows"), ResourceError);
    EXPECT_EQ(context.allocate<double>(125, "rows").size(), 125);
    EXPECT_EQ(context.random(7).bits(), Random(42, 7).bits());
}

TEST(Context, HandsItsDeviceAndItsRanksOn) {
    const std::shared_ptr<Communicator> ranks = single_rank();
    const Context context({.device = Device::reference, .communicator = ranks});
    EXPECT_EQ(&context.communicator(), ranks.get());
    EXPECT_EQ(&Context::unstoppable(context)->communicator(), ranks.get());
    EXPECT_EQ(Context::unstoppable(context)->device(), Device::reference);
    // One tile of a larger computation: other ranks may be at another tile.
    EXPECT_NE(&Context::single_threaded(context)->communicator(), ranks.get());
    EXPECT_EQ(Context::single_threaded(context)->device(), Device::reference);
    EXPECT_EQ(Context().device(), Device::cpu);
    EXPECT_EQ(Context().communicator().size(), 1);
}

TEST(Context, RefusesNonsense) {
    const auto make = [](int threads, index_t memory, double time_limit) {
        ContextOptions options;
        options.threads = threads;
        options.memory = memory;
        options.time_limit = time_limit;
        const Context context(options);
    };
    EXPECT_NO_THROW(make(1, 1, 1.0));
    EXPECT_THROW(make(-1, 0, 0.0), InvalidArgument);
    EXPECT_THROW(make(1 << 20, 0, 0.0), InvalidArgument);
    EXPECT_THROW(make(0, -1, 0.0), InvalidArgument);
    EXPECT_THROW(make(0, 0, -1.0), InvalidArgument);
    EXPECT_THROW(make(0, 0, kNaN), InvalidArgument);
}

TEST(Context, StopsOnceTheFlagIsSet) {
    std::atomic<bool> stop{false};
    ContextOptions options;
    options.stop_flag = &stop;
    const Context context(options);
    EXPECT_FALSE(context.should_stop());
    EXPECT_NO_THROW(context.throw_if_stopped("gram"));
    stop = true;
    EXPECT_TRUE(context.should_stop());
    try {
        context.throw_if_stopped("gram");
        FAIL();
    } catch (const Interrupted& error) {
        EXPECT_STREQ(error.what(), "gram: stopped before it was done");
    }
}

TEST(Context, StopsOnceTheTimeIsOver) {
    ContextOptions options;
    options.time_limit = 0.02;
    const Context context(options);
    EXPECT_FALSE(context.should_stop());
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    EXPECT_TRUE(context.should_stop());
    EXPECT_GT(context.elapsed(), 0.02);
}

TEST(Context, ReportsAtMostEveryTenthOfASecond) {
    RecordingObserver observer;
    ContextOptions options;
    options.observer = &observer;
    Context context(options);
    const Buffer<char> block = context.allocate<char>(100, "block");
    const auto report = [&context](index_t done) {
        Progress progress;
        progress.stage = "gram";
        progress.done = done;
        progress.total = 2000;
        context.report(progress);
    };
    for (index_t i = 0; i < 1000; ++i) {
        report(i);
    }
    ASSERT_GE(observer.seen.size(), 1U);
    EXPECT_LE(observer.seen.size(), 1 + static_cast<std::size_t>(context.elapsed() / 0.1));
    EXPECT_EQ(observer.seen[0].stage, "gram");
    EXPECT_EQ(observer.seen[0].done, 0);
    EXPECT_EQ(observer.seen[0].memory, 100);

    const std::size_t before = observer.seen.size();
    std::this_thread::sleep_for(std::chrono::milliseconds(110));
    report(1000);
    ASSERT_EQ(observer.seen.size(), before + 1);
    EXPECT_EQ(observer.seen.back().done, 1000);
}

TEST(Context, AnyThreadMayReport) {
    RecordingObserver observer;
    ContextOptions options;
    options.observer = &observer;
    options.threads = 4;
    Context context(options);
    parallel_for(context, 500, [&](index_t tile, int) {
        Progress progress;
        progress.done = tile;
        context.report(progress);
    });
    EXPECT_GE(observer.seen.size(), 1U);
}

TEST(Context, StopsEarlierByTheReservedTime) {
    Context context({.time_limit = 100.0});
    EXPECT_FALSE(context.should_stop());
    EXPECT_NEAR(context.seconds_left(), 100.0, 5.0);
    {
        Context::ReservedTime some(context, 50.0);
        EXPECT_FALSE(context.should_stop());
        Context::ReservedTime more(context, 60.0);
        EXPECT_TRUE(context.should_stop());
        EXPECT_TRUE(Context::single_threaded(context)->should_stop());
        EXPECT_FALSE(Context::unstoppable(context)->should_stop());
        EXPECT_NEAR(context.seconds_left(), 100.0, 5.0);
        more.set(0.0);
        EXPECT_FALSE(context.should_stop());
    }
    EXPECT_FALSE(context.should_stop());
    EXPECT_TRUE(std::isinf(Context().seconds_left()));
}

TEST(Context, RemembersThatItAskedToStopAfterTheReserveIsGone) {
    Context context(ContextOptions{.time_limit = 1000.0});
    EXPECT_FALSE(context.should_stop());
    EXPECT_FALSE(context.has_asked_to_stop());
    {
        const Context::ReservedTime reserve(context, 2000.0);
        EXPECT_TRUE(context.should_stop());
    }
    EXPECT_FALSE(context.should_stop());
    EXPECT_TRUE(context.has_asked_to_stop());
}

TEST(Context, ThatIsGrantedSomeSecondsOutlivesAStop) {
    std::atomic<bool> stop{true};
    Context context({.stop_flag = &stop});
    EXPECT_TRUE(context.should_stop());
    EXPECT_FALSE(Context::granted(context, 60.0)->should_stop());
    const std::unique_ptr<Context> moment = Context::granted(context, 0.01);
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    EXPECT_TRUE(moment->should_stop());
}

}  // namespace
}  // namespace mercer
