// SPDX-License-Identifier: Apache-2.0
//
// mercer/fit/machine_problem.hpp - a machine's model before it is solved, and its problem.
#pragma once

#include "mercer/fit/prepared.hpp"
#include "mercer/fit/train.hpp"
#include "mercer/problems/problem.hpp"
#include "mercer/solvers/goal.hpp"

namespace mercer::fit {

/// The model's fields that are known before the solver runs, with the smooth default tolerances.
[[nodiscard]] Model describe_smooth(const Dataset& data, const TrainOptions& options,
                                    const Prepared& prepared, const Loss& loss, double cost);

/// Classes become -1 and +1, with costs = cost * class weight * row weight; numeric targets stay.
/// Throws InvalidArgument with the row if a cost is not finite.
[[nodiscard]] Problem smooth_problem(const Prepared& prepared, const Model& model,
                                     const Loss& loss);

/// The goal that the model states.
[[nodiscard]] inline Goal goal_of(const Model& model) {
    return {model.gap_tolerance, model.tolerance};
}

/// Throws InvalidArgument if a kernel is given to a linear machine.
void require_no_kernel(const TrainOptions& options);

}  // namespace mercer::fit
