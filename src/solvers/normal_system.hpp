// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/normal_system.hpp - the linear equations of an interior-point step, in the rows.
//
//     d = N (rho - K d - E y),     E'd - M y = r           N = diag(weights) >= 0
//
// Two forms: K = c XX' with few columns by a matrix of the columns, and any K by one of the rows.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/operators/gram_operator.hpp"
#include "mercer/solvers/registry.hpp"

namespace mercer {

class Context;

/// The matrix of a step. E is n x q and M q x q, q = equations: at most two.
struct RowSystem {
    index_t equations = 0;
    std::vector<double> weights;  ///< N; 0 for rows that do not move
    std::vector<double> border;   ///< E, row by row
    std::vector<double> corner;   ///< M, positive semi-definite

    [[nodiscard]] std::span<const double> border_row(std::size_t i) const {
        const auto q = static_cast<std::size_t>(equations);
        return {border.data() + i * q, q};
    }
};

/// A step: d in the rows, y in the equations.
struct RowStep {
    std::vector<double> rows;
    std::vector<double> equations;
};

/// Follows beta, too: what it says of K beta may be a variable of its own that only meets K beta as
/// the steps get longer.
class NormalSystem {
public:
    virtual ~NormalSystem() = default;

    /// A word for notes: what the matrix is of.
    [[nodiscard]] virtual std::string form() const = 0;

    /// True when what it says of K beta is a variable of its own, which may begin anywhere.
    [[nodiscard]] virtual bool has_own_values() const = 0;
    /// Begins with K beta; advance() by a length of 0 tells of a beta elsewhere.
    virtual void start(std::span<const double> beta, Context& context) = 0;
    /// K beta as the system has it.
    [[nodiscard]] virtual std::vector<double> values(Context& context) = 0;

    /// Brings the largest weights down where double precision asks for it. False when that does not
    /// help: K is not positive semi-definite. Throws Interrupted.
    [[nodiscard]] virtual bool factor(RowSystem& system, Context& context) = 0;
    /// By the last factor, of that system; a `rough` step may lack digits that a second look at the
    /// residuals would give.
    [[nodiscard]] virtual RowStep solve(const RowSystem& system, std::span<const double> rho,
                                        std::span<const double> right, bool rough,
                                        Context& context) = 0;
    /// By the last factor: the step from `beta` that leads K beta to values(), with these right
    /// sides of the equations.
    [[nodiscard]] virtual RowStep restoring_step(const RowSystem& system,
                                                 std::span<const double> beta,
                                                 std::span<const double> right,
                                                 Context& context) = 0;
    /// Goes `length` along the last step; `beta` is what it has led to.
    virtual void advance(double length, std::span<const double> beta, Context& context) = 0;
};

/// True when a matrix of the columns takes fewer multiplications than one of the rows.
[[nodiscard]] bool works_in_columns(const ProblemSize& size);
/// Multiplications of a step in the cheaper form, counted at the pace of a dense product.
[[nodiscard]] double step_cost(const ProblemSize& size);

/// The cheaper form. Throws ResourceError when its matrix does not fit.
[[nodiscard]] std::unique_ptr<NormalSystem> make_normal_system(const Problem& problem,
                                                               index_t equations, Context& context);

}  // namespace mercer
