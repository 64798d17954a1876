// SPDX-License-Identifier: Apache-2.0
//
// mercer/runtime/device.hpp - where the numbers of a computation are made.
#pragma once

namespace mercer {

/// What a Context computes on. Each has one backend (mercer/compute/backend.hpp), which also gives
/// it the name that users know it by.
enum class Device {
    cpu,        ///< vector instructions and BLAS
    reference,  ///< scalar, obvious, slow: what the others are tested against
};

}  // namespace mercer
