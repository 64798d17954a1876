// SPDX-License-Identifier: Apache-2.0
//
// src/search/path_select.hpp - the best value of a hyperparameter among all of them, by paths.
//
// Every part of the data has its own path; the loss of the rows left out is added up along all of
// them, so the best value is the best of a continuum.
#pragma once

#include <optional>
#include <span>

#include "mercer/data/split.hpp"
#include "mercer/search/path.hpp"
#include "mercer/search/select.hpp"
#include "search/path_score.hpp"

namespace mercer::search {

/// The options with their range filled in for this data. Throws InvalidArgument where the machine
/// has no such path.
[[nodiscard]] PathOptions complete_path(const Dataset& data, const PathOptions& asked);

/// The machine at a value of what moves.
[[nodiscard]] TrainOptions machine_at(const PathOptions& options, double value);

/// The summed loss of other rows along the path of these.
struct TracedLoss {
    LossCurve curve;
    SolveStatus status = SolveStatus::converged;
};
[[nodiscard]] TracedLoss trace_loss(const Dataset& training, const Dataset& held_out,
                                    const PathOptions& options, Context& context);

/// One row of the table of select: the machine at its best value, which is put after the values of
/// the grid. Judged by the folds, or by the validation rows when there are some.
[[nodiscard]] SelectRow select_on_path(const Dataset& data, const PathOptions& asked,
                                       const SelectOptions& options, std::span<const Split> folds,
                                       Context& context);

}  // namespace mercer::search
