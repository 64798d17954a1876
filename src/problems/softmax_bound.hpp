// SPDX-License-Identifier: Apache-2.0
//
// src/problems/softmax_bound.hpp - an upper bound on the exact gap of a joint problem's doubles.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/compensated_sum.hpp"
#include "mercer/problems/softmax.hpp"
#include "problems/value_errors.hpp"

namespace mercer {

/// Bounds primal - dual in real arithmetic for coefficients and intercepts given as doubles. The
/// theorem is in docs/methods/certificate.md.
class SoftmaxBound {
public:
    /// `beta` is in its boxes, `z` is K beta computed in float64 plus the intercepts.
    SoftmaxBound(const SoftmaxProblem& problem, std::span<const double> beta,
                 std::span<const double> z, std::span<const double> intercepts);

    /// The gap at the computed values.
    [[nodiscard]] double computed() const noexcept { return computed_; }
    /// The largest gap at any values of f within the error of the computed ones.
    [[nodiscard]] double bound() const noexcept { return bound_; }
    [[nodiscard]] index_t worst_row() const noexcept { return worst_row_; }

private:
    /// A probability of the dual point, and how far its logarithm may be from the exact one.
    /// Infinite: the exact one is somewhere between 0 and p.
    struct Share {
        double p = 0.0;
        double error = 0.0;
    };
    /// Divergence of the probabilities at z from those of the dual point.
    struct Divergence {
        double computed = 0.0;
        double most = 0.0;   ///< the largest within rounding
        double apart = 0.0;  ///< bound on the 1-norm of their difference
    };
    struct RowSums {
        double excess = 0.0;  ///< sum of the row's coefficients
        double rest = 0.0;    ///< its cost minus the sum of the other classes' probabilities
        double slack = 0.0;   ///< bound on the errors of both, apart from their last rounding
    };

    void add_row(std::size_t row);
    [[nodiscard]] RowSums sums_of(std::size_t row) const;
    void repair_row(std::size_t row, const RowSums& sums);
    void set_shares(std::size_t row, const RowSums& sums);
    [[nodiscard]] Divergence divergence_of(std::size_t row, double loss) const;
    [[nodiscard]] double price_of_columns() const;
    void sum_up();

    const SoftmaxProblem& problem_;
    std::span<const double> beta_;
    std::span<const double> z_;
    std::span<const double> intercepts_;
    std::size_t k_;
    ValueErrors errors_;
    std::vector<Share> shares_;            ///< of the present row
    std::vector<CompensatedSum> columns_;  ///< of the repaired coefficients
    std::vector<double> sizes_;            ///< sums of their absolute values
    std::vector<double> moved_;            ///< by class: bound on |f - f'| in the RKHS
    double slack_ = 0.0;                   ///< bound on the error of every column, from the rows
    double reach_ = 0.0;                   ///< sum_i c_i sqrt(K(i, i))
    double farthest_ = 0.0;                ///< sum_i c_i max_k log 1 / q_ik
    double computed_ = 0.0;
    double most_ = 0.0;
    double bound_ = 0.0;
    double worst_ = -1.0;
    index_t worst_row_ = -1;
};

}  // namespace mercer
