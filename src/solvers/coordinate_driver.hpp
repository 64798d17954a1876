// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/coordinate_driver.hpp - run a coordinate solver, certify, tighten, continue.
#pragma once

#include <string>

#include "mercer/solvers/registry.hpp"

namespace mercer {

/// The largest row cache that saves time, in bytes, for data rows with this many stored entries.
[[nodiscard]] index_t largest_cache(double entries_per_row);

/// Runs the solver made by `row` until the certificate meets the goal or no progress is possible;
/// `reason` is reported in a note: why it was chosen. With options.keeper it continues a stopped
/// run of the same problem.
[[nodiscard]] Solution solve_by_coordinates(const KernelSolver& row, const Problem& problem,
                                            const SolveOptions& options, const std::string& reason,
                                            Context& context);

}  // namespace mercer
