// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/l1_risk.hpp - the smooth part of an l1 path problem: ridge and losses.
//
//     L(beta, b) = 1/2 beta'R beta + sum_i c_i loss(y_i, (Z beta)_i + b)
//
// Each row is on one quadratic piece of its loss, its zone; H is the Hessian of those pieces. The
// intercept, if it is a column, is the one after the last.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/solvers/l1_path.hpp"

namespace mercer {

class Context;

/// A row that reaches the end of its zone.
struct ZoneChange {
    double length = kInfinity;  ///< of the step to that end
    double rate = 0.0;          ///< how fast the end is approached
    index_t row = -1;
    bool up = false;  ///< into the next zone; false: into the previous one
};

class L1Risk {
public:
    virtual ~L1Risk() = default;

    /// Number of columns, including the intercept's if it is one.
    [[nodiscard]] virtual index_t variables() const = 0;
    /// Number of the intercept's column; -1: there is none, or it follows from the others.
    [[nodiscard]] virtual index_t free_column() const = 0;

    /// Returns to zero coefficients, the best intercept and the zones of the rows there. A new risk
    /// is in this state, except that move() has not been called.
    virtual void reset() = 0;
    /// Sets the zones of the rows to those at the point of the last move().
    virtual void settle() = 0;

    /// H_jj of every column.
    [[nodiscard]] virtual std::span<const double> diagonal() const = 0;
    /// H_jk of the given columns k.
    virtual void hessian(index_t j, std::span<const index_t> columns,
                         std::span<double> out) const = 0;

    /// Moves to the point with these coefficients in these columns and zero in all others.
    virtual void move(std::span<const index_t> columns, std::span<const double> values) = 0;
    /// Gradient of L there.
    [[nodiscard]] virtual std::span<const double> gradient() const = 0;
    [[nodiscard]] virtual double value() const = 0;
    /// b.
    [[nodiscard]] virtual double intercept() const = 0;

    /// Sets the direction.
    virtual void direct(std::span<const index_t> columns, std::span<const double> rates) = 0;
    /// H times the direction.
    [[nodiscard]] virtual std::span<const double> gradient_rates() const = 0;
    /// The quadratic form of H at the direction; 0 if it is only rounding.
    [[nodiscard]] virtual double curvature() const = 0;

    /// The row that reaches the end of its zone first along the direction; of those within `tie` of
    /// it the one with the greatest rate or, if `least`, with the least number. `flat`: only rows
    /// without curvature.
    [[nodiscard]] virtual ZoneChange next_change(double tie, bool least, bool flat) const = 0;
    /// What a change of zone adds to H: `weight` times the outer product of the row's values.
    [[nodiscard]] virtual double weight_change(const ZoneChange& change) const = 0;
    virtual void change(const ZoneChange& change) = 0;
    /// Z_ij of a row in the given columns.
    virtual void row_values(index_t row, std::span<const index_t> columns,
                            std::span<double> out) const = 0;
};

/// Uses Z'Z, computed once, for a squared loss where that is faster; otherwise products with Z.
[[nodiscard]] std::unique_ptr<L1Risk> make_l1_risk(const L1PathProblem& problem, Context& context);

}  // namespace mercer
