// SPDX-License-Identifier: Apache-2.0
//
// src/compute/interior_point.hpp - one run of the interior-point method on a scaled program.
#pragma once

#include "compute/scaled_program.hpp"
#include "mercer/compute/quadratic_program.hpp"

namespace mercer {

class Context;

struct InteriorRun {
    InteriorPoint point;  ///< the best of all iterations
    InteriorResiduals residuals;
    QuadraticStatus status = QuadraticStatus::reduced;  ///< optimal, or why it ended
    index_t iterations = 0;
};

/// Runs to the tolerance, to the iteration limit or until nothing improves.
[[nodiscard]] InteriorRun run_interior_point(const ScaledProgram& program,
                                             const QuadraticOptions& options, Context& context);

/// Replaces the point by the solution of the equations of its active constraints if that is nearer
/// to the optimum.
void polish_active_set(const ScaledProgram& program, InteriorRun& run, Context& context);

}  // namespace mercer
