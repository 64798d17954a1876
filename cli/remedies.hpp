// SPDX-License-Identifier: Apache-2.0
//
// cli/remedies.hpp - what a user can do about a run that did not converge, or will be slow.
#pragma once

#include <string>
#include <vector>

#include "mercer/fit/train.hpp"

namespace mercer::cli {

/// Remedies for a run that ended without its proof, in words that name the option; empty if it
/// converged.
[[nodiscard]] std::vector<std::string> remedies(const TrainResult& result, const Dataset& data,
                                                const TrainOptions& options);

/// Known causes of a slow run, before it starts, with their remedies; empty if there are none.
[[nodiscard]] std::vector<std::string> slow_start_remedies(const Dataset& data,
                                                           const TrainOptions& options);

}  // namespace mercer::cli
