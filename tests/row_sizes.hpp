// SPDX-License-Identifier: Apache-2.0
//
// tests/row_sizes.hpp - the sizes of given rows, for bounds on rounding.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "mercer/kernels/precise.hpp"

namespace mercer::testing {

/// Makes room for one more row.
inline void cover(RowSizes& sizes, std::span<const double> row) {
    double square = 0.0;
    double l1 = 0.0;
    for (const double entry : row) {
        square += entry * entry;
        l1 += std::fabs(entry);
        sizes.largest_entry = std::max(sizes.largest_entry, std::fabs(entry));
    }
    sizes.columns = std::max(sizes.columns, static_cast<index_t>(row.size()));
    sizes.squared_norm = std::max(sizes.squared_norm, square);
    sizes.l1_norm = std::max(sizes.l1_norm, l1);
    if (l1 > 0.0 && (sizes.least_squared_norm == 0.0 || square < sizes.least_squared_norm)) {
        sizes.least_squared_norm = square;
    }
}

}  // namespace mercer::testing
