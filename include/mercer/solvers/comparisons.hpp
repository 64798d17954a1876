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

/// Multipliers of the comparisons with their proof.
struct ComparisonSolution {
    std::vector<double> alpha;       ///< in the dual set
    std::vector<double> beta;        ///< f = sum_i beta_i k(x_i, .), which follows from alpha
    std::vector<double> thresholds;  ///< the best for f
    SolveStatus status = SolveStatus::reduced;
    Certificate certificate;
    index_t iterations = 0;
    std::string solver;
    double certify_seconds = 0.0;
};

using ComparisonSolver = SolverEntry<ComparisonProblem, ComparisonSolution>;

/// The one solver there is.
[[nodiscard]] std::span<const ComparisonSolver> comparison_table();

/// Bytes the solver takes for a comparison, beside the problem itself.
inline constexpr index_t kComparisonBytes = 3 * sizeof(double);

/// Solves to the tolerances asked for (neither: a relative gap of kDefaultGapTolerance); the
/// options' keeper, start and cache are not used. Never throws because it did not converge. Throws
/// InvalidArgument for a malformed problem or an unknown solver, ResourceError for memory.
[[nodiscard]] ComparisonSolution solve_comparisons(const ComparisonProblem& problem,
                                                   const SolveOptions& options, Context& context);

}  // namespace mercer
