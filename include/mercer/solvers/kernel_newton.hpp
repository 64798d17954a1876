// SPDX-License-Identifier: Apache-2.0
//
// mercer/solvers/kernel_newton.hpp - Newton's method for smooth losses in the RKHS.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/problems/problem.hpp"
#include "mercer/solvers/status.hpp"

namespace mercer {

class Context;

/// One iteration, for traces and for stopping.
struct NewtonStep {
    index_t iteration = 0;
    double value = kNaN;      ///< primal objective before the step
    double decrement = kNaN;  ///< minus the slope along the full step: about 2 (value - optimum)
    double length = kNaN;     ///< of the step taken; 1: full step
    index_t curved = 0;       ///< rows with curvature > 0: the size of the factored matrix
    bool settled = false;     ///< full step, and no row changed its piece of the quadratic loss
};

/// The current point of Newton's method.
struct NewtonState {
    std::vector<double> beta;  ///< f = sum_j beta_j k(x_j, .)
    std::vector<double> f;     ///< K beta
    double intercept = 0.0;
    double value = kNaN;

    /// The dual point of this primal point: beta_i = -c_i loss'(y_i, f_i + b). It is in the box,
    /// and in the dual set if the intercept is optimal.
    std::vector<double> dual;
};

/// Called before every step; false ends the iteration.
using NewtonWatch = std::function<bool(const NewtonState& state, const NewtonStep& step)>;

/// True when the loss has the curvature Newton's method needs: squared, half-squared, logistic,
/// squared hinge, squared epsilon, modified Huber. False: hinge, absolute, epsilon-insensitive.
[[nodiscard]] bool newton_fits(const Loss& loss);

/// Minimises the primal over f and b by Newton steps in the metric of the kernel, each with an
/// exact line search. Ends converged when no step lowers the value in double precision, or when
/// `watch` says so, or at the limits. With a piecewise quadratic loss it takes finitely many steps.
/// Throws InvalidArgument when the loss does not fit or K is not positive definite, ResourceError
/// when the matrix of the curved rows does not fit the budget.
[[nodiscard]] SolveStatus kernel_newton(const Problem& problem, NewtonState& state,
                                        index_t max_iterations, const NewtonWatch& watch,
                                        Context& context);

/// Values f(x_i) + b of the fit without row i, each by one Newton step from the solution: exact for
/// the squared loss, an approximation of high order for others. Takes one factorisation; empty if
/// that fails in double precision.
[[nodiscard]] std::vector<double> approximate_leave_one_out(const Problem& problem,
                                                            std::span<const double> beta,
                                                            double intercept, Context& context);

}  // namespace mercer
