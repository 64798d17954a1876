// SPDX-License-Identifier: Apache-2.0
//
// cli/machine.hpp - facts about this machine for `mercer doctor`.
#pragma once

#include <string>

#include "mercer/base/types.hpp"

namespace mercer::cli {

/// The name of the processor; "unknown" if the system does not provide it.
[[nodiscard]] std::string processor_name();

/// The online CPUs of the machine, and how many of them this process may use.
[[nodiscard]] index_t online_processors();
[[nodiscard]] index_t allowed_processors();

/// Why `usable` threads are used: "all 8 CPUs", "CPU affinity allows 2 of 8", ...
[[nodiscard]] std::string explain_threads(index_t online, index_t allowed, index_t usable);

/// Number of indices in a list such as `0-3,8`; 0 if it is not a list.
[[nodiscard]] index_t count_cpu_list(const std::string& list);

}  // namespace mercer::cli
