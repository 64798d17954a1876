// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/coordinate_driver.hpp - run a coordinate solver, certify, tighten, continue.
#pragma once

#include <string>

#include "mercer/solvers/registry.hpp"

namespace mercer {

/// Bytes of Gram rows beyond which keeping them is not worth their pages, for data rows of so many
/// stored entries.
[[nodiscard]] index_t largest_cache(double entries_per_row);

/// Runs the solver that `row` makes until the certificate proves what is asked for, or nothing
/// helps; `reason` says in a note why it was chosen. With a keeper it goes on from where a run of
/// the same problem was left.
[[nodiscard]] Solution solve_by_coordinates(const KernelSolver& row, const Problem& problem,
                                            const SolveOptions& options, const std::string& reason,
                                            Context& context);

}  // namespace mercer
