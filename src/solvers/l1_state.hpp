// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/l1_state.hpp - a point of an l1 problem, and steps along columns.
//
// r = Z'a - rho G beta (l1_basis.hpp) is computed exactly at the base point of the last refresh().
// After that only the change since then is multiplied by a column, so the rounding error decreases
// with the steps.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/index.hpp"
#include "mercer/base/types.hpp"
#include "solvers/l1_basis.hpp"

namespace mercer {

class Context;

class L1State {
public:
    L1State(const L1Basis& basis, std::span<const double> beta);

    /// Recomputes values, best intercept and r of the coefficients in float64: a new base point.
    void refresh(Context& context);

    [[nodiscard]] const L1Basis& basis() const noexcept { return basis_; }
    [[nodiscard]] index_t size() const noexcept { return basis_.size(); }
    [[nodiscard]] index_t rows() const noexcept { return basis_.risk().size(); }
    [[nodiscard]] std::span<const double> beta() const noexcept { return beta_; }
    [[nodiscard]] std::span<const double> multipliers() const noexcept { return a_; }
    /// c loss''(z) of every row.
    [[nodiscard]] std::span<const double> curvatures() const noexcept { return d_; }
    [[nodiscard]] bool is_finite() const noexcept;

    // At the base point:
    [[nodiscard]] double value() const noexcept { return value_; }
    [[nodiscard]] double estimated_gap() const { return basis_.estimated_gap(beta_, a_, exact_); }
    [[nodiscard]] double violation(index_t j) const { return violation(j, exact_[at(j)]); }

    // Anywhere:
    /// r_j by the column of Z.
    [[nodiscard]] double product(index_t j, const double* column) const;
    /// How far coefficient j is from its condition, given r_j.
    [[nodiscard]] double violation(index_t j, double r) const;
    /// sum of the multipliers: 0 at the best intercept.
    [[nodiscard]] double imbalance() const;

    /// Moves coefficient j to its optimum, or closer to it. Returns the violation before the step.
    double step(index_t j, const double* column);
    /// The same for the intercept.
    double step_intercept();

    /// A move of several coefficients and the intercept; `values` is the change of z.
    struct Move {
        std::span<const index_t> members;
        std::span<const double> beta;  ///< change of each member
        double intercept = 0.0;
        std::span<const double> values;
    };
    /// Slope of the objective's smooth part along a move at the share t of it, minus that at 0.
    [[nodiscard]] double slope_change(const Move& move, double t) const;
    /// Takes the share t of the move. Coefficients that are 0 except for rounding become 0.
    void apply(const Move& move, double t);

private:
    [[nodiscard]] double best_step(const double* column, double r, double diagonal, double l1,
                                   double beta) const;
    [[nodiscard]] double multiplier_change(const double* column, double t) const;
    void move_values(const double* column, double t);
    void set_slopes();

    const L1Basis& basis_;
    double steepest_;  ///< greatest second derivative of the loss
    double intercept_ = 0.0;
    double value_ = kNaN;
    std::vector<double> beta_;
    std::vector<double> z_;
    std::vector<double> a_;
    std::vector<double> d_;
    std::vector<double> base_;    ///< a at the base point, minus rho beta if G = Z
    std::vector<double> change_;  ///< its change since then
    std::vector<double> start_;   ///< beta at the base point
    std::vector<double> exact_;   ///< r there
    std::vector<double> ones_;    ///< the intercept's column
};

}  // namespace mercer
