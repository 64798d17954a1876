// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/choose.hpp - the cost model by which `auto` chooses a solver of a box dual.
#pragma once

#include <string>
#include <vector>

#include "mercer/solvers/registry.hpp"

namespace mercer {

/// Seconds on two cores, for the median of the measured problems.
[[nodiscard]] double typical_smo_seconds(const ProblemSize& size);
[[nodiscard]] double typical_decomposition_seconds(const ProblemSize& size);
/// Infinite where it would factor an n x n matrix: `auto` does not choose it there.
[[nodiscard]] double typical_interior_point_seconds(const ProblemSize& size);

/// Infinite where K is not factor X X'.
[[nodiscard]] double typical_dual_descent_seconds(const ProblemSize& size);
/// The entries of a pass over the rows, including the fixed cost of a row in units of entries; and
/// the seconds for this many entries.
[[nodiscard]] double dual_descent_entries(index_t rows, index_t stored);
[[nodiscard]] double dual_descent_seconds(double entries);

/// The expected time of a solver.
struct ExpectedTime {
    std::string solver;
    double seconds = 0.0;
};

/// Estimates for these solvers, in the order given; those without a typical time, or with an
/// infinite one, are left out.
[[nodiscard]] std::vector<ExpectedTime> expected_times(
    const std::vector<const KernelSolver*>& solvers, const ProblemSize& size);

/// The index of the solver to choose: the first, unless another is clearly faster.
[[nodiscard]] std::size_t cheapest(const std::vector<ExpectedTime>& times);

}  // namespace mercer
