// SPDX-License-Identifier: Apache-2.0
//
// src/problems/value_errors.hpp - how far computed values of K beta may be from the exact ones.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/operators/gram_operator.hpp"

namespace mercer {

/// Bounds on the errors of the values of f = K beta in float64, row by row.
class ValueErrors {
public:
    /// f comes from GramOperator::multiply(beta, ...).
    ValueErrors(const GramOperator& gram, std::span<const double> beta);

    /// f comes from one product of GramOperator::whole() with a matrix of that many columns,
    /// row-major in `beta`; the bounds hold for every column.
    ValueErrors(const GramOperator& gram, std::span<const double> beta, std::size_t columns);

    [[nodiscard]] double at(std::size_t row) const { return within(row, error_, scaled_); }

    /// `error`, or the Cauchy-Schwarz bound `scaled` times the scale of the row if that is smaller.
    [[nodiscard]] double within(std::size_t row, double error, double scaled) const;

    /// No less than sqrt(K(i, i)), the norm of k(x_i, .).
    [[nodiscard]] double norm_of(std::size_t row) const { return norms_[row]; }

private:
    void measure(std::span<const double> beta, std::size_t columns, double steps);

    const GramOperator& gram_;
    GramRounding entries_;
    std::vector<double> norms_;
    double error_ = 0.0;         ///< bound on the error of every value
    double scaled_ = kInfinity;  ///< that bound in units of the norms; infinite: not known
};

}  // namespace mercer
