// SPDX-License-Identifier: Apache-2.0
//
// mercer/kernels/linear_form.hpp - which kernels are a number times the product of two rows.
//
// K = c X X' needs no kernel value: products with it are two passes over X, and a machine in its
// space is a machine in the columns.
#pragma once

#include "mercer/kernels/kernel.hpp"

namespace mercer {

/// c of k(x, z) = c <x, z>, found by construction: linear, times constants, sums of such. 0 for any
/// other kernel.
[[nodiscard]] double linear_factor(const Kernel& kernel);

}  // namespace mercer
