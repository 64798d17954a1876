// SPDX-License-Identifier: Apache-2.0
//
// src/runtime/thread_team.hpp - the sleeping helpers of one Context.
#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "mercer/base/types.hpp"

namespace mercer {

/// Threads that sleep until there is work and help the caller with it.
///
/// The caller works too and waits only for helpers that have begun a tile: a helper that the system
/// has not woken yet (another process has its core) costs nothing, as the caller does its share.
class ThreadTeam {
public:
    /// `helpers` threads in addition to the caller, or as many as the system grants.
    explicit ThreadTeam(int helpers);
    ~ThreadTeam();
    ThreadTeam(const ThreadTeam&) = delete;
    ThreadTeam& operator=(const ThreadTeam&) = delete;

    /// Calls work(worker) on the caller (worker 0) and on up to `helpers` helpers (1, 2, ...), and
    /// returns when all of them have returned. False, and nothing done, when a run is in flight.
    bool run(int helpers, const std::function<void(int worker)>& work);

private:
    void help(int worker);

    std::mutex mutex_;
    std::condition_variable wake_;
    std::condition_variable idle_;
    const std::function<void(int)>* work_ = nullptr;  ///< null: nothing to do
    int wanted_ = 0;                                  ///< helpers numbered up to this may join
    std::uint64_t generation_ = 0;
    int inside_ = 0;  ///< helpers at work
    bool closing_ = false;
    pid_t owner_;  ///< threads do not survive a fork; then the caller works alone
    std::vector<std::thread> threads_;
};

}  // namespace mercer
