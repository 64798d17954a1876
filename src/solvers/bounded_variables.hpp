// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/bounded_variables.hpp - the variables of a box dual strictly inside their bounds.
//
//     minimise  1/2 b'(K + R)b - p'b + e'|b|  in a box, with up to two sums   (problems/problem.hpp)
//
// A row whose |b| has a kink inside its box is the difference of two variables >= 0; any other row
// is one variable; a row whose box is a point is none. Every bound has a multiplier. The step of an
// interior-point method is reduced to the rows here, and taken back to the variables.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/problems/problem.hpp"
#include "mercer/runtime/memory.hpp"
#include "solvers/normal_system.hpp"

namespace mercer {

/// A variable, its distances to the bounds it has, their multipliers, and a step of all of them.
/// The distances are kept beside the value: near a bound they have digits that it has not.
struct BoundedVariable {
    index_t row = 0;
    double sign = 1.0;    ///< of the variable in b
    double linear = 0.0;  ///< its gradient is sign ((K + R)b)_row + linear + equation'y
    std::array<double, 2> equation{};
    Interval bounds{-kInfinity, kInfinity};
    double unit = 1.0;  ///< the width of the bounds, or the first distance to the only one
    double value = 0.0;
    double above = kInfinity;  ///< value - lower
    double below = kInfinity;  ///< upper - value
    double z = 0.0;            ///< multiplier of the lower bound
    double t = 0.0;            ///< multiplier of the upper bound
    double residual = 0.0;     ///< gradient - z + t
    double step = 0.0;
    double z_step = 0.0;
    double t_step = 0.0;

    [[nodiscard]] bool has_lower() const noexcept { return above < kInfinity; }
    [[nodiscard]] bool has_upper() const noexcept { return below < kInfinity; }
};

class Context;

class BoundedVariables {
public:
    /// Every variable in the middle of its bounds, or where its own row alone would lead it.
    /// Throws ResourceError when they do not fit the memory.
    BoundedVariables(const Problem& problem, Context& context);

    [[nodiscard]] index_t equations() const noexcept { return equations_; }
    [[nodiscard]] bool empty() const noexcept { return variables_.empty(); }
    [[nodiscard]] const std::vector<double>& beta() const noexcept { return beta_; }
    /// Which rows are put on a bound: those that a multiplier holds there; or all that are near it or
    /// near 0, as is right where a bound is met but holds nothing.
    enum class Settling { held, near };
    /// The coefficients with rows on their bounds; `settled` says which.
    [[nodiscard]] std::vector<double> settled_beta(Settling rule, std::vector<bool>& settled) const;
    /// What the sums of these coefficients lack.
    [[nodiscard]] std::vector<double> missing_sums(std::span<const double> beta) const;

    /// Multipliers that make the gradient at f = K b vanish wherever a row has two bounds.
    void start_multipliers(std::span<const double> f);

    /// Every variable where its gradient at f and the intercept alone would lead it, and multipliers
    /// whose products with the distances are all the same: as great as the gap of `from` there.
    void start_on_path(std::span<const double> from, std::span<const double> f, double intercept);

    /// Residuals at f = K b, and what is read from them.
    void update(std::span<const double> f);
    [[nodiscard]] double complementarity() const noexcept { return complementarity_; }  ///< a sum
    [[nodiscard]] double mean_complementarity() const;
    /// Bounds the gap roughly: complementarity, and residuals times their variables.
    [[nodiscard]] double gap_estimate() const noexcept { return gap_estimate_; }
    [[nodiscard]] double dual_value() const noexcept { return dual_value_; }

    /// The matrix of the steps from here.
    void fill(RowSystem& system);
    /// Right sides of the step to where every product of a distance and its multiplier is `target`;
    /// `corrects`: with what the last step does to the products in second order.
    void aim(double target, bool corrects);
    [[nodiscard]] const std::vector<double>& row_right() const noexcept { return rho_; }
    [[nodiscard]] const std::vector<double>& equation_right() const noexcept { return right_; }
    /// The step of the variables and multipliers, after aim(), from that of the rows.
    void take_back(const RowStep& step);

    /// The length of the last step at which the first bound is met; infinite when there is none.
    [[nodiscard]] double longest() const;
    /// mean_complementarity() after a step of that length.
    [[nodiscard]] double complementarity_after(double length) const;
    void advance(double length);

private:
    struct RowVariables {
        std::size_t first = 0;
        std::size_t count = 0;  ///< 0, 1 or 2
    };
    void add(index_t row, double sign, Interval bounds, double linear, double size);
    void update_beta();
    [[nodiscard]] BoundedVariable& first(std::size_t i) const { return variables_[rows_[i].first]; }

    index_t equations_ = 0;
    bool mass_ = false;
    Buffer<BoundedVariable> room_;
    std::span<BoundedVariable> variables_;
    std::vector<RowVariables> rows_;
    std::vector<double> ridge_;
    std::vector<double> beta_;
    std::array<double, 2> sums_{};
    std::vector<double> multipliers_;  ///< y, of the equations
    std::vector<double> equation_residual_;
    std::vector<double> equation_step_;
    std::vector<double> rho_;    ///< per row
    std::vector<double> right_;  ///< per equation
    double complementarity_ = 0.0;
    double gap_estimate_ = kInfinity;
    double dual_value_ = 0.0;
    index_t bounds_ = 0;
};

}  // namespace mercer
