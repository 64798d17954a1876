// SPDX-License-Identifier: Apache-2.0
//
// mercer/solvers/linear.hpp - linear least squares, ridge and logistic regression in the columns.
//
//     minimise   sum_i w_i (<x_i, w> + b - y_i)^2 + alpha |w|^2
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/problems/certificate.hpp"
#include "mercer/solvers/optimise.hpp"
#include "mercer/solvers/registry.hpp"
#include "mercer/solvers/solve.hpp"

namespace mercer {

class Context;

struct LinearProblem {
    MatrixView<const double> rows;  ///< n x d
    std::span<const double> targets;
    std::span<const double> weights;  ///< empty: all 1; else > 0
    double alpha = 0.0;               ///< >= 0
    bool intercept = true;
};

/// One function, f = <w, x> + b with w = sum_i beta_i x_i; sum(beta) = 0 with an intercept. It has no
/// certificate: certify() or certify_least_norm() computes it from beta.
struct LinearSolution : Solution {
    std::vector<double> w;     ///< d; with alpha = 0 the solution of least norm
    index_t rank = 0;          ///< of the rows, centred if there is an intercept
    double condition = kNaN;   ///< ratio of the extreme nonzero singular values, if known
    double residual = kNaN;    ///< sum_i w_i (f_i - y_i)^2
    double optimality = kNaN;  ///< max_j |sum_i w_i x_ij (y_i - f_i) - alpha w_j|, columns centred
    double scale = kNaN;       ///< size of its terms, to which rounding is relative
    std::string remedy;
};

using LinearSolver = SolverEntry<LinearProblem, LinearSolution>;

/// The solvers: three of least norm for alpha = 0; for alpha > 0 a system of the columns or of the
/// rows, of which `auto` takes the cheaper, or the singular values, which it takes for an alpha that
/// is small beside the rounding of the columns.
[[nodiscard]] std::span<const LinearSolver> linear_table();

/// Names of the solvers for this alpha, the default first.
[[nodiscard]] std::vector<std::string> linear_solvers(double alpha);

/// Throws InvalidArgument naming the parameter or row, ResourceError when a copy of the rows does
/// not fit the budget.
[[nodiscard]] LinearSolution solve_linear(const LinearProblem& problem, const SolverChoice& solver,
                                          index_t max_iterations, Context& context);

/// f_i = <x_i, sum_j beta_j x_j>, recomputed.
[[nodiscard]] std::vector<double> linear_values(MatrixView<const double> rows,
                                                std::span<const double> beta);

/// The certificate of a fit without a penalty: beta is of least norm among those with its values f
/// where the equations have a solution (`consistent`); primal 1/2 |f|^2, dual y'beta - 1/2 |f|^2.
/// Rows of cost 0 are ignored. kkt_violation: the largest |f_i + b - y_i|.
[[nodiscard]] Certificate certify_least_norm(std::span<const double> targets,
                                             std::span<const double> costs,
                                             std::span<const double> beta,
                                             std::span<const double> f, double intercept);

/// Logistic regression in w and b: 1/2 penalty |w|^2 + sum_i c_i log(1 + exp(-y_i z_i)). The last
/// variable is b when there is an intercept. penalty = 0 is maximum likelihood.
class LogisticObjective final : public Objective {
public:
    LogisticObjective(MatrixView<const double> rows, std::span<const double> targets,
                      std::span<const double> costs, double penalty, bool intercept)
        : rows_(rows), targets_(targets), costs_(costs), penalty_(penalty), intercept_(intercept) {}

    [[nodiscard]] index_t size() const override { return rows_.columns + (intercept_ ? 1 : 0); }
    double evaluate(std::span<const double> x, std::span<double> gradient) override;
    bool hessian(std::span<const double> x, MatrixView<double> out) override;

    /// z_i = <x_i, w> + b.
    [[nodiscard]] std::vector<double> values(std::span<const double> x) const;

private:
    MatrixView<const double> rows_;
    std::span<const double> targets_;
    std::span<const double> costs_;
    double penalty_;
    bool intercept_;
};

/// How a maximum likelihood fit ended.
struct LikelihoodFit {
    std::vector<double> x;    ///< w, then b
    double mean_loss = kNaN;  ///< over the costs
    double gradient_norm = kNaN;
    bool separable = false;  ///< x separates the classes: the likelihood has no maximum, |w| is
                             ///< unbounded; a penalty is needed
    index_t iterations = 0;
    SolveStatus status = SolveStatus::reduced;
};

/// Maximum likelihood by Newton's method; `costs` says how often each row counts (empty: once).
/// Separable classes are detected and reported. max_iterations 0: 200.
[[nodiscard]] LikelihoodFit maximum_likelihood(MatrixView<const double> rows,
                                               std::span<const double> targets,
                                               std::span<const double> costs, bool intercept,
                                               index_t max_iterations, Context& context);

}  // namespace mercer
