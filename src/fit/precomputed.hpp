// SPDX-License-Identifier: Apache-2.0
//
// src/fit/precomputed.hpp - training on kernel values.
#pragma once

#include "mercer/fit/numbered_rows.hpp"
#include "mercer/fit/train.hpp"

namespace mercer::fit {

/// Runs train() on numbered rows and converts its model back to the original rows.
[[nodiscard]] TrainResult train_precomputed(const Dataset& data, const TrainOptions& options,
                                            Context& context);

}  // namespace mercer::fit
