// SPDX-License-Identifier: Apache-2.0
//
// mercer/runtime/context.hpp - what a computation may use, owned by the caller.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "mercer/base/random.hpp"
#include "mercer/base/types.hpp"
#include "mercer/comm/communicator.hpp"
#include "mercer/runtime/device.hpp"
#include "mercer/runtime/memory.hpp"
#include "mercer/runtime/observer.hpp"
#include "mercer/runtime/work.hpp"

namespace mercer {

class ThreadTeam;

/// How a Context is made. Zero means "whatever the machine allows".
struct ContextOptions {
    int threads = 0;               ///< 0: the CPUs this process may use (affinity and cgroup quota)
    Device device = Device::cpu;   ///< what computes
    index_t memory = 0;            ///< bytes for large blocks; 0: no limit
    std::uint64_t seed = 0;        ///< of every random stream
    double time_limit = 0.0;       ///< seconds from construction; 0: none
    Observer* observer = nullptr;  ///< not owned; may be null
    const std::atomic<bool>* stop_flag = nullptr;  ///< not owned; true asks to stop (Ctrl-C)
    std::shared_ptr<Communicator> communicator;    ///< null: this process alone
};

/// Threads, device, memory budget, seed, observer, stop request and communicator, passed to every
/// verb.
///
/// A Context is cheap, holds no global state and may be used by one computation at a time.
class Context {
public:
    explicit Context(const ContextOptions& options = {});
    /// A context with the same threads, device, seed, memory budget and ranks, but without stop
    /// request and time limit: for the short work that must follow an interruption.
    static std::unique_ptr<Context> unstoppable(const Context& context);
    /// As unstoppable(), but with a time limit of `seconds` from now: for work that must follow an
    /// interruption and may take long.
    static std::unique_ptr<Context> granted(const Context& context, double seconds);
    /// A context with the same device, seed, memory budget, stop request and time limit, but with
    /// one thread, one rank and no observer: for a computation that is one tile of a larger one.
    static std::unique_ptr<Context> single_threaded(const Context& context);
    ~Context();
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;

    [[nodiscard]] int threads() const noexcept { return threads_; }
    [[nodiscard]] Device device() const noexcept { return options_.device; }
    [[nodiscard]] std::uint64_t seed() const noexcept { return options_.seed; }

    /// The ranks that share this computation: at least this process.
    [[nodiscard]] Communicator& communicator() const noexcept { return *options_.communicator; }

    /// The random stream with that number; equal numbers give equal streams.
    [[nodiscard]] Random random(std::uint64_t stream) const {
        return Random(options_.seed, stream);
    }

    [[nodiscard]] const std::shared_ptr<MemoryBudget>& memory() const noexcept { return memory_; }

    /// A budgeted array; throws ResourceError when it does not fit.
    template <typename T>
    [[nodiscard]] Buffer<T> allocate(index_t size, std::string_view what,
                                     Contents contents = Contents::zeros) const {
        return Buffer<T>(memory_, size, what, contents);
    }

    /// True once the stop flag is set or the time limit, less the reserved time, has passed. Any
    /// thread may call it.
    [[nodiscard]] bool should_stop() const noexcept;

    /// True once should_stop() has returned true: work done with this context may have been cut
    /// short, even if its result met its goal.
    [[nodiscard]] bool has_asked_to_stop() const noexcept {
        return asked_to_stop_.load(std::memory_order_relaxed);
    }

    /// Seconds until the time limit, without the reserved time; infinite when there is no limit.
    [[nodiscard]] double seconds_left() const noexcept;

    /// Reserves seconds of the time limit while it lives: should_stop() is true that much earlier,
    /// so that the work that follows (a certificate, a last fit) ends in time.
    class ReservedTime {
    public:
        ReservedTime(Context& context, double seconds) noexcept
            : context_(context), before_(context.reserved_.load()) {
            set(seconds);
        }
        ~ReservedTime() { context_.reserved_.store(before_); }
        ReservedTime(const ReservedTime&) = delete;
        ReservedTime& operator=(const ReservedTime&) = delete;

        /// Adds to what was reserved before this object was made.
        void set(double seconds) noexcept { context_.reserved_.store(before_ + seconds); }

    private:
        Context& context_;
        double before_;
    };

    /// Throws Interrupted when should_stop(): for work that has no partial result.
    void throw_if_stopped(std::string_view what) const;

    /// Hands progress to the observer, at most every 100 ms. Any thread may call it.
    void report(Progress progress);

    /// Hands a note to the observer. Any thread may call it.
    void note(std::string_view text);

    /// Seconds since construction.
    [[nodiscard]] double elapsed() const noexcept;

    /// Counts the work on K of this context and of those made from it.
    void count_rows(index_t rows) noexcept {
        if (counts_) {
            work_->add_rows(rows);
        }
    }
    void count_products(index_t products) noexcept {
        if (counts_) {
            work_->add_products(products);
        }
    }

    /// While it lives the context counts nothing: for certificates, which are not part of the
    /// method that they judge, and for the parts of an operation that was counted as a whole.
    class Uncounted {
    public:
        explicit Uncounted(Context& context) noexcept
            : context_(context), before_(context.counts_) {
            context.counts_ = false;
        }
        ~Uncounted() { context_.counts_ = before_; }
        Uncounted(const Uncounted&) = delete;
        Uncounted& operator=(const Uncounted&) = delete;

    private:
        Context& context_;
        bool before_;
    };

    /// Counts from its construction on. It restarts the peak of memory, so only one meter may be in
    /// use at a time.
    class WorkMeter {
    public:
        explicit WorkMeter(Context& context);
        [[nodiscard]] Work work() const noexcept;

    private:
        Context& context_;
        Work before_;
    };

    /// The helper threads, started on the first call. parallel_for is their only user.
    [[nodiscard]] ThreadTeam& team();

private:
    using Clock = std::chrono::steady_clock;

    ContextOptions options_;
    int threads_ = 1;
    std::shared_ptr<MemoryBudget> memory_;
    std::shared_ptr<WorkCounter> work_;
    bool counts_ = true;
    Clock::time_point start_;
    std::atomic<double> reserved_{0.0};  ///< seconds
    mutable std::atomic<bool> asked_to_stop_{false};
    std::mutex report_mutex_;
    Clock::time_point last_report_{};
    struct SharedTeam;
    std::shared_ptr<SharedTeam> team_;  ///< its threads start when first needed
};

}  // namespace mercer
