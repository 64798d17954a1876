// SPDX-License-Identifier: Apache-2.0
//
// mercer/compute/measure.hpp - the speed of this machine, for `mercer doctor` and benchmarks.
#pragma once

#include "mercer/base/types.hpp"

namespace mercer {

class Context;

/// Best of a few short runs of Device::cpu (whatever the context's device) on the context's
/// threads.
struct SpeedReport {
    double sgemm_gflops = kNaN;         ///< BLAS, float32, 1024 x 1024 x 1024
    double dgemm_gflops = kNaN;         ///< BLAS, float64
    double tile_gflops_float32 = kNaN;  ///< linear-kernel tiles, 256 columns
    double tile_gflops_float64 = kNaN;
    double exp_per_second_float32 = kNaN;  ///< vector exp, in cache, one thread
    double exp_per_second_float64 = kNaN;
};

/// Takes about half a second.
[[nodiscard]] SpeedReport measure_speed(Context& context);

}  // namespace mercer
