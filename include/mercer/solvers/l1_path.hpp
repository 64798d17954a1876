// SPDX-License-Identifier: Apache-2.0
//
// mercer/solvers/l1_path.hpp - the regularisation path of an l1 penalty.
//
//     minimise over beta, b:   lambda sum_j |beta_j| + 1/2 beta'R beta + sum_i c_i loss(y_i, z_i)
//
// with z = Z beta + b. If the loss is piecewise quadratic, beta and b are linear in lambda between
// two events: a coefficient enters or leaves, or a row crosses from one piece of its loss into the
// next. With g the gradient of all terms but the first, the optimum satisfies
//
//     g_j = -lambda sgn(beta_j) where beta_j is not 0,   |g_j| <= lambda elsewhere.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/losses/loss.hpp"
#include "mercer/solvers/status.hpp"

namespace mercer {

class Context;

/// R: the quadratic penalty in addition to the l1 penalty.
enum class L1Ridge : std::uint8_t {
    none,
    identity,  ///< 1/2 sum beta_j^2
    gram,      ///< 1/2 beta'Z beta: Z is a kernel's matrix, symmetric and positive semidefinite
};

struct L1PathProblem {
    MatrixView<const double> columns;  ///< Z transposed: one row for each coefficient
    std::vector<double> targets;       ///< -1 or +1 where the loss requires it
    std::vector<double> costs;         ///< c_i > 0
    Loss loss = SquaredHingeLoss{};    ///< one of l1_path_losses()
    L1Ridge ridge = L1Ridge::none;
    bool intercept = true;  ///< b free and not penalised; false: b = 0
};

/// Names of the losses that have such a path: C^1 and piecewise quadratic.
[[nodiscard]] std::vector<std::string_view> l1_path_losses();

enum class L1Event : std::uint8_t {
    enter,    ///< a coefficient becomes nonzero
    leave,    ///< a coefficient becomes zero
    zone,     ///< a row crosses into the next piece of its loss
    restart,  ///< the optimum was solved for again
    end,      ///< end of the path
};

/// "enter", "leave", "zone", "restart", "end".
[[nodiscard]] std::string_view to_string(L1Event event) noexcept;

/// A breakpoint of the path. Each event is a knot, also several at the same lambda.
struct L1Knot {
    double lambda = 0.0;
    L1Event event = L1Event::end;
    index_t index = -1;      ///< of the coefficient or the row; -1: none
    index_t active = 0;      ///< nonzero coefficients after this knot
    double intercept = 0.0;  ///< b
    double objective = 0.0;  ///< the minimum
    double violation = 0.0;  ///< of the conditions above, here and in the middle of the segment
                             ///< before
    index_t begin = 0;       ///< index of its first coefficient in L1Path
};

/// One point of a path.
struct L1Point {
    double lambda = 0.0;
    std::vector<double> beta;
    double intercept = 0.0;
};

struct L1Path {
    double lambda_max = 0.0;     ///< all coefficients are zero at and above this lambda
    index_t columns = 0;         ///< number of coefficients
    std::vector<L1Knot> knots;   ///< lambda descending
    std::vector<index_t> index;  ///< the nonzero coefficients, knot by knot
    std::vector<double> value;
    index_t restarts = 0;        ///< times that the optimum was solved for again
    index_t flat_moves = 0;      ///< moves of coefficients at fixed lambda, where not unique
    double max_violation = 0.0;  ///< over all knots
    SolveStatus status = SolveStatus::converged;

    /// The optimum at lambda, by interpolation between two knots; above lambda_max it is zero.
    /// Throws InvalidArgument below the last knot.
    [[nodiscard]] L1Point at(double lambda) const;
};

/// Follows the optimum from lambda_max down to `to`; at 0 it ends at a minimiser without penalty.
/// Stops when the context requests it; the path up to that point is valid.
///
/// Cost per event: two products with Z, and the square of the number of nonzero coefficients. With
/// the squared loss Z'Z is computed once instead where that is cheaper.
/// Throws InvalidArgument for a malformed problem, ResourceError for memory.
[[nodiscard]] L1Path trace_l1_path(const L1PathProblem& problem, double to, Context& context);

}  // namespace mercer
