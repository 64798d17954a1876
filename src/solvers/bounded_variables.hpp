// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/bounded_variables.hpp - the variables of a box dual strictly inside their bounds.
//
//     minimise  1/2 b'(K + R)b - p'b + e'|b|  in a box, with up to two sum constraints
//
// (problems/problem.hpp). A row whose |b| has a kink inside its box is the difference of two
// variables >= 0; any other row is one variable; a row whose box is a point has none. Every bound
// has a multiplier. The step of an interior-point method is reduced to the rows here, and then
// computed for the variables by back-substitution.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/problems/problem.hpp"
#include "mercer/runtime/memory.hpp"
#include "solvers/normal_system.hpp"

namespace mercer {

/// A variable, its distances to its bounds, their multipliers, and a step of all of them. The
/// distances are stored separately: near a bound they are more accurate than the value.
struct BoundedVariable {
    index_t row = 0;
    double sign = 1.0;    ///< of the variable in b
    double linear = 0.0;  ///< its gradient is sign ((K + R)b)_row + linear + equation'y
    std::array<double, 2> equation{};
    Interval bounds{-kInfinity, kInfinity};
    double unit = 1.0;  ///< the width of the box, or the initial distance to the only bound
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
    /// Starts every variable in the middle of its bounds; with one bound, at the distance that its
    /// own row suggests. Throws ResourceError.
    BoundedVariables(const Problem& problem, Context& context);

    [[nodiscard]] index_t equations() const noexcept { return equations_; }
    [[nodiscard]] bool empty() const noexcept { return variables_.empty(); }
    [[nodiscard]] const std::vector<double>& beta() const noexcept { return beta_; }
    /// Which rows are put on a bound: those whose bound has a large multiplier; or all that are
    /// close to a bound or to 0, which is right when a bound is reached with multiplier 0.
    enum class Settling { held, near };
    /// The coefficients with these rows put on their bounds; `settled` marks the rows.
    [[nodiscard]] std::vector<double> settled_beta(Settling rule, std::vector<bool>& settled) const;
    /// By how much these coefficients miss the sum constraints.
    [[nodiscard]] std::vector<double> missing_sums(std::span<const double> beta) const;

    /// Sets multipliers that make the residual at f = K b zero for rows with two bounds.
    void start_multipliers(std::span<const double> f);

    /// Starts on the central path: every variable at the place that its gradient at f and the
    /// intercept determines, with equal products of distances and multipliers, whose size is that
    /// of the gap of `from` at f.
    void start_on_path(std::span<const double> from, std::span<const double> f, double intercept);

    /// Computes the residuals at f = K b and the quantities derived from them.
    void update(std::span<const double> f);
    [[nodiscard]] double complementarity() const noexcept { return complementarity_; }  ///< a sum
    [[nodiscard]] double mean_complementarity() const;
    /// A rough bound on the gap: complementarity plus residuals times their variables.
    [[nodiscard]] double gap_estimate() const noexcept { return gap_estimate_; }
    [[nodiscard]] double dual_value() const noexcept { return dual_value_; }

    /// Computes the matrix of the step at the current point.
    void fill(RowSystem& system);
    /// Right-hand sides of the step after which every product of a distance and its multiplier is
    /// `target`; `corrects`: includes the second-order effect of the last step.
    void aim(double target, bool corrects);
    [[nodiscard]] const std::vector<double>& row_right() const noexcept { return rho_; }
    [[nodiscard]] const std::vector<double>& equation_right() const noexcept { return right_; }
    /// The step of the variables and multipliers from that of the rows; call it after aim().
    void take_back(const RowStep& step);

    /// The length of the last step at which the first bound is reached; infinite when there is
    /// none.
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
