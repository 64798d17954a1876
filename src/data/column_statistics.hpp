// SPDX-License-Identifier: Apache-2.0
//
// src/data/column_statistics.hpp - extremes, mean and deviation of every column.
#pragma once

#include <vector>

#include "mercer/data/dataset.hpp"

namespace mercer::data {

struct ColumnStatistics {
    /// Ascending indices of the columns below; empty: all columns in order. Wide sparse data lists
    /// only the columns that occur, so that memory grows with the entries, not with the width.
    std::vector<index_t> columns;
    std::vector<double> minimum;  ///< absent entries count as 0, here and below
    std::vector<double> maximum;
    std::vector<double> mean;
    std::vector<double> deviation;  ///< of the population
};

/// Three passes over the data. No overflow or underflow whatever the scale of a column.
[[nodiscard]] ColumnStatistics column_statistics(const Dataset& data);

/// The factor by which numbers of that magnitude are scaled so that their squares stay in range.
[[nodiscard]] double safe_scale(double magnitude);

}  // namespace mercer::data
