// SPDX-License-Identifier: Apache-2.0
//
// mercer/kernels/zero_columns.hpp - recognises kernels for which zero columns can be left out.
#pragma once

#include "mercer/kernels/kernel.hpp"

namespace mercer {

/// True when columns that are zero in both rows may be left out without changing a bit of k(x, z):
/// the kernel then uses neither the indices nor the number of the columns.
[[nodiscard]] bool ignores_zero_columns(const Kernel& kernel);

}  // namespace mercer
