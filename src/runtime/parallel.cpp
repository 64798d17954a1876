// SPDX-License-Identifier: Apache-2.0
//
// src/runtime/parallel.cpp - parallel_for on an OpenMP team that waits passively.
//
// Tiles are handed out by one atomic counter. OpenMP's own barrier spins; with a busy neighbour on
// a core that turned short regions into a 10x loss. So the caller sleeps on a counter of finished
// workers (a futex) before it enters the barrier, and programs that own their process (the command
// line) start with OMP_WAIT_POLICY=passive, which puts idle workers to sleep as well.
#include "mercer/runtime/parallel.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <exception>

#include "mercer/base/error.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {

namespace {

/// One parallel_for in flight.
class TileQueue {
public:
    TileQueue(Context& context, index_t tiles, const std::function<void(index_t, int)>& body)
        : context_(context), tiles_(tiles), body_(body) {}

    void work(int worker) noexcept {
        try {
            while (!failed_.load(std::memory_order_relaxed)) {
                const index_t tile = next_.fetch_add(1, std::memory_order_relaxed);
                if (tile >= tiles_) {
                    break;
                }
                context_.throw_if_stopped("parallel work");
                body_(tile, worker);
            }
        } catch (...) {
            if (!failed_.exchange(true)) {
                error_ = std::current_exception();
            }
        }
    }

    void rethrow() const {
        if (error_) {
            std::rethrow_exception(error_);
        }
    }

private:
    Context& context_;
    index_t tiles_;
    const std::function<void(index_t, int)>& body_;
    std::atomic<index_t> next_{0};
    std::atomic<bool> failed_{false};
    std::exception_ptr error_;
};

}  // namespace

void parallel_for(Context& context, index_t tiles,
                  const std::function<void(index_t tile, int worker)>& body) {
    TileQueue queue(context, tiles, body);
    const int team = static_cast<int>(std::min<index_t>(context.threads(), tiles));
    if (team <= 1 || omp_in_parallel() != 0) {
        queue.work(0);
        queue.rethrow();
        return;
    }
    std::atomic<int> working{team};
#pragma omp parallel num_threads(team)
    {
        const int worker = omp_get_thread_num();
        const int started = omp_get_num_threads();
        queue.work(worker);
        // A team may be smaller than asked; thread 0 answers for those that never started.
        const int finished = worker == 0 ? 1 + team - started : 1;
        if (working.fetch_sub(finished) == finished) {
            working.notify_all();
        }
        if (worker == 0) {
            for (int left = working.load(); left > 0; left = working.load()) {
                working.wait(left);
            }
        }
    }
    queue.rethrow();
}

}  // namespace mercer
