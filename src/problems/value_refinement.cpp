// SPDX-License-Identifier: Apache-2.0
//
// src/problems/value_refinement.cpp - chooses rows and computes them in 113 bits.
#include "problems/value_refinement.hpp"

#include <algorithm>

#include "mercer/operators/precise_values.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {

namespace {

// The limit when the computed gap is too large already, which may itself be due to rounding.
constexpr double kFewOperations = 2e6;

/// The rows with the largest excess, such that the others add at most `allowed`.
std::vector<index_t> worst_rows(std::span<const double> excess, double allowed) {
    std::vector<index_t> rows;
    double sum = 0.0;
    for (std::size_t i = 0; i < excess.size(); ++i) {
        if (excess[i] > 0.0) {
            rows.push_back(static_cast<index_t>(i));
            sum += excess[i];
        }
    }
    const auto of = [&](index_t row) { return excess[static_cast<std::size_t>(row)]; };
    std::sort(rows.begin(), rows.end(), [&](index_t a, index_t b) { return of(a) > of(b); });
    std::size_t count = 0;
    while (count < rows.size() && sum > allowed) {
        sum -= of(rows[count++]);
    }
    rows.resize(count);
    return rows;
}

}  // namespace

bool ValueRefinement::step(std::span<const double> excess, double room, Context& context,
                           const std::function<void(index_t, Quad, double)>& take) {
    const std::vector<index_t> rows = worst_rows(excess, 0.25 * std::max(0.0, room));
    spent_ += gram_.precise_operations(static_cast<index_t>(rows.size()), beta_);
    if (rows.empty() || spent_ > (room >= 0.0 ? kMostOperations : kFewOperations)) {
        return false;
    }
    const PreciseValues precise = gram_.multiply_precisely(rows, beta_, gram_.rounding(), context);
    for (std::size_t k = 0; k < rows.size(); ++k) {
        take(rows[k], precise.values[k],
             errors_.within(static_cast<std::size_t>(rows[k]), precise.error, precise.scaled));
    }
    return true;
}

}  // namespace mercer
