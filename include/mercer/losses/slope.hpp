// SPDX-License-Identifier: Apache-2.0
//
// mercer/losses/slope.hpp - which losses have a derivative everywhere.
#pragma once

#include "mercer/losses/loss.hpp"

namespace mercer {

/// True when the loss has a derivative everywhere: what the multipliers of a sparse problem are
/// made of. False for the hinge, the absolute and the epsilon-insensitive loss.
[[nodiscard]] bool has_slope(const Loss& loss);

}  // namespace mercer
