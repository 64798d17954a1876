// SPDX-License-Identifier: Apache-2.0
//
// mercer/solvers/optimise.hpp - unconstrained minimisation: the classical methods, with counters.
//
//     OptimiserResult best = lbfgs(objective, start, {}, context);
//
// Every method takes an Objective and a start and returns a point, a status, counters and a trace.
// A method that diverges reports it with a remedy: not converged is never an error.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/solvers/status.hpp"

namespace mercer {

class Context;

/// A differentiable function.
class Objective {
public:
    virtual ~Objective() = default;
    [[nodiscard]] virtual index_t size() const = 0;

    /// Returns the value at x and writes the gradient with respect to inner() to `gradient`.
    virtual double evaluate(std::span<const double> x, std::span<double> gradient) = 0;

    /// The inner product the gradient belongs to: the derivative along d is inner(gradient, d).
    [[nodiscard]] virtual double inner(std::span<const double> a, std::span<const double> b) const;

    /// The second derivatives at x, for Newton's method; false when there are none.
    virtual bool hessian(std::span<const double> x, MatrixView<double> out);
};

/// The quadratic 1/2 x'Px - q'x; P and q are not owned.
class QuadraticObjective final : public Objective {
public:
    QuadraticObjective(MatrixView<const double> p, std::span<const double> q) : p_(p), q_(q) {}
    [[nodiscard]] index_t size() const override { return p_.rows; }
    double evaluate(std::span<const double> x, std::span<double> gradient) override;
    bool hessian(std::span<const double> x, MatrixView<double> out) override;

private:
    MatrixView<const double> p_;
    std::span<const double> q_;
};

struct OptimiserPoint {
    index_t iteration = 0;
    double value = kNaN;
    double gradient_norm = kNaN;
    double step = kNaN;  ///< length of the last step, in units of the direction
};

/// Called at every iterate; false ends the method.
using OptimiserWatch = std::function<bool(std::span<const double> x, const OptimiserPoint& point)>;

struct OptimiserOptions {
    double gradient_tolerance = 1e-8;  ///< times max(1, norm of the first gradient)
    index_t max_iterations = 1000;
    index_t memory = 10;                 ///< pairs retained by L-BFGS
    double step = kNaN;                  ///< fixed step of gradient descent; NaN: line search
    bool exact = false;                  ///< exact line search instead of Wolfe's conditions
    bool damped = true;                  ///< Newton: line search; false: always the full step
    std::string rule = "polak-ribiere";  ///< or "hestenes-stiefel", "fletcher-reeves"
    OptimiserWatch watch;
};

struct OptimiserResult {
    std::vector<double> x;
    double value = kNaN;
    double gradient_norm = kNaN;
    SolveStatus status = SolveStatus::reduced;
    bool diverged = false;  ///< the iterates left every neighbourhood of a minimum
    std::string remedy;     ///< what to do if it diverged or stalled
    index_t iterations = 0;
    index_t evaluations = 0;     ///< of value and gradient
    index_t factorisations = 0;  ///< of second derivatives
    index_t restarts = 0;        ///< conjugate gradients: returns to steepest descent
    index_t memory_bytes = 0;    ///< retained between iterations, without x and its gradient
    std::vector<OptimiserPoint> trace;
};

/// Steepest descent, with a fixed step or a line search. Linear rate: with exact searches on a
/// quadratic of condition number k each step reduces the error by ((k - 1) / (k + 1))^2 or better.
[[nodiscard]] OptimiserResult gradient_descent(Objective& objective, std::span<const double> start,
                                               const OptimiserOptions& options, Context& context);

/// Newton's method, one Cholesky factorisation per step; damped by default. If the second
/// derivatives are not positive definite, the least sufficient multiple of the identity is added.
[[nodiscard]] OptimiserResult newton(Objective& objective, std::span<const double> start,
                                     const OptimiserOptions& options, Context& context);

/// BFGS with the full quasi-Newton matrix: n^2 numbers.
[[nodiscard]] OptimiserResult bfgs(Objective& objective, std::span<const double> start,
                                   const OptimiserOptions& options, Context& context);

/// BFGS from the last `memory` pairs only: 2 n memory numbers.
[[nodiscard]] OptimiserResult lbfgs(Objective& objective, std::span<const double> start,
                                    const OptimiserOptions& options, Context& context);

/// Nonlinear conjugate gradients by options.rule, restarted every n steps and when the direction is
/// not a descent direction.
[[nodiscard]] OptimiserResult nonlinear_conjugate_gradient(Objective& objective,
                                                           std::span<const double> start,
                                                           const OptimiserOptions& options,
                                                           Context& context);

/// out = A v for a symmetric positive definite A.
using LinearOperator = std::function<void(std::span<const double> v, std::span<double> out)>;

struct LinearSystemOptions {
    double tolerance = 1e-10;     ///< |b - A x| <= tolerance |b|
    index_t max_iterations = 0;   ///< 0: 10 n
    LinearOperator precondition;  ///< out = M^-1 v; empty: none
    bool recompute = true;        ///< recompute the residual at the end: one more product
    /// For a preconditioner close to the inverse: if the rate so far predicts that the next step is
    /// the last, it is taken without a product. The last of `residuals` is then a prediction, which
    /// the caller has to check.
    bool foresee = false;
    std::function<bool(std::span<const double> x, index_t iteration, double residual)> watch;
};

struct LinearSystemResult {
    std::vector<double> x;
    SolveStatus status = SolveStatus::reduced;
    index_t iterations = 0;
    index_t products = 0;
    double residual = kNaN;         ///< |b - A x| / |b|, recomputed at the end
    std::vector<double> residuals;  ///< per iteration, by the recurrence
};

/// Solves A x = b by conjugate gradients, starting from `x`: at most n steps in exact arithmetic,
/// and the error in the A-norm falls by 2 ((sqrt(k) - 1) / (sqrt(k) + 1))^steps for condition
/// number k.
[[nodiscard]] LinearSystemResult conjugate_gradient(const LinearOperator& a,
                                                    std::span<const double> b,
                                                    std::span<const double> x,
                                                    const LinearSystemOptions& options,
                                                    Context& context);

/// Steps after which the error is below `tolerance` times the first, by the bound above.
[[nodiscard]] double conjugate_gradient_bound(double condition, double tolerance);

/// Minimises 1/2 x'Px - q'x along P-conjugate directions made from the columns of the identity by
/// Gram-Schmidt in the P inner product: n one-dimensional problems. Row k of `directions` (n x n)
/// receives direction k. Throws InvalidArgument when P is not positive definite.
[[nodiscard]] std::vector<double> conjugate_directions(MatrixView<const double> p,
                                                       std::span<const double> q,
                                                       MatrixView<double> directions);

/// Minimises 1/2 x'Px - q'x block by block, `block` variables at a time in order, each block
/// exactly (Cholesky); the value never increases. Throws InvalidArgument when P is not positive
/// definite.
[[nodiscard]] OptimiserResult block_coordinate_descent(MatrixView<const double> p,
                                                       std::span<const double> q, index_t block,
                                                       const OptimiserOptions& options,
                                                       Context& context);

}  // namespace mercer
