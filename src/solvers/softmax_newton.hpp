// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/softmax_newton.hpp - Newton's method for the joint logistic problem of many classes.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/problems/softmax.hpp"
#include "mercer/solvers/status.hpp"

namespace mercer {

class Context;

/// The current point; matrices are n x classes.
struct SoftmaxState {
    std::vector<double> beta;
    std::vector<double> f;  ///< K beta
    std::vector<double> intercepts;
    std::vector<double> dual;  ///< c (e_y - p): the dual point of this primal point
    double value = kNaN;
};

struct SoftmaxStep {
    index_t iteration = 0;
    double decrement = kNaN;  ///< minus the slope along the full step: about 2 (value - optimum)
    double length = kNaN;
};

/// Called before every step; false ends the method.
using SoftmaxWatch = std::function<bool(const SoftmaxState& state, const SoftmaxStep& step)>;

/// Value and dual point of a state whose beta, f and intercepts are set.
void refresh(const SoftmaxProblem& problem, SoftmaxState& state);

/// Ends converged when no step lowers the value in double precision or `watch` says so, or at the
/// limit.
/// Throws InvalidArgument when K is not positive definite, ResourceError when four n x n matrices
/// do not fit the budget.
[[nodiscard]] SolveStatus softmax_newton(const SoftmaxProblem& problem, SoftmaxState& state,
                                         index_t max_iterations, const SoftmaxWatch& watch,
                                         Context& context);

}  // namespace mercer
