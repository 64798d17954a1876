// SPDX-License-Identifier: Apache-2.0
//
// src/runtime/thread_team.cpp - one mutex, two conditions, no spinning.
//
// Why not an OpenMP team: its barriers wait for every member, spinning. On a two-core machine with
// both cores busy elsewhere, the unit tests of this library's tiles (short parallel regions) took
// 2600 ms on libgomp and 25 ms on this team. docs/adr/0002 has the comparison.
#include "runtime/thread_team.hpp"

#include <unistd.h>

#include <system_error>

namespace mercer {

ThreadTeam::ThreadTeam(int helpers) : owner_(::getpid()) {
    threads_.reserve(static_cast<std::size_t>(helpers));
    try {
        for (int i = 0; i < helpers; ++i) {
            threads_.emplace_back([this, worker = i + 1] { help(worker); });
        }
    } catch (const std::system_error&) {
        // A smaller team, or the caller alone, can do the same work.
    }
}

ThreadTeam::~ThreadTeam() {
    if (::getpid() != owner_) {
        for (std::thread& thread : threads_) {
            thread.detach();  // the thread exists in the parent process only
        }
        return;
    }
    {
        const std::lock_guard lock(mutex_);
        closing_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) {
        thread.join();
    }
}

bool ThreadTeam::run(int helpers, const std::function<void(int worker)>& work) {
    if (::getpid() != owner_) {
        work(0);
        return true;
    }
    {
        const std::lock_guard lock(mutex_);
        if (work_ != nullptr) {
            return false;
        }
        work_ = &work;
        wanted_ = helpers;
        ++generation_;
    }
    wake_.notify_all();
    work(0);
    std::unique_lock lock(mutex_);
    wanted_ = 0;  // helpers that have not joined by now stay out
    idle_.wait(lock, [this] { return inside_ == 0; });
    work_ = nullptr;
    return true;
}

void ThreadTeam::help(int worker) {
    std::uint64_t seen = 0;
    std::unique_lock lock(mutex_);
    while (true) {
        wake_.wait(lock, [&] { return closing_ || (generation_ != seen && worker <= wanted_); });
        if (closing_) {
            return;
        }
        seen = generation_;
        const std::function<void(int)>& work = *work_;
        ++inside_;
        lock.unlock();
        work(worker);
        lock.lock();
        if (--inside_ == 0) {
            idle_.notify_one();
        }
    }
}

}  // namespace mercer
