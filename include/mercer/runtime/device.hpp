// SPDX-License-Identifier: Apache-2.0
//
// mercer/runtime/device.hpp - the devices that can compute.
#pragma once

namespace mercer {

/// What a Context computes on. Each device has one backend (mercer/compute/backend.hpp), which also
/// holds the name that users see.
enum class Device {
    cpu,        ///< vector instructions and BLAS
    reference,  ///< scalar, obvious, slow: what the others are tested against
};

}  // namespace mercer
