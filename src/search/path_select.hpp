// SPDX-License-Identifier: Apache-2.0
//
// src/search/path_select.hpp - the best of all values of a hyperparameter, by exact paths.
//
// Every fold has its own path; the losses of the held-out rows are added along all of them, so the
// best value is the best of a continuum.
#pragma once

#include <optional>
#include <span>

#include "mercer/data/split.hpp"
#include "mercer/search/path.hpp"
#include "mercer/search/select.hpp"
#include "search/path_score.hpp"

namespace mercer::search {

/// The options with the range for these data. Throws InvalidArgument if the machine has no such
/// path.
[[nodiscard]] PathOptions complete_path(const Dataset& data, const PathOptions& asked);

/// The machine at a value of the varying hyperparameter.
[[nodiscard]] TrainOptions machine_at(const PathOptions& options, double value);

/// The summed loss of held-out rows along the path of the training rows.
struct TracedLoss {
    LossCurve curve;
    SolveStatus status = SolveStatus::converged;
};
[[nodiscard]] TracedLoss trace_loss(const Dataset& training, const Dataset& held_out,
                                    const PathOptions& options, Context& context);

/// One row of the table of select: the machine at its best value, which is appended to the values
/// of the grid. Evaluated on the folds, or on the validation rows if there are some.
[[nodiscard]] SelectRow select_on_path(const Dataset& data, const PathOptions& asked,
                                       const SelectOptions& options, std::span<const Split> folds,
                                       Context& context);

}  // namespace mercer::search
