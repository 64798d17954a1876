// SPDX-License-Identifier: Apache-2.0
//
// src/runtime/parallel.cpp - tiles handed out by one counter to the caller and its sleeping
// helpers.
#include "mercer/runtime/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>

#include "mercer/base/error.hpp"
#include "mercer/runtime/context.hpp"
#include "runtime/thread_team.hpp"

namespace mercer {

namespace {

/// One parallel_for in flight.
class TileQueue {
public:
    TileQueue(Context& context, index_t tiles, const std::function<void(index_t, int)>& body)
        : context_(context), tiles_(tiles), body_(body) {}

    void work(int worker) noexcept {
        while (!failed_.load(std::memory_order_relaxed)) {
            const index_t tile = next_.fetch_add(1, std::memory_order_relaxed);
            if (tile >= tiles_) {
                break;
            }
            try {
                context_.throw_if_stopped("parallel work");
                body_(tile, worker);
            } catch (...) {
                record_failure(tile);
            }
        }
    }

    void rethrow() const {
        if (error_) {
            std::rethrow_exception(error_);
        }
    }

private:
    /// The failure of the lowest tile is reported, whatever the timing of the threads: tiles are
    /// handed out in order, so all tiles before a failed one run to their end.
    void record_failure(index_t tile) noexcept {
        const std::lock_guard lock(mutex_);
        if (!error_ || tile < failed_tile_) {
            error_ = std::current_exception();
            failed_tile_ = tile;
        }
        failed_.store(true, std::memory_order_relaxed);
    }

    Context& context_;
    index_t tiles_;
    const std::function<void(index_t, int)>& body_;
    std::atomic<index_t> next_{0};
    std::atomic<bool> failed_{false};
    std::mutex mutex_;
    std::exception_ptr error_;
    index_t failed_tile_ = 0;
};

}  // namespace

void parallel_for(Context& context, index_t tiles,
                  const std::function<void(index_t tile, int worker)>& body) {
    TileQueue queue(context, tiles, body);
    const auto helpers =
        static_cast<int>(std::min<index_t>(context.threads(), std::max<index_t>(1, tiles))) - 1;
    // If the team is busy, this call comes from inside one of its bodies: run here.
    if (helpers == 0 || !context.team().run(helpers, [&](int worker) { queue.work(worker); })) {
        queue.work(0);
    }
    queue.rethrow();
}

}  // namespace mercer
