// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/normal_system.hpp - the linear equations of an interior-point step, in the rows.
//
//     d = N (rho - K d - E y),     E'd - M y = r           N = diag(weights) >= 0
//
// Two forms: for K = c XX' with few columns a matrix of the columns, for any K a matrix of the
// rows.
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

/// Also tracks K beta: its values may be a separate variable that equals K beta only after full
/// steps.
class NormalSystem {
public:
    virtual ~NormalSystem() = default;

    /// For notes: "columns" or "rows".
    [[nodiscard]] virtual std::string form() const = 0;

    /// True when values() is a separate variable, which may start anywhere.
    [[nodiscard]] virtual bool has_own_values() const = 0;
    /// Starts with values K beta; advance() with length 0 sets another beta.
    virtual void start(std::span<const double> beta, Context& context) = 0;
    /// The system's values for K beta.
    [[nodiscard]] virtual std::vector<double> values(Context& context) = 0;

    /// Factors the matrix, reducing the largest weights if double precision requires it. False when
    /// that does not help: K is not positive semidefinite. Throws Interrupted.
    [[nodiscard]] virtual bool factor(RowSystem& system, Context& context) = 0;
    /// Solves with the last factor of that system; a `rough` step is not refined.
    [[nodiscard]] virtual RowStep solve(const RowSystem& system, std::span<const double> rho,
                                        std::span<const double> right, bool rough,
                                        Context& context) = 0;
    /// The step from `beta`, by the last factor, after which K beta equals values(), with these
    /// right-hand sides of the equations.
    [[nodiscard]] virtual RowStep restoring_step(const RowSystem& system,
                                                 std::span<const double> beta,
                                                 std::span<const double> right,
                                                 Context& context) = 0;
    /// Moves by `length` along the last step; `beta` are the coefficients after it.
    virtual void advance(double length, std::span<const double> beta, Context& context) = 0;
};

/// True when a matrix of the columns takes fewer multiplications than one of the rows.
[[nodiscard]] bool works_in_columns(const ProblemSize& size);
/// Multiplications of a step in the cheaper form, in units of a dense product's.
[[nodiscard]] double step_cost(const ProblemSize& size);

/// The cheaper form. Throws ResourceError when its matrix does not fit.
[[nodiscard]] std::unique_ptr<NormalSystem> make_normal_system(const Problem& problem,
                                                               index_t equations, Context& context);

}  // namespace mercer
