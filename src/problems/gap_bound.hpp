// SPDX-License-Identifier: Apache-2.0
//
// src/problems/gap_bound.hpp - a number that the exact gap of the given doubles does not exceed.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/quad.hpp"
#include "mercer/problems/problem.hpp"

namespace mercer {

/// Bounds primal - dual of coefficients and an intercept that are doubles, in real numbers: the
/// theorem is in docs/methods/certificate.md.
class GapBound {
public:
    /// `f` is K beta as float64 gives it, `beta` in its box. What is referred to must outlive this.
    GapBound(const Problem& problem, const Loss& loss, std::span<const double> beta,
             std::span<const double> f, double intercept);

    /// The gap at the computed values.
    [[nodiscard]] double computed() const noexcept { return computed_; }
    /// The largest gap at any values that the computed ones may stand for.
    [[nodiscard]] double bound() const noexcept { return bound_; }

    /// Computes values on which the bound hangs in 113 bits, until it is at most `wanted` or there
    /// is no more to gain; true when there were any.
    bool refine(double wanted, Context& context);

    /// What the errors of the computed values may make of the primal value, roughly.
    [[nodiscard]] double blur() const;
    /// K beta from 113 bits for all rows, and beta'K beta, whose terms may cancel; no values when that
    /// takes too long.
    struct PreciseRows {
        std::vector<double> values;
        double squared_norm = 0.0;
    };
    [[nodiscard]] PreciseRows precise_rows(Context& context) const;

private:
    /// A row's term of the gap.
    struct Term {
        double computed = 0.0;
        double most = 0.0;
        bool is_precise = false;
    };
    /// A coefficient that another one stands for in the dual point, so that the sums are exact.
    struct Repair {
        index_t row = 0;
        Quad coefficient;
    };

    void measure_scales();
    /// Of a value of f: `error`, or what Cauchy and Schwarz leave of it, `relative` of the row's scale.
    [[nodiscard]] double error_of(std::size_t row, double error, double relative) const;
    void measure_rows();
    void repair_sums();
    /// A closed tube may leave some of the mass unused.
    [[nodiscard]] bool leaves_mass() const;
    /// Of the mass, a share of the sum of the costs: it is a double as well.
    [[nodiscard]] double mass_rounding() const;
    /// |y - f| of the repaired rows, the largest: what a unit of the mass costs there.
    [[nodiscard]] double farthest_repaired() const;
    /// Makes the sum of the coefficients of a sign (0: of all) be `sum`; what is missing costs `price`
    /// in the value of the dual at the coefficients as they are.
    void repair_sum(double sign, double sum, double price);
    [[nodiscard]] index_t cheapest_repair(double sign, double excess) const;
    void set_term(index_t row, Quad value, double error);
    [[nodiscard]] Quad coefficient_of(index_t row) const;
    [[nodiscard]] std::vector<index_t> worst_rows(double wanted) const;
    void sum_up();

    const Problem& problem_;
    const Loss& loss_;
    std::span<const double> beta_;
    std::span<const double> f_;
    double intercept_;
    double error_;                ///< of every value of f
    std::vector<double> scales_;  ///< sqrt(K(i, i)); empty: no bound in units of them
    double weight_ = 0.0;         ///< sum_j |beta_j| sqrt(K(j, j))
    double relative_ = kInfinity;
    double shift_ = 0.0;       ///< |f - f of the repaired point|, in the norm of the RKHS
    double unrepaired_ = 0.0;  ///< what the sums make of the gap at the coefficients as they are
    double unsure_ = 0.0;      ///< what the rounding of the mass makes of the gap
    double computed_ = 0.0;
    double bound_ = 0.0;
    std::vector<Term> terms_;
    std::vector<Repair> repairs_;
};

}  // namespace mercer
