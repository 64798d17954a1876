// SPDX-License-Identifier: Apache-2.0
//
// src/models/inliers.cpp - targets for a machine that needs none.
#include "mercer/models/inliers.hpp"

namespace mercer {

Dataset as_inliers(Dataset data) {
    data.label_names = {"-1", "1"};
    data.targets.assign(static_cast<std::size_t>(data.rows()), 1.0);
    return data;
}

}  // namespace mercer
