// SPDX-License-Identifier: Apache-2.0
//
// cli/stop_signal.cpp - one flag, set by signals.
#include "stop_signal.hpp"

#include <csignal>

namespace mercer::cli {

namespace {

// A signal handler can only reach global state.
std::atomic<bool> stop_requested{false};
static_assert(std::atomic<bool>::is_always_lock_free);

volatile std::sig_atomic_t takes_hangup = 0;  // false if nohup ignores it

extern "C" void request_stop(int) {
    stop_requested.store(true, std::memory_order_relaxed);
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
    if (takes_hangup != 0) {
        std::signal(SIGHUP, SIG_DFL);
    }
}

}  // namespace

void install_signal_handlers() {
    struct sigaction action {};
    action.sa_handler = request_stop;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    struct sigaction hangup {};
    sigaction(SIGHUP, nullptr, &hangup);
    if (hangup.sa_handler != SIG_IGN) {
        takes_hangup = 1;
        sigaction(SIGHUP, &action, nullptr);
    }
    std::signal(SIGXFSZ, SIG_IGN);
    std::signal(SIGPIPE, SIG_DFL);
}

const std::atomic<bool>& stop_flag() { return stop_requested; }

}  // namespace mercer::cli
