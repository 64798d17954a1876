// SPDX-License-Identifier: Apache-2.0
//
// src/data/column_statistics.cpp - per-column moments, safe for any magnitude and any width.
#include "data/column_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "data/rows.hpp"
#include "mercer/base/compensated_sum.hpp"

namespace mercer::data {

namespace {

/// The distinct columns that occur, when these are fewer than all columns.
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

/// Passes over the entries: first the extremes, which give scales with which no square overflows or
/// underflows, then the means, then the deviations.
class StatisticsPasses {
public:
    explicit StatisticsPasses(const Dataset& data) : data_(data) {
        result_.columns = occurring_columns(data);
        const bool all_absent = data.is_sparse() && data.stored() == 0 && data.columns() > 0;
        count_ = !result_.columns.empty() ? result_.columns.size()
                 : all_absent             ? 0
                                          : static_cast<std::size_t>(data.columns());
        for (index_t i = 0; i < data.rows(); ++i) {
            rows_ += weight(i);
        }
        rows_ = rows_ > 0.0 ? rows_ : 1.0;
    }

    void find_extremes() {
        std::vector<index_t> present(count_, 0);
        result_.minimum.assign(count_, kInfinity);
        result_.maximum.assign(count_, -kInfinity);
        for_each_entry(data_, [&](index_t, index_t j, double value) {
            const std::size_t c = place(j);
            ++present[c];
            result_.minimum[c] = std::min(result_.minimum[c], value);
            result_.maximum[c] = std::max(result_.maximum[c], value);
        });
        for (std::size_t c = 0; c < count_; ++c) {
            double& least = result_.minimum[c];
            double& greatest = result_.maximum[c];
            if (present[c] < data_.rows() || data_.rows() == 0) {
                least = std::min(least, 0.0);
                greatest = std::max(greatest, 0.0);
            }
            scale_.push_back(safe_scale(std::max(std::abs(least), std::abs(greatest))));
        }
    }

    /// Of the scaled values.
    void find_means() {
        std::vector<CompensatedSum> sums(count_);
        weights_.assign(count_, 0.0);
        for_each_entry(data_, [&](index_t i, index_t j, double value) {
            const std::size_t c = place(j);
            sums[c].add(weight(i) * (value * scale_[c]));
            weights_[c] += weight(i);
        });
        for (const CompensatedSum& sum : sums) {
            result_.mean.push_back(sum.value() / rows_);
        }
    }

    /// Also undoes the scaling.
    void find_deviations() {
        std::vector<CompensatedSum> sums(count_);
        for_each_entry(data_, [&](index_t i, index_t j, double value) {
            const std::size_t c = place(j);
            const double difference = value * scale_[c] - result_.mean[c];
            sums[c].add(weight(i) * (difference * difference));
        });
        for (std::size_t c = 0; c < count_; ++c) {
            double& mean = result_.mean[c];
            const double absent = std::max(0.0, rows_ - weights_[c]);
            const double squares = sums[c].value() + absent * mean * mean;
            const bool constant = result_.minimum[c] == result_.maximum[c];
            result_.deviation.push_back(constant ? 0.0 : std::sqrt(squares / rows_) / scale_[c]);
            mean = constant ? result_.minimum[c] : mean / scale_[c];
        }
    }

    [[nodiscard]] ColumnStatistics release() && { return std::move(result_); }

private:
    /// Index of a column among the listed ones.
    [[nodiscard]] std::size_t place(index_t j) const {
        const std::vector<index_t>& listed = result_.columns;
        return static_cast<std::size_t>(
            listed.empty() ? j
                           : std::lower_bound(listed.begin(), listed.end(), j) - listed.begin());
    }
    [[nodiscard]] double weight(index_t i) const {
        return data_.weights.empty() ? 1.0 : data_.weights[static_cast<std::size_t>(i)];
    }

    // Sums are compensated: one row of weight 2 and two equal rows must give the same bits.
    const Dataset& data_;
    ColumnStatistics result_;
    std::size_t count_ = 0;
    double rows_ = 0.0;            // sum of the row weights
    std::vector<double> scale_;    // of each column
    std::vector<double> weights_;  // of the rows that have an entry in the column
};

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
    StatisticsPasses passes(data);
    passes.find_extremes();
    passes.find_means();
    passes.find_deviations();
    return std::move(passes).release();
}

}  // namespace mercer::data
