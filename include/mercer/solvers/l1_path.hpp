// SPDX-License-Identifier: Apache-2.0
//
// mercer/solvers/l1_path.hpp - few coefficients, for every weight of the penalty on them.
//
//     minimise over beta, b:   lambda sum_j |beta_j| + 1/2 beta'R beta + sum_i c_i loss(y_i, z_i)
//
// with z = Z beta + b. Where the loss is made of quadratic pieces, beta and b are linear in lambda
// between two events: a coefficient enters or leaves, or a row crosses from one piece of its loss
// into the next. With g the gradient of all but the first term, the optimum has
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

/// R: what is paid for beside the sizes of the coefficients.
enum class L1Ridge : std::uint8_t {
    none,
    identity,  ///< 1/2 sum beta_j^2
    gram,      ///< 1/2 beta'Z beta: Z is a kernel's matrix, symmetric and positive semidefinite
};

struct L1PathProblem {
    MatrixView<const double> columns;  ///< Z transposed: one row for each coefficient
    std::vector<double> targets;       ///< -1 or +1 where the loss wants it
    std::vector<double> costs;         ///< c_i > 0
    Loss loss = SquaredHingeLoss{};    ///< one of l1_path_losses()
    L1Ridge ridge = L1Ridge::none;
    bool intercept = true;  ///< b free and not penalised; false: b = 0
};

/// Names of the losses that have such a path: C^1, quadratic in pieces.
[[nodiscard]] std::vector<std::string_view> l1_path_losses();

enum class L1Event : std::uint8_t {
    enter,    ///< a coefficient gets a value
    leave,    ///< a coefficient becomes zero
    zone,     ///< a row crosses into the next piece of its loss
    restart,  ///< the optimum was found anew
    end,      ///< of the path
};

/// "enter", "leave", "zone", "restart", "end".
[[nodiscard]] std::string_view to_string(L1Event event) noexcept;

/// Where the solution bends. Events at the same lambda are a knot each.
struct L1Knot {
    double lambda = 0.0;
    L1Event event = L1Event::end;
    index_t index = -1;      ///< of the coefficient or the row; -1: of neither
    index_t active = 0;      ///< coefficients from here on
    double intercept = 0.0;  ///< b
    double objective = 0.0;  ///< the minimum
    double violation = 0.0;  ///< of the conditions above, here and in the middle of the stretch
                             ///< before
    index_t begin = 0;       ///< of its coefficients in L1Path
};

/// One point of a path.
struct L1Point {
    double lambda = 0.0;
    std::vector<double> beta;
    double intercept = 0.0;
};

struct L1Path {
    double lambda_max = 0.0;     ///< from here on upwards all coefficients are zero
    index_t columns = 0;         ///< number of coefficients
    std::vector<L1Knot> knots;   ///< lambda descending
    std::vector<index_t> index;  ///< knot by knot the coefficients that are not zero
    std::vector<double> value;
    index_t restarts = 0;        ///< where the optimum had to be found anew
    index_t flat_moves = 0;      ///< of coefficients at a fixed lambda: where they are not unique
    double max_violation = 0.0;  ///< over all knots
    SolveStatus status = SolveStatus::converged;

    /// The optimum at lambda, by interpolation between two knots; above lambda_max it is zero.
    /// Throws InvalidArgument below the last knot.
    [[nodiscard]] L1Point at(double lambda) const;
};

/// Follows the optimum from lambda_max down to `to`; at 0 it ends in a minimiser without penalty.
/// Stops when the context asks to; the path until there is good.
///
/// Cost for each event: two products with Z, and the square of the number of coefficients; a
/// squared loss takes Z'Z once instead and no product with Z any more, where that is cheaper.
/// Throws InvalidArgument for a malformed problem, ResourceError for memory.
[[nodiscard]] L1Path trace_l1_path(const L1PathProblem& problem, double to, Context& context);

}  // namespace mercer
