// SPDX-License-Identifier: Apache-2.0
//
// mercer/solvers/kernel_descent.hpp - kernel gradient descent with early stopping.
//
//     beta <- (1 - step * decay) beta + step * (y - K beta),   from beta = 0
//
// In the eigenvectors of K the fitted values after t steps are y times descent_filter(), those of
// ridge regression y times ridge_filter(). Stopping after t steps acts like a ridge of 1 / (step
// t).
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/solvers/optimise.hpp"
#include "mercer/solvers/status.hpp"

namespace mercer {

class Context;

/// 1 - (1 - step * eigenvalue)^iterations.
[[nodiscard]] double descent_filter(double eigenvalue, double step, double iterations);

/// eigenvalue / (eigenvalue + alpha).
[[nodiscard]] double ridge_filter(double eigenvalue, double alpha);

/// Sum of the filter over all eigenvalues: the degrees of freedom of early stopping.
[[nodiscard]] double descent_degrees(std::span<const double> eigenvalues, double step,
                                     double iterations);

/// The greatest eigenvalue of a positive semidefinite operator by the power method, plus 5 %.
[[nodiscard]] double greatest_eigenvalue(const LinearOperator& k, index_t size, Context& context);

struct KernelDescentOptions {
    double step = kNaN;  ///< NaN: 1 / (greatest eigenvalue + decay)
    double decay = 0.0;  ///< ridge added to the diagonal of K
    index_t max_iterations = 10'000;
    double tolerance = 1e-10;  ///< |y - K beta - decay beta| <= tolerance |y|
    double noise = 0.0;    ///< standard deviation of the targets' noise: stop by the discrepancy
                           ///< |y - K beta| <= 1.02 noise sqrt(n); 0: off
    double degrees = 0.0;  ///< stop when the degrees of freedom reach this; 0: off. Needs
    std::span<const double> eigenvalues;                                         ///< all of K's
    std::function<bool(std::span<const double> beta, index_t iteration)> watch;  ///< false: stop
};

struct KernelDescentResult {
    std::vector<double> beta;
    std::vector<double> residuals;  ///< |y - K beta - decay beta| / |y| by iteration
    index_t iterations = 0;
    double step = kNaN;
    double longest_step = kNaN;  ///< 2 / (greatest eigenvalue + decay): beyond it descent diverges
    SolveStatus status = SolveStatus::reduced;
    std::string stopped_by;  ///< "tolerance", "discrepancy", "degrees", "watch", "limit", ...
    bool diverged = false;
    std::string remedy;
};

/// Throws InvalidArgument naming the parameter.
[[nodiscard]] KernelDescentResult kernel_gradient_descent(const LinearOperator& k,
                                                          std::span<const double> targets,
                                                          const KernelDescentOptions& options,
                                                          Context& context);

}  // namespace mercer
