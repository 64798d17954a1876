// SPDX-License-Identifier: Apache-2.0
//
// mercer/models/inliers.hpp - the data of a one-class machine: whatever it says, every row is in.
#pragma once

#include "mercer/data/dataset.hpp"

namespace mercer {

/// The rows with the classes -1 (outside) and 1 (inside), all of them in the second. Targets they
/// had are dropped.
[[nodiscard]] Dataset as_inliers(Dataset data);

}  // namespace mercer
