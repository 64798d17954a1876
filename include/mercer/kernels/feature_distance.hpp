// SPDX-License-Identifier: Apache-2.0
//
// mercer/kernels/feature_distance.hpp - how far apart two rows are in a kernel's feature space.
#pragma once

#include <span>

#include "mercer/kernels/kernel.hpp"

namespace mercer {

/// |phi(x) - phi(z)|^2 = k(x, x) + k(z, z) - 2 k(x, z), formed from the differences of the rows.
///
/// The three kernel values agree in most of their digits when the rows are close, and their sum
/// then has none left. Here every construction passes on the distance of its parts instead, so that
/// the digits stay: 1e-20 is 1e-20 and not 0. Equal rows are exactly 0 apart. Only where no such
/// rule is known (sigmoid, matern of a smoothness other than 1/2, 3/2 and 5/2, kernels of the user)
/// are the three values added up.
///
/// Negative only for kernels that are not at least conditionally positive definite. Throws as
/// Kernel::operator() does.
[[nodiscard]] double squared_feature_distance(const Kernel& kernel, std::span<const double> x,
                                              std::span<const double> z);

}  // namespace mercer
