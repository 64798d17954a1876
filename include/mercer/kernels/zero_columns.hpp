// SPDX-License-Identifier: Apache-2.0
//
// mercer/kernels/zero_columns.hpp - which kernels sparse rows need not be written out in full for.
#pragma once

#include "mercer/kernels/kernel.hpp"

namespace mercer {

/// True when columns that are zero in both rows may be left out without changing a bit of k(x, z):
/// columns then have neither a number nor a count.
[[nodiscard]] bool ignores_zero_columns(const Kernel& kernel);

}  // namespace mercer
