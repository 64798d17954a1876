// SPDX-License-Identifier: Apache-2.0
//
// mercer/solvers/comparisons.hpp - ordinal regression and ranking: solve and certify.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/problems/comparisons.hpp"
#include "mercer/solvers/registry.hpp"
#include "mercer/solvers/solve.hpp"

namespace mercer {

class Context;

using ComparisonSolver = SolverEntry<ComparisonProblem, Solution>;

/// The only solver.
[[nodiscard]] std::span<const ComparisonSolver> comparison_table();

/// Bytes of the solver per comparison, without the problem itself.
inline constexpr index_t kComparisonBytes = 3 * sizeof(double);

/// Solves to the tolerances of the options (neither: a relative gap of kDefaultGapTolerance); their
/// keeper, start and cache are not used. The solution has the multipliers of the comparisons, the
/// beta that follow from them, and the best thresholds. Never throws because it did not converge.
/// Throws InvalidArgument for a malformed problem or an unknown solver, ResourceError for memory.
[[nodiscard]] Solution solve_comparisons(const ComparisonProblem& problem,
                                         const SolveOptions& options, Context& context);

}  // namespace mercer
