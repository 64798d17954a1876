// SPDX-License-Identifier: Apache-2.0
//
// mercer/runtime/hardware.hpp - what this process may use of the machine.
#pragma once

#include "mercer/base/types.hpp"

namespace mercer {

/// CPUs this process may run on: affinity mask, limited by the cgroup CPU quota (rounded up), >= 1.
[[nodiscard]] int usable_threads();

/// Bytes of memory this process could still take: free memory, limited by the cgroup limit.
[[nodiscard]] index_t usable_memory();

/// Peak resident set size so far, in bytes; 0 when the system does not report it.
[[nodiscard]] index_t peak_resident_bytes();

}  // namespace mercer
