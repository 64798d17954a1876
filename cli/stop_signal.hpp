// SPDX-License-Identifier: Apache-2.0
//
// cli/stop_signal.hpp - what the program does with signals.
#pragma once

#include <atomic>

namespace mercer::cli {

/// Ctrl-C, SIGTERM and SIGHUP (a terminal that is closed; not under nohup) raise the flag once; the
/// second one ends the process at once. A file-size
/// limit becomes a write error (SIGXFSZ is ignored); a reader that went away ends us quietly
/// (SIGPIPE does what it always did, whatever our parent set).
void install_signal_handlers();

/// True once a signal asked to stop.
[[nodiscard]] const std::atomic<bool>& stop_flag();

}  // namespace mercer::cli
