// SPDX-License-Identifier: Apache-2.0
//
// bench/timing.hpp - the one stopwatch of the benchmarks, and how a figure is printed.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <string_view>

namespace mercer::bench {

/// Shortest time of `runs` calls after a warm-up: noise only ever adds.
template <class F>
double best_seconds(int runs, const F& f) {
    using Clock = std::chrono::steady_clock;
    f();
    double best = std::numeric_limits<double>::infinity();
    for (int run = 0; run < runs; ++run) {
        const Clock::time_point start = Clock::now();
        f();
        best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
    }
    return best;
}

/// One JSON line: {"name": "...", "value": 1.5, "unit": "GFLOP/s"}.
inline void print_figure(std::string_view name, double value, std::string_view unit) {
    fmt::print("{{\"name\":\"{}\",\"value\":{:.17g},\"unit\":\"{}\"}}\n", name, value, unit);
}

}  // namespace mercer::bench
