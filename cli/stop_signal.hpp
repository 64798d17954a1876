// SPDX-License-Identifier: Apache-2.0
//
// cli/stop_signal.hpp - how the program handles signals.
#pragma once

#include <atomic>

namespace mercer::cli {

/// The first Ctrl-C, SIGTERM or SIGHUP (a closed terminal; not under nohup) sets the flag; the
/// second one ends the process immediately. A file-size limit becomes a write error (SIGXFSZ is
/// ignored); if the reader of a pipe is gone, the program ends quietly (SIGPIPE has its default
/// action, whatever the parent process set).
void install_signal_handlers();

/// True once a signal has requested a stop.
[[nodiscard]] const std::atomic<bool>& stop_flag();

}  // namespace mercer::cli
