// SPDX-License-Identifier: Apache-2.0
//
// cli/machine.hpp - facts about this machine that only `mercer doctor` wants.
#pragma once

#include <string>

#include "mercer/base/types.hpp"

namespace mercer::cli {

/// The processor's name for itself; "unknown" when the system does not tell.
[[nodiscard]] std::string processor_name();

/// CPUs of the machine that are switched on, and how many of them this process may run on.
[[nodiscard]] index_t online_processors();
[[nodiscard]] index_t allowed_processors();

/// Why `usable` threads are used: "all 8 CPUs", "CPU affinity allows 2 of 8", ...
[[nodiscard]] std::string explain_threads(index_t online, index_t allowed, index_t usable);

/// Number of indices in a list such as `0-3,8`; 0 when it is none.
[[nodiscard]] index_t count_cpu_list(const std::string& list);

}  // namespace mercer::cli
