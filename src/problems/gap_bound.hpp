// SPDX-License-Identifier: Apache-2.0
//
// src/problems/gap_bound.hpp - an upper bound on the exact gap of coefficients given as doubles.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/quad.hpp"
#include "mercer/problems/problem.hpp"
#include "problems/value_errors.hpp"

namespace mercer {

/// Bounds primal - dual in real arithmetic for coefficients and an intercept given as doubles. The
/// theorem is in docs/methods/certificate.md.
class GapBound {
public:
    /// `f` is K beta computed in float64; `beta` is in its box. All references must outlive this
    /// object.
    GapBound(const Problem& problem, const Loss& loss, std::span<const double> beta,
             std::span<const double> f, double intercept);

    /// The gap at the computed values.
    [[nodiscard]] double computed() const noexcept { return computed_; }
    /// The largest gap at any values of f within the error of the computed ones.
    [[nodiscard]] double bound() const noexcept { return bound_; }

    /// The mass that a tube leaves unused, times the width: a part of the gap.
    [[nodiscard]] double unused() const noexcept { return unused_; }

    /// Recomputes in 113 bits the values that loosen the bound most, until it is at most `wanted`
    /// or cannot be improved; true when any value was recomputed.
    bool refine(double wanted, Context& context);

    /// Estimate of the error of the primal value that comes from the errors of the computed values.
    [[nodiscard]] double blur() const;
    /// K beta of all rows computed in 113 bits, and beta'K beta, whose terms may cancel; `values`
    /// is empty when that would take too long.
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
    };
    /// The replacement of one coefficient in the dual point that makes a sum exact.
    struct Repair {
        index_t row = 0;
        Quad coefficient;
    };

    void measure_rows();
    void repair_sums();
    /// True when a tube's sum |beta| is below the mass: sets what that adds to the gap.
    bool leaves_mass();
    /// Rounding error of the mass, which is computed from the sum of the costs.
    [[nodiscard]] double mass_rounding() const;
    /// The largest |y - f| of the repaired rows: what a unit of the mass costs there.
    [[nodiscard]] double farthest_repaired() const;
    /// Makes the coefficients with this sign (0: all of them) sum to `sum`. In the dual value of
    /// the unrepaired coefficients a unit of the difference costs `price`.
    void repair_sum(double sign, double sum, double price);
    [[nodiscard]] index_t cheapest_repair(double sign, double excess) const;
    void set_term(index_t row, Quad value, double error);
    [[nodiscard]] Quad coefficient_of(index_t row) const;
    /// What the error of each row adds to the bound; 0 for rows from 113 bits.
    [[nodiscard]] std::vector<double> excesses() const;
    void sum_up();

    const Problem& problem_;
    const Loss& loss_;
    std::span<const double> beta_;
    std::span<const double> f_;
    double intercept_;
    ValueErrors errors_;       ///< of f
    double shift_ = 0.0;       ///< |f - f'| in the RKHS, f' from the repaired coefficients
    double unrepaired_ = 0.0;  ///< what inexact sums add to the gap of the unrepaired coefficients
    double unused_ = 0.0;      ///< what unused mass adds to the gap
    double unsure_ = 0.0;      ///< what the rounding of the mass adds to the gap
    double computed_ = 0.0;
    double bound_ = 0.0;
    std::vector<Term> terms_;
    std::vector<bool> is_precise_;  ///< by row: its term comes from 113 bits
    std::vector<Repair> repairs_;
};

}  // namespace mercer
