// SPDX-License-Identifier: Apache-2.0
//
// python/mercer/_engine/threads.cpp - the default number of threads of a call.
//
// threadpoolctl reads and sets it by two C functions, as it does with OpenMP and BLAS.
#include <algorithm>
#include <atomic>
#include <mercer/mercer.hpp>

#include "bindings.hpp"

namespace {

std::atomic<int> limit{0};  // 0: no limit

}  // namespace

extern "C" {

__attribute__((visibility("default"))) int mercer_get_num_threads() {
    const int allowed = mercer::Context().threads();
    const int wanted = limit.load();
    return wanted == 0 ? allowed : std::min(wanted, allowed);
}

__attribute__((visibility("default"))) void mercer_set_num_threads(int threads) {
    const bool all = threads >= mercer::Context().threads();  // as when a limit is lifted
    limit.store(all ? 0 : std::max(threads, 1));
}
}

namespace mercer::python {

void bind_threads(nanobind::module_& module) {
    module.def(
        "thread_limit", [] { return limit.load(); },
        "Threads that threadpoolctl allows; 0: it was not asked.");
}

}  // namespace mercer::python
