// SPDX-License-Identifier: Apache-2.0
//
// src/problems/comparison_bound.hpp - an upper bound on the exact gap of multipliers of comparisons.
#pragma once

#include <span>
#include <vector>

#include "mercer/problems/comparisons.hpp"
#include "problems/value_errors.hpp"

namespace mercer {

/// Bounds primal - dual in real arithmetic for coefficients, thresholds and multipliers given as
/// doubles. The theorem is in docs/methods/certificate.md.
class ComparisonBound {
public:
    /// `beta` is coefficients_of(problem, alpha), with alpha in its boxes; `z` holds K beta computed
    /// in float64, then the thresholds. All references must outlive this object.
    ComparisonBound(const ComparisonProblem& problem, std::span<const double> alpha,
                    std::span<const double> beta, std::span<const double> z);

    /// The gap at the computed values.
    [[nodiscard]] double computed() const noexcept { return computed_; }
    /// The largest gap at any values of f within the error of the computed ones.
    [[nodiscard]] double bound() const noexcept { return bound_; }
    /// A row of the comparison with the largest term.
    [[nodiscard]] index_t worst_row() const noexcept { return worst_row_; }

    /// Recomputes in 113 bits the values that loosen the bound most, until it is at most `wanted`
    /// or cannot be improved; true when any value was recomputed.
    bool refine(double wanted, Context& context);

private:
    /// The term of a comparison.
    struct Term {
        double computed = 0.0;
        double most = 0.0;
    };
    /// The multipliers of a threshold, as one sum that should be 0.
    struct Balance {
        double excess = 0.0;  ///< their signed sum
        double most = 0.0;    ///< bound on its absolute value
        /// Price of moving one multiplier by `most` such that the signed sum falls or rises.
        double falls = kInfinity;
        double rises = kInfinity;
    };

    [[nodiscard]] Term term(std::size_t e) const;
    [[nodiscard]] std::vector<Balance> balances() const;
    void repair_coefficients();
    void repair_thresholds();
    void find_prices(std::vector<Balance>& balances) const;
    /// What the error of each row adds to the bound; 0 for rows from 113 bits.
    [[nodiscard]] std::vector<double> excesses() const;
    void sum_up();

    const ComparisonProblem& problem_;
    std::span<const double> alpha_;
    std::span<const double> beta_;
    std::span<const double> z_;
    ValueErrors values_;
    std::vector<double> errors_;  ///< by place: of z, 0 at the thresholds
    std::vector<double> low_;     ///< by place: what 113 bits add to z; 0 elsewhere
    std::vector<bool> is_precise_;
    double shift_ = 0.0;       ///< |f - f'| in the RKHS, f' from the multipliers
    double moved_ = 0.0;       ///< the same from the multipliers moved to make their sums 0
    double price_ = 0.0;       ///< what those moves add to the terms
    double unrepaired_ = 0.0;  ///< what the sums add to the gap of the multipliers as they are
    double computed_ = 0.0;
    double bound_ = 0.0;
    index_t worst_row_ = -1;
};

}  // namespace mercer
