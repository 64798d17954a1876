// SPDX-License-Identifier: Apache-2.0
//
// src/runtime/context.cpp - a Context resolves "whatever the machine allows" when it is
// constructed.
#include "mercer/runtime/context.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include "mercer/base/error.hpp"
#include "mercer/runtime/hardware.hpp"
#include "runtime/thread_team.hpp"

namespace mercer {

namespace {

constexpr auto kReportInterval = std::chrono::milliseconds(100);
constexpr int kMaxThreads = 1024;

/// Stages that count whole trainings. The stages within a training report so often that its end
/// would never be reported, so each of these has an interval of its own.
constexpr std::array<std::string_view, 3> kTrainings = {"fit", "fold", "select"};

}  // namespace

struct Context::SharedTeam {
    std::once_flag started;
    std::unique_ptr<ThreadTeam> threads;
    /// When each of kTrainings was last reported, in ticks of the clock.
    std::array<std::atomic<Clock::rep>, kTrainings.size()> last_trainings{};
};

Context::Context(const ContextOptions& options)
    : options_(options),
      memory_(std::make_shared<MemoryBudget>(options.memory > 0 ? options.memory
                                                                : MemoryBudget::kUnlimited)),
      work_(std::make_shared<WorkCounter>()),
      start_(Clock::now()),
      team_(std::make_shared<SharedTeam>()) {
    if (options.threads < 0 || options.threads > kMaxThreads) {
        throw InvalidArgument(
            fmt::format("threads: got {}, must be 0 .. {}", options.threads, kMaxThreads));
    }
    if (options.memory < 0) {
        throw InvalidArgument(fmt::format("memory: got {}, must be >= 0", options.memory));
    }
    if (!(options.time_limit >= 0.0)) {
        throw InvalidArgument(fmt::format("time_limit: got {}, must be >= 0", options.time_limit));
    }
    threads_ = options.threads > 0 ? options.threads : usable_threads();
    if (options_.communicator == nullptr) {
        options_.communicator = single_rank();
    }
}

std::unique_ptr<Context> Context::unstoppable(const Context& context) {
    ContextOptions options = context.options_;
    options.threads = context.threads_;
    options.stop_flag = nullptr;
    options.time_limit = 0.0;
    auto uninterruptible = std::make_unique<Context>(options);
    uninterruptible->memory_ = context.memory_;
    uninterruptible->work_ = context.work_;
    uninterruptible->counts_ = context.counts_;
    uninterruptible->team_ = context.team_;
    return uninterruptible;
}

std::unique_ptr<Context> Context::granted(const Context& context, double seconds) {
    std::unique_ptr<Context> out = unstoppable(context);
    out->options_.time_limit = out->elapsed() + seconds;
    return out;
}

std::unique_ptr<Context> Context::single_threaded(const Context& context) {
    ContextOptions options = context.options_;
    options.threads = 1;
    options.observer = nullptr;
    options.communicator = nullptr;  // tiles run in any order, so ranks would not make equal calls
    auto alone = std::make_unique<Context>(options);
    alone->memory_ = context.memory_;
    alone->work_ = context.work_;
    alone->counts_ = context.counts_;
    alone->start_ = context.start_;
    alone->reserved_.store(context.reserved_.load());
    return alone;
}

Context::~Context() = default;

Context::WorkMeter::WorkMeter(Context& context) : context_(context) {
    context.memory_->reset_peak();
    before_ = {context.work_->rows(), context.work_->products(), context.memory_->used()};
}

Work Context::WorkMeter::work() const noexcept {
    return {context_.work_->rows() - before_.kernel_rows,
            context_.work_->products() - before_.products,
            context_.memory_->peak() - before_.memory_bytes};
}

ThreadTeam& Context::team() {
    std::call_once(team_->started,
                   [this] { team_->threads = std::make_unique<ThreadTeam>(threads_ - 1); });
    return *team_->threads;
}

bool Context::should_stop() const noexcept {
    const bool flagged =
        options_.stop_flag != nullptr && options_.stop_flag->load(std::memory_order_relaxed);
    const bool stops =
        flagged || (options_.time_limit > 0.0 &&
                    elapsed() > options_.time_limit - reserved_.load(std::memory_order_relaxed));
    if (stops) {
        asked_to_stop_.store(true, std::memory_order_relaxed);
    }
    return stops;
}

double Context::seconds_left() const noexcept {
    return options_.time_limit > 0.0 ? options_.time_limit - elapsed()
                                     : std::numeric_limits<double>::infinity();
}

void Context::throw_if_stopped(std::string_view what) const {
    if (should_stop()) {
        throw Interrupted(fmt::format("{}: stopped before it was done", what));
    }
}

void Context::report(Progress progress) {
    if (options_.observer == nullptr) {
        return;
    }
    const std::lock_guard lock(report_mutex_);
    const Clock::time_point now = Clock::now();
    const auto* training = std::find(kTrainings.begin(), kTrainings.end(), progress.stage);
    const bool counts = training != kTrainings.end();
    std::atomic<Clock::rep>& last_training =
        team_->last_trainings[counts ? static_cast<std::size_t>(training - kTrainings.begin()) : 0];
    const Clock::time_point last =
        counts ? Clock::time_point(Clock::duration(last_training.load())) : last_report_;
    if (now - last < kReportInterval) {
        return;
    }
    if (counts) {
        last_training.store(now.time_since_epoch().count());
    }
    last_report_ = now;
    progress.memory = memory_->used();
    options_.observer->progress(progress);
}

void Context::note(std::string_view text) {
    if (options_.observer != nullptr) {
        const std::lock_guard lock(report_mutex_);
        options_.observer->note(text);
    }
}

double Context::elapsed() const noexcept {
    return std::chrono::duration<double>(Clock::now() - start_).count();
}

}  // namespace mercer
