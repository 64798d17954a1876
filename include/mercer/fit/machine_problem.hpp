// SPDX-License-Identifier: Apache-2.0
//
// mercer/fit/machine_problem.hpp - a machine's model before it is solved, and the problem to solve.
#pragma once

#include "mercer/fit/prepared.hpp"
#include "mercer/fit/train.hpp"
#include "mercer/problems/problem.hpp"
#include "mercer/solvers/goal.hpp"

namespace mercer::fit {

/// What the model is told before the solver runs; the tolerances with the smooth default.
[[nodiscard]] Model describe_smooth(const Dataset& data, const TrainOptions& options,
                                    const Prepared& prepared, const Loss& loss, double cost);

/// Classes as -1 and +1, costs = cost * class weight * row weight; numbers as they are. Throws
/// InvalidArgument naming the row when a cost is not finite.
[[nodiscard]] Problem smooth_problem(const Prepared& prepared, const Model& model,
                                     const Loss& loss);

/// What the model says was asked for.
[[nodiscard]] inline Goal goal_of(const Model& model) {
    return {model.gap_tolerance, model.tolerance};
}

/// Throws InvalidArgument when a kernel is given to a linear machine.
void require_no_kernel(const TrainOptions& options);

}  // namespace mercer::fit
