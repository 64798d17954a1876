// SPDX-License-Identifier: Apache-2.0
//
// src/problems/value_errors.cpp - the error of a product with K, from its sums and its entries.
//
// A value of K differs from the exact one by at most `error`, or by `relative` in units of
// sqrt(K(i, i) K(j, j)); the sum adds gamma of the number of roundings in a row.
#include "problems/value_errors.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/base/roundoff.hpp"
#include "mercer/operators/precise_values.hpp"

namespace mercer {

ValueErrors::ValueErrors(const GramOperator& gram, std::span<const double> beta)
    : gram_(gram), entries_(gram.rounding()) {
    measure(beta, 1, gram.product_steps(beta));
}

ValueErrors::ValueErrors(const GramOperator& gram, std::span<const double> beta,
                         std::size_t columns)
    : gram_(gram), entries_(gram.rounding()) {
    measure(beta, columns, gram.product_steps(gram.size()));
}

void ValueErrors::measure(std::span<const double> beta, std::size_t columns, double steps) {
    const bool relative = std::isfinite(entries_.relative);
    norms_ = gram_.diagonal();
    if (beta.size() != norms_.size() * columns) {
        throw InternalError(fmt::format("coefficients: got {}, must be {} for each of {} rows",
                                        beta.size(), columns, norms_.size()));
    }
    for (double& value : norms_) {
        // The diagonal is rounded as well.
        value = relative ? kOfDiagonal * std::sqrt(std::max(0.0, value))
                         : std::sqrt(std::max(0.0, value) + entries_.error) * (1.0 + kEpsilon);
    }
    double largest_sum = 0.0;     // of |beta| in a column
    double largest_weight = 0.0;  // of |beta_j| sqrt(K(j, j))
    for (std::size_t k = 0; k < columns; ++k) {
        double sum = 0.0;
        double weight = 0.0;
        for (std::size_t i = 0; i < norms_.size(); ++i) {
            sum += std::abs(beta[i * columns + k]);
            weight += std::abs(beta[i * columns + k]) * norms_[i];
        }
        largest_sum = std::max(largest_sum, sum);
        largest_weight = std::max(largest_weight, weight);
    }
    const double above = 1.0 + rounding_of(static_cast<double>(norms_.size()) + 8.0);
    const double lost = rounding_of(steps);
    error_ = entries_.of_sum(largest_sum, lost) * above;
    if (relative) {
        scaled_ = entries_.of_relative_sum(largest_weight, lost) * above;
    }
}

double ValueErrors::within(std::size_t row, double error, double scaled) const {
    return std::isfinite(entries_.relative) ? std::min(error, scaled * norms_[row]) : error;
}

}  // namespace mercer
