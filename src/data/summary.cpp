// SPDX-License-Identifier: Apache-2.0
//
// src/data/summary.cpp - counting, extremes, moments, and advice drawn from them.
#include "mercer/data/summary.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "data/column_statistics.hpp"
#include "data/rows.hpp"
#include "mercer/base/compensated_sum.hpp"
#include "mercer/data/labels.hpp"

namespace mercer {

namespace {

struct Moments {
    double minimum = kNaN;
    double maximum = kNaN;
    double mean = kNaN;
    double variance = kNaN;
    index_t nonzero = 0;
    index_t empty_rows = 0;
};

double weight_of(const Dataset& data, index_t row) {
    return data.weights.empty() ? 1.0 : data.weights[static_cast<std::size_t>(row)];
}

/// Extremes and counts of all entries, zeros included.
Moments entry_extremes(const Dataset& data) {
    Moments result;
    double minimum = kInfinity;
    double maximum = -kInfinity;
    index_t last_row_seen = -1;
    index_t full_rows = 0;
    data::for_each_entry(data, [&](index_t i, index_t, double value) {
        minimum = std::min(minimum, value);
        maximum = std::max(maximum, value);
        if (value != 0.0) {
            ++result.nonzero;
            full_rows += i != last_row_seen;
            last_row_seen = i;
        }
    });
    if (static_cast<double>(data.stored()) <
        static_cast<double>(data.rows()) * static_cast<double>(data.columns())) {
        minimum = std::min(minimum, 0.0);
        maximum = std::max(maximum, 0.0);
    }
    result.minimum = minimum;
    result.maximum = maximum;
    result.empty_rows = data.rows() - full_rows;
    return result;
}

/// Extremes and counts of all entries, then their weighted moments, zeros included.
Moments entry_moments(const Dataset& data) {
    if (data.rows() == 0 || data.columns() == 0) {
        return {};
    }
    Moments result = entry_extremes(data);
    const auto columns = static_cast<double>(data.columns());
    double total = 0.0;
    for (index_t i = 0; i < data.rows(); ++i) {
        total += weight_of(data, i);
    }
    const double scale =
        data::safe_scale(std::max(std::abs(result.minimum), std::abs(result.maximum)));
    // Compensated: one row of weight 2 and two equal rows must give the same bits.
    CompensatedSum sum;
    double stored_weight = 0.0;
    data::for_each_entry(data, [&](index_t i, index_t, double value) {
        sum.add(weight_of(data, i) * (value * scale));
        stored_weight += weight_of(data, i);
    });
    const double mean = sum.value() / (total * columns);
    CompensatedSum squares;
    data::for_each_entry(data, [&](index_t i, index_t, double value) {
        const double difference = value * scale - mean;
        squares.add(weight_of(data, i) * (difference * difference));
    });
    squares.add(std::max(0.0, total * columns - stored_weight) * mean * mean);
    result.mean = mean / scale;
    result.variance = result.minimum == result.maximum
                          ? 0.0
                          : squares.value() / (total * columns) / scale / scale;
    return result;
}

/// The rows of each named class.
void count_named_classes(const Dataset& data, DatasetSummary& summary) {
    for (const std::string& name : data.label_names) {
        summary.classes.push_back({name, 0});
    }
    for (const double target : data.targets) {
        if (target >= 0.0 && target < static_cast<double>(summary.classes.size())) {
            ++summary.classes[static_cast<std::size_t>(target)].rows;
        }
    }
}

/// Targets that take only a few integer values may also be classes.
void count_integer_targets(const Dataset& data, DatasetSummary& summary) {
    constexpr std::size_t kMostClasses = 100;
    std::map<double, index_t> counts;
    for (const double target : data.targets) {
        if (target != std::floor(target)) {
            return;
        }
        if (counts.size() <= kMostClasses) {
            ++counts[target];
        }
    }
    if (counts.size() <= kMostClasses) {
        for (const auto& [value, rows] : counts) {
            summary.classes.push_back({label_text(value), rows});
        }
    }
}

void describe_targets(const Dataset& data, DatasetSummary& summary) {
    summary.has_targets = !data.targets.empty();
    if (!data.label_names.empty()) {
        count_named_classes(data, summary);
        return;
    }
    if (!summary.has_targets) {
        return;
    }
    const auto [least, greatest] = std::minmax_element(data.targets.begin(), data.targets.end());
    const auto count = static_cast<double>(data.targets.size());
    const double scale = data::safe_scale(std::max(std::abs(*least), std::abs(*greatest)));
    double sum = 0.0;
    for (const double target : data.targets) {
        sum += target * scale;
    }
    double squares = 0.0;
    for (const double target : data.targets) {
        const double difference = target * scale - sum / count;
        squares += difference * difference;
    }
    summary.target_minimum = *least;
    summary.target_maximum = *greatest;
    summary.target_mean = sum / count / scale;
    summary.target_deviation = std::sqrt(squares / count) / scale;
    count_integer_targets(data, summary);
}

/// Ratio of the largest to the smallest deviation of columns that are not constant.
double spread_of(const data::ColumnStatistics& columns) {
    double least = kInfinity;
    double greatest = 0.0;
    for (std::size_t c = 0; c < columns.deviation.size(); ++c) {
        const double deviation = columns.deviation[c];
        if (deviation > 0.0 && columns.minimum[c] != columns.maximum[c]) {
            least = std::min(least, deviation);
            greatest = std::max(greatest, deviation);
        }
    }
    return greatest > 0.0 ? greatest / least : 1.0;
}

void add_hints(const data::ColumnStatistics& columns, DatasetSummary& summary) {
    // The widest column dominates distances once it is about ten times wider than the others;
    // sparse counts differ that much by nature, hence the larger number.
    constexpr double kUneven = 100.0;
    constexpr index_t kFewRows = 5;
    const double spread = spread_of(columns);
    if (spread > kUneven) {
        summary.hints.push_back(
            fmt::format("features look unscaled: the deviations of the columns differ by a factor "
                        "of {:.3g}; consider scaling (standard or minmax)",
                        spread));
    }
    if (summary.constant_columns > 0 && summary.storage != "sparse") {
        summary.hints.push_back(
            fmt::format("{} of {} columns have the same value in all rows and carry no information",
                        summary.constant_columns, summary.columns));
    }
    if (summary.classes.size() == 1) {
        summary.hints.push_back(
            fmt::format("all rows have the one target {}; there is nothing to "
                        "tell apart",
                        summary.classes.front().name));
    }
    for (const ClassCount& entry : summary.classes) {
        if (entry.rows < kFewRows && summary.rows > 10 * kFewRows) {
            summary.hints.push_back(
                fmt::format("class {} has only {} rows", entry.name, entry.rows));
            break;
        }
    }
}

}  // namespace

DatasetSummary summarize(const Dataset& data) {
    DatasetSummary summary;
    summary.rows = data.rows();
    summary.columns = data.columns();
    summary.stored = data.stored();
    summary.storage = data.is_sparse()                                                  ? "sparse"
                      : std::holds_alternative<MatrixView<const float>>(data.storage()) ? "float32"
                                                                                        : "float64";
    const Moments moments = entry_moments(data);
    summary.nonzero = moments.nonzero;
    summary.empty_rows = moments.empty_rows;
    summary.minimum = moments.minimum;
    summary.maximum = moments.maximum;
    summary.mean = moments.mean;
    summary.variance = moments.variance;
    if (data.rows() > 0 && data.columns() > 0) {
        summary.density = static_cast<double>(moments.nonzero) / static_cast<double>(data.rows()) /
                          static_cast<double>(data.columns());
    }
    const data::ColumnStatistics columns = data::column_statistics(data);
    index_t varying = 0;
    for (std::size_t c = 0; c < columns.mean.size(); ++c) {
        varying += columns.minimum[c] != columns.maximum[c];
    }
    summary.constant_columns = data.rows() == 0 ? 0 : data.columns() - varying;
    describe_targets(data, summary);
    add_hints(columns, summary);
    return summary;
}

double column_spread(const Dataset& data) { return spread_of(data::column_statistics(data)); }

double value_variance(const Dataset& data) { return entry_moments(data).variance; }

double scale_gamma(const Dataset& data) {
    const double gamma = 1.0 / (static_cast<double>(data.columns()) * value_variance(data));
    return std::isfinite(gamma) && gamma > 0.0 ? gamma : 1.0;
}

}  // namespace mercer
