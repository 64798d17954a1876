// SPDX-License-Identifier: Apache-2.0
//
// mercer/theory/risk.hpp - the mean loss of a predictor and its standard error.
//
// The empirical risk is the mean of c(y_i, f(x_i)) over rows; the expected risk is the same mean
// over a distribution. If the distribution is given as weighted rows, both are the same
// computation.
#pragma once

#include <span>

#include "mercer/base/compensated_sum.hpp"
#include "mercer/base/types.hpp"
#include "mercer/losses/risk_loss.hpp"

namespace mercer {

/// A mean and its standard error.
struct RiskEstimate {
    double risk = kNaN;            ///< sum w c / sum w; NaN without weight
    double standard_error = kNaN;  ///< NaN with fewer than two rows of weight > 0
    index_t rows = 0;              ///< of weight > 0
};

/// Adds losses up, for rows that come in batches.
class RiskSum {
public:
    void add(double loss, double weight = 1.0);
    [[nodiscard]] RiskEstimate estimate() const;

private:
    // Squares are taken of c minus the first c, so that a small spread around a large mean does not
    // cancel.
    double origin_ = 0.0;
    index_t rows_ = 0;
    CompensatedSum weight_;
    CompensatedSum first_;           ///< w (c - origin)
    CompensatedSum squared_weight_;  ///< w^2
    CompensatedSum squared_first_;   ///< w^2 (c - origin)
    CompensatedSum squared_second_;  ///< w^2 (c - origin)^2
};

/// The risk of the values f(x_i) for these targets. `weights` may be empty: all 1. Throws
/// InvalidArgument when lengths differ, a weight is negative, or the loss needs targets -1 or +1
/// and has another one.
[[nodiscard]] RiskEstimate empirical_risk(const RiskLoss& loss, std::span<const double> targets,
                                          std::span<const double> values,
                                          std::span<const double> weights = {});

}  // namespace mercer
