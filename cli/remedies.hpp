// SPDX-License-Identifier: Apache-2.0
//
// cli/remedies.hpp - what a user can do about a run that did not end well, or will not.
#pragma once

#include <string>
#include <vector>

#include "mercer/fit/train.hpp"

namespace mercer::cli {

/// What helps a run that ended without its proof, in words that name the option; none when it
/// converged.
[[nodiscard]] std::vector<std::string> remedies(const TrainResult& result, const Dataset& data,
                                                const TrainOptions& options);

/// What is known to make a run slow before it starts, with its remedy; none when nothing is.
[[nodiscard]] std::vector<std::string> slow_start_remedies(const Dataset& data,
                                                           const TrainOptions& options);

}  // namespace mercer::cli
