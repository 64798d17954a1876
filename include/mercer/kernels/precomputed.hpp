// SPDX-License-Identifier: Apache-2.0
//
// mercer/kernels/precomputed.hpp - expressions whose values come from a matrix.
#pragma once

#include "mercer/kernels/kernel.hpp"

namespace mercer {

/// Throws InvalidArgument, naming the part, unless every part of the expression is `precomputed` or
/// a constant: no other part can be computed from kernel values.
void require_only_precomputed(const Kernel& kernel);

/// The expression with `leaf` in place of `precomputed`.
[[nodiscard]] Kernel with_values_from(const Kernel& kernel, const Kernel& leaf);

}  // namespace mercer
