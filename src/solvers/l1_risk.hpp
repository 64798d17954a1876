// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/l1_risk.hpp - what a path of few coefficients needs of ridge and losses.
//
//     L(beta, b) = 1/2 beta'R beta + sum_i c_i loss(y_i, (Z beta)_i + b)
//
// Each row is on one quadratic piece of its loss, its zone; H is the Hessian of those pieces. The
// intercept is the column after the last, where it is a column at all.
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
    double length = kInfinity;  ///< of the step until there
    double rate = 0.0;          ///< how fast it is approached
    index_t row = -1;
    bool up = false;  ///< into the next zone, else into the one before
};

class L1Risk {
public:
    virtual ~L1Risk() = default;

    /// Columns, with the intercept's where it is one.
    [[nodiscard]] virtual index_t variables() const = 0;
    /// Number of the intercept's column; -1: there is none, or it follows from the others.
    [[nodiscard]] virtual index_t free_column() const = 0;

    /// Back to no coefficient, the best intercept, and the zones of the rows there. A new risk is
    /// there already, but for move().
    virtual void reset() = 0;
    /// The zones of the rows at the point of the last move().
    virtual void settle() = 0;

    /// H_jj of every column.
    [[nodiscard]] virtual std::span<const double> diagonal() const = 0;
    /// H_jk of the given columns k.
    virtual void hessian(index_t j, std::span<const index_t> columns,
                         std::span<double> out) const = 0;

    /// Moves to the point with these values of these columns, and zero of all others.
    virtual void move(std::span<const index_t> columns, std::span<const double> values) = 0;
    /// Gradient of L there.
    [[nodiscard]] virtual std::span<const double> gradient() const = 0;
    [[nodiscard]] virtual double value() const = 0;
    /// b.
    [[nodiscard]] virtual double intercept() const = 0;

    /// Takes a direction.
    virtual void direct(std::span<const index_t> columns, std::span<const double> rates) = 0;
    /// H times the direction.
    [[nodiscard]] virtual std::span<const double> gradient_rates() const = 0;
    /// The direction times H times the direction; 0 where that is rounding.
    [[nodiscard]] virtual double curvature() const = 0;

    /// The row that reaches the end of its zone first along the direction; of those within `tie` of
    /// it the one with the greatest rate, or, when `least` is true, with the least number. `flat`:
    /// among rows without curvature only.
    [[nodiscard]] virtual ZoneChange next_change(double tie, bool least, bool flat) const = 0;
    /// What a change of zone adds to H: `weight` times the outer product of the row's values.
    [[nodiscard]] virtual double weight_change(const ZoneChange& change) const = 0;
    virtual void change(const ZoneChange& change) = 0;
    /// Z_ij of a row in the given columns.
    virtual void row_values(index_t row, std::span<const index_t> columns,
                            std::span<double> out) const = 0;
};

/// Z'Z once for a squared loss where that pays, else products with Z.
[[nodiscard]] std::unique_ptr<L1Risk> make_l1_risk(const L1PathProblem& problem, Context& context);

}  // namespace mercer
