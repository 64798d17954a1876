// SPDX-License-Identifier: Apache-2.0
//
// mercer/solvers/softmax.hpp - the joint logistic problem of many classes: solve and certify.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/problems/softmax.hpp"
#include "mercer/solvers/registry.hpp"
#include "mercer/solvers/solve.hpp"

namespace mercer {

class Context;

/// Coefficients of all classes with the one proof of their problem.
struct SoftmaxSolution {
    std::vector<double> beta;        ///< n x classes, in the dual set
    std::vector<double> intercepts;  ///< one per class; they sum to 0
    SolveStatus status = SolveStatus::reduced;
    Certificate certificate;
    index_t iterations = 0;
    std::string solver;
    double certify_seconds = 0.0;
    std::vector<TracePoint> trace;
};

using SoftmaxSolver = SolverEntry<SoftmaxProblem, SoftmaxSolution>;

/// The solvers of the joint problem.
[[nodiscard]] std::span<const SoftmaxSolver> softmax_table();

/// The one that `auto` takes for so many rows and bytes.
[[nodiscard]] const SoftmaxSolver& usual_softmax_solver(index_t rows, index_t memory_left);

/// Solves to the tolerances asked for (neither: a relative gap of kSmoothGapTolerance); the
/// options' keeper and cache are not used. `auto` goes on with L-BFGS where rounding ends Newton's
/// method before the proof is there. Never throws because it did not converge. Throws
/// InvalidArgument for a malformed problem or an unknown solver, ResourceError for memory.
[[nodiscard]] SoftmaxSolution solve_softmax(const SoftmaxProblem& problem,
                                            const SolveOptions& options, Context& context);

}  // namespace mercer
