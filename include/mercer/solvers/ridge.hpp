// SPDX-License-Identifier: Apache-2.0
//
// mercer/solvers/ridge.hpp - kernel ridge regression by one Cholesky factorisation.
//
//     (K + alpha W^-1) beta_t + b_t 1 = y_t,   sum(beta_t) = 0 with an intercept (b_t = 0 without)
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/operators/gram_operator.hpp"
#include "mercer/problems/certificate.hpp"
#include "mercer/solvers/registry.hpp"
#include "mercer/solvers/solve.hpp"
#include "mercer/solvers/status.hpp"

namespace mercer {

class Context;

struct RidgeProblem {
    std::shared_ptr<const GramOperator> gram;
    std::vector<double> targets;  ///< n x t, row-major
    index_t target_count = 1;
    std::vector<double> weights;  ///< n row weights >= 0; empty: all 1. Weight 0 leaves a row out.
    double alpha = 1.0;           ///< added to the diagonal, divided by the weight; >= 0
    bool intercept = true;

    [[nodiscard]] index_t size() const noexcept { return gram == nullptr ? 0 : gram->size(); }
};

struct RidgeOptions {
    /// A row of ridge_table(). Automatic: cholesky, but for a linear kernel whatever is cheapest in
    /// the columns.
    SolverChoice solver = SolverId::cholesky;
    /// float32: the matrix is factored in half the memory and time, and conjugate gradients with
    /// that factor bring the solution to double precision; float64 takes its place when it fails.
    Precision precision = Precision::float64;
    bool leave_one_out = false;  ///< direct in float64 only
    double tolerance = 1e-13;    ///< iterative: |y - (K + alpha) beta - b| relative to |y|
    index_t max_iterations = 0;  ///< 0: 10 n, or 100,000 for gradient descent
    bool trace = false;          ///< iterative, one target: certify every iteration
    WantedGap proof{};           ///< that certificates should reach; with a trace: stop there
};

struct RidgeSolution {
    std::vector<double> beta;               ///< n x t, row-major
    std::vector<double> intercepts;         ///< t
    std::vector<double> leave_one_out;      ///< n x t: y_i - f(x_i) with row i left out; empty when
                                            ///< alpha is 0 and K singular, where rounding of K
                                            ///< is more than alpha, and after a stop
    index_t rank = 0;                       ///< of K when alpha is 0; n otherwise
    bool consistent = true;                 ///< alpha = 0: the system has an exact solution
    std::vector<Certificate> certificates;  ///< one per target; loss (f - y)^2, C = w / (2 alpha)
    SolveStatus status = SolveStatus::reduced;
    double factor_seconds = 0.0;
    double certify_seconds = 0.0;
    std::string solver = std::string(name_of(SolverId::cholesky));  ///< the one that ran
    index_t iterations = 1;                                         ///< of all targets
    double iteration_bound = kNaN;  ///< conjugate gradients: what theory allows per target
    double condition = kNaN;        ///< by products: of K + alpha W^-1, bounded from above
    std::vector<TracePoint> trace;
};

using RidgeSolver = SolverEntry<RidgeProblem, RidgeSolution, RidgeOptions>;

/// The solvers of the equations: direct, or by products with K only (memory O(n)).
[[nodiscard]] std::span<const RidgeSolver> ridge_table();

/// By the automatic choice. Float64, blocked, in place: memory n^2 doubles; a linear kernel with few columns
/// takes their square instead. alpha = 0 with a singular K is solved by the pseudo-inverse (least
/// norm), with the rank reported. Where rounding of K is more than alpha, `reduced`: the best found
/// with a greater alpha, certified for this one. A stop leaves what is there, `interrupted`: beta
/// without the rows left out, or f = 0 and the best constants. Throws InvalidArgument naming the
/// parameter, ResourceError when n^2 doubles do not fit the budget, Interrupted when alpha is 0.
[[nodiscard]] RidgeSolution solve_ridge(const RidgeProblem& problem, bool leave_one_out,
                                        Context& context);

/// The same with a choice of the solver. The iterative ones need alpha > 0 and weights > 0.
[[nodiscard]] RidgeSolution solve_ridge(const RidgeProblem& problem, const RidgeOptions& options,
                                        Context& context);

/// Predictive variance k(x,x) - k(x)'(K + alpha W^-1)^-1 k(x) of new rows beside the
/// problem's, without intercept correction. One factorisation. Throws like solve_ridge, and when alpha is 0.
[[nodiscard]] std::vector<double> ridge_variance(const RidgeProblem& problem, const NewRows& rows,
                                                 Context& context);

}  // namespace mercer
