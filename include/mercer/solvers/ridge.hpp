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
    std::vector<double> weights;  ///< n row weights >= 0; empty: all 1. Weight 0 omits a row.
    double alpha = 1.0;           ///< added to the diagonal, divided by the weight; >= 0
    bool intercept = true;

    [[nodiscard]] index_t size() const noexcept { return gram == nullptr ? 0 : gram->size(); }
};

struct RidgeOptions {
    /// A row of ridge_table(). Automatic: cholesky, or for a linear kernel the cheapest method in
    /// the columns.
    SolverChoice solver = SolverId::cholesky;
    /// float32: the matrix is factored in half the memory and time, and conjugate gradients
    /// preconditioned by that factor refine the solution to double precision; float64 if that fails.
    Precision precision = Precision::float64;
    bool leave_one_out = false;  ///< direct in float64 only
    double tolerance = 1e-13;    ///< iterative: |y - (K + alpha) beta - b| relative to |y|
    index_t max_iterations = 0;  ///< 0: 10 n, or 100,000 for gradient descent
    bool trace = false;          ///< iterative, one target: certify every iteration
    WantedGap proof{};           ///< the gap to certify; with a trace the iterations stop there
};

/// One function per target; its certificate is that of the loss (f - y)^2 with C = w / (2 alpha).
struct RidgeSolution : Solution {
    std::vector<double> leave_one_out;  ///< n x t: y_i - f(x_i) with row i left out; empty if alpha
                                        ///< is 0 and K singular, if the rounding error of K exceeds
                                        ///< alpha, and after a stop
    index_t rank = 0;                   ///< of K if alpha is 0; n otherwise
    bool consistent = true;             ///< alpha = 0: the system has an exact solution
    double factor_seconds = 0.0;
    double iteration_bound = kNaN;  ///< conjugate gradients: the bound from theory per target
    double condition = kNaN;        ///< by products: upper bound for K + alpha W^-1
};

using RidgeSolver = SolverEntry<RidgeProblem, RidgeSolution, RidgeOptions>;

/// The solvers of the equations: direct ones, and those that need only products with K (memory O(n)).
[[nodiscard]] std::span<const RidgeSolver> ridge_table();

/// With the automatic choice: float64, blocked, in place. Memory: n^2 doubles, for a linear kernel
/// with few columns their square. If alpha is 0 and K singular, the pseudo-inverse gives the
/// solution of least norm, and the rank is reported. If the rounding error of K exceeds alpha, the
/// status is `reduced`: the best solution found with a larger alpha, certified for this one. After a
/// stop the status is `interrupted`: beta without leave-one-out errors, or f = 0 and the best
/// constants. Throws InvalidArgument naming the parameter, ResourceError if n^2 doubles do not fit
/// the budget, Interrupted if alpha is 0.
[[nodiscard]] RidgeSolution solve_ridge(const RidgeProblem& problem, bool leave_one_out,
                                        Context& context);

/// The same with a given solver. The iterative ones need alpha > 0 and weights > 0.
[[nodiscard]] RidgeSolution solve_ridge(const RidgeProblem& problem, const RidgeOptions& options,
                                        Context& context);

/// Predictive variance k(x,x) - k(x)'(K + alpha W^-1)^-1 k(x) of new rows, without a correction for
/// the intercept. One factorisation. Throws like solve_ridge, and if alpha is 0.
[[nodiscard]] std::vector<double> ridge_variance(const RidgeProblem& problem, const NewRows& rows,
                                                 Context& context);

}  // namespace mercer
