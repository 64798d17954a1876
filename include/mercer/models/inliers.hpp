// SPDX-License-Identifier: Apache-2.0
//
// mercer/models/inliers.hpp - the data of a one-class machine: every training row is an inlier.
#pragma once

#include "mercer/data/dataset.hpp"

namespace mercer {

/// The rows with the classes -1 (outside) and 1 (inside); every row gets class 1. Existing targets
/// are dropped.
[[nodiscard]] Dataset as_inliers(Dataset data);

}  // namespace mercer
