// SPDX-License-Identifier: Apache-2.0
//
// mercer/kernels/linear_form.hpp - recognises kernels that are a multiple of the inner product.
//
// K = c X X' needs no kernel values: a product with it takes two passes over X, and a machine in
// its feature space is a linear machine in the columns.
#pragma once

#include "mercer/kernels/kernel.hpp"

namespace mercer {

/// The c of k(x, z) = c <x, z>, derived from the construction: the linear kernel, its multiples and
/// their sums. 0 for any other kernel.
[[nodiscard]] double linear_factor(const Kernel& kernel);

}  // namespace mercer
