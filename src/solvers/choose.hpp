// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/choose.hpp - which coordinate solver `auto` takes, and why.
#pragma once

#include <string>
#include <vector>

#include "mercer/solvers/registry.hpp"

namespace mercer {

/// Seconds on two cores, for the median of the measured problems.
[[nodiscard]] double typical_smo_seconds(const ProblemSize& size);
[[nodiscard]] double typical_decomposition_seconds(const ProblemSize& size);
/// Infinite where it would work in the rows: `auto` does not begin with it there.
[[nodiscard]] double typical_interior_point_seconds(const ProblemSize& size);

/// Infinite where K is no product of rows.
[[nodiscard]] double typical_dual_descent_seconds(const ProblemSize& size);
/// The entries of a pass over so many rows, what a row costs beside its own counted among them; and
/// the seconds of walking over so many.
[[nodiscard]] double dual_descent_entries(index_t rows, index_t stored);
[[nodiscard]] double dual_descent_seconds(double entries);

/// What a solver would take on a problem of this size.
struct ExpectedTime {
    std::string solver;
    double seconds = 0.0;
};

/// Estimates for these solvers, in the order given; those without a typical time, or with an infinite
/// one, are left out.
[[nodiscard]] std::vector<ExpectedTime> expected_times(
    const std::vector<const KernelSolver*>& solvers, const ProblemSize& size);

/// The place of the solver to take: the first, unless another is clearly faster.
[[nodiscard]] std::size_t cheapest(const std::vector<ExpectedTime>& times);

}  // namespace mercer
