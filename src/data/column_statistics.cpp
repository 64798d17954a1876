// SPDX-License-Identifier: Apache-2.0
//
// src/data/column_statistics.cpp - per-column moments, safe for any magnitude and any width.
#include "data/column_statistics.hpp"

#include <algorithm>
#include <cmath>

#include "data/rows.hpp"
#include "mercer/base/compensated_sum.hpp"

namespace mercer::data {

namespace {

/// Distinct columns that occur, when these are fewer than the columns there are.
std::vector<index_t> occurring_columns(const Dataset& data) {
    constexpr index_t kNarrow = 4096;
    const auto* sparse = std::get_if<CsrView>(&data.storage());
    if (sparse == nullptr || data.columns() <= std::max(kNarrow, data.stored())) {
        return {};
    }
    std::vector<index_t> columns;
    columns.reserve(sparse->values.size());
    for_each_entry(data, [&](index_t, index_t j, double) { columns.push_back(j); });
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    return columns;
}

}  // namespace

double safe_scale(double magnitude) {
    constexpr double kSmall = 1e-100;
    constexpr double kLarge = 1e100;
    if (magnitude == 0.0 || (magnitude > kSmall && magnitude < kLarge)) {
        return 1.0;
    }
    // A power of two, so that scaling is exact; 2^1023 is the largest there is.
    return std::ldexp(1.0, std::min(-std::ilogb(magnitude), 1023));
}

ColumnStatistics column_statistics(const Dataset& data) {
    ColumnStatistics result;
    result.columns = occurring_columns(data);
    const bool listed = !result.columns.empty();
    const auto place = [&](index_t j) {
        return static_cast<std::size_t>(
            listed ? std::lower_bound(result.columns.begin(), result.columns.end(), j) -
                         result.columns.begin()
                   : j);
    };
    const bool all_absent = data.is_sparse() && data.stored() == 0 && data.columns() > 0;
    const std::size_t count = listed       ? result.columns.size()
                              : all_absent ? 0
                                           : static_cast<std::size_t>(data.columns());
    std::vector<index_t> present(count, 0);
    result.minimum.assign(count, kInfinity);
    result.maximum.assign(count, -kInfinity);
    for_each_entry(data, [&](index_t, index_t j, double value) {
        const std::size_t c = place(j);
        ++present[c];
        result.minimum[c] = std::min(result.minimum[c], value);
        result.maximum[c] = std::max(result.maximum[c], value);
    });
    std::vector<double> scale(count, 1.0);
    for (std::size_t c = 0; c < count; ++c) {
        if (present[c] < data.rows() || data.rows() == 0) {
            result.minimum[c] = std::min(result.minimum[c], 0.0);
            result.maximum[c] = std::max(result.maximum[c], 0.0);
        }
        scale[c] = safe_scale(std::max(std::abs(result.minimum[c]), std::abs(result.maximum[c])));
    }
    const auto weight = [&](index_t i) {
        return data.weights.empty() ? 1.0 : data.weights[static_cast<std::size_t>(i)];
    };
    double rows = 0.0;  // counted by their weights
    for (index_t i = 0; i < data.rows(); ++i) {
        rows += weight(i);
    }
    rows = rows > 0.0 ? rows : 1.0;
    // Compensated: a row of weight 2 and the row twice must give the same bits.
    std::vector<CompensatedSum> sums(count);
    std::vector<double> weights(count, 0.0);
    for_each_entry(data, [&](index_t i, index_t j, double value) {
        const std::size_t c = place(j);
        sums[c].add(weight(i) * (value * scale[c]));
        weights[c] += weight(i);
    });
    result.mean.assign(count, 0.0);
    for (std::size_t c = 0; c < count; ++c) {
        result.mean[c] = sums[c].value() / rows;
    }
    sums.assign(count, CompensatedSum{});
    for_each_entry(data, [&](index_t i, index_t j, double value) {
        const std::size_t c = place(j);
        const double difference = value * scale[c] - result.mean[c];
        sums[c].add(weight(i) * (difference * difference));
    });
    result.deviation.assign(count, 0.0);
    for (std::size_t c = 0; c < count; ++c) {
        const double absent = std::max(0.0, rows - weights[c]);
        const double squares = sums[c].value() + absent * result.mean[c] * result.mean[c];
        const bool constant = result.minimum[c] == result.maximum[c];
        result.deviation[c] = constant ? 0.0 : std::sqrt(squares / rows) / scale[c];
        result.mean[c] = constant ? result.minimum[c] : result.mean[c] / scale[c];
    }
    return result;
}

}  // namespace mercer::data
