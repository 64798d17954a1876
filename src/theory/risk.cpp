// SPDX-License-Identifier: Apache-2.0
//
// src/theory/risk.cpp - weighted means of losses.
#include "mercer/theory/risk.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.hpp"

namespace mercer {

void RiskSum::add(double loss, double weight) {
    if (weight == 0.0) {
        return;
    }
    if (rows_++ == 0) {
        origin_ = loss;
    }
    const double offset = loss - origin_;
    weight_.add(weight);
    first_.add(weight * offset);
    squared_weight_.add(weight * weight);
    squared_first_.add(weight * weight * offset);
    squared_second_.add(weight * weight * offset * offset);
}

RiskEstimate RiskSum::estimate() const {
    RiskEstimate out{.rows = rows_};
    if (rows_ == 0) {
        return out;
    }
    const double mean = first_.value() / weight_.value();
    out.risk = origin_ + mean;
    if (rows_ > 1) {
        const auto n = static_cast<double>(rows_);
        const double squares = squared_second_.value() - 2.0 * mean * squared_first_.value() +
                               mean * mean * squared_weight_.value();
        out.standard_error = std::sqrt(std::max(0.0, squares) * n / (n - 1.0)) / weight_.value();
    }
    return out;
}

RiskEstimate empirical_risk(const RiskLoss& loss, std::span<const double> targets,
                            std::span<const double> values, std::span<const double> weights) {
    if (values.size() != targets.size() || (!weights.empty() && weights.size() != targets.size())) {
        throw InvalidArgument(fmt::format("risk: got {} targets, {} values and {} weights",
                                          targets.size(), values.size(), weights.size()));
    }
    RiskSum sum;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double weight = weights.empty() ? 1.0 : weights[i];
        if (!(weight >= 0.0)) {
            throw InvalidArgument(
                fmt::format("row {}: weight {}, must be finite and >= 0", i + 1, weight));
        }
        if (is_classification(loss) && std::abs(targets[i]) != 1.0) {
            throw InvalidArgument(fmt::format("row {}: target {}, the {} loss needs -1 or +1",
                                              i + 1, targets[i], name_of(loss)));
        }
        sum.add(loss_value(loss, targets[i], values[i]), weight);
    }
    return sum.estimate();
}

}  // namespace mercer
