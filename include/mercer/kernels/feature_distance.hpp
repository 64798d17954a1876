// SPDX-License-Identifier: Apache-2.0
//
// mercer/kernels/feature_distance.hpp - how far apart two rows are in a kernel's feature space.
#pragma once

#include <span>

#include "mercer/kernels/kernel.hpp"

namespace mercer {

/// |phi(x) - phi(z)|^2 = k(x, x) + k(z, z) - 2 k(x, z), formed from the differences of the rows.
///
/// When the rows are close the three kernel values agree in most of their digits, and their sum
/// loses all of them to cancellation. Here every construction combines the distances of its parts
/// instead, which loses no digits: 1e-20 is 1e-20 and not 0. The distance of equal rows is exactly
/// 0. The three values are added only where no such rule is known (sigmoid, matern of a smoothness
/// other than 1/2, 3/2 and 5/2, custom kernels).
///
/// Negative only for kernels that are not at least conditionally positive definite. Throws as
/// Kernel::operator() does.
[[nodiscard]] double squared_feature_distance(const Kernel& kernel, std::span<const double> x,
                                              std::span<const double> z);

}  // namespace mercer
