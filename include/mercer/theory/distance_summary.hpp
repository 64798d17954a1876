// SPDX-License-Identifier: Apache-2.0
//
// mercer/theory/distance_summary.hpp - summary statistics of the distances between rows.
#pragma once

#include <cstdint>
#include <vector>

#include "mercer/base/compensated_sum.hpp"
#include "mercer/base/types.hpp"
#include "mercer/runtime/memory.hpp"

namespace mercer {

class Context;

/// Two rows, counted from 0, and how far apart they are.
struct RowPair {
    index_t row = 0;
    index_t column = 0;
    double distance = 0.0;
};

/// Statistics of the distances of all pairs.
struct DistanceSummary {
    index_t pairs = 0;
    index_t zero = 0;  ///< pairs at distance 0
    double least = kNaN;
    double greatest = kNaN;
    double mean = kNaN;
    double median = kNaN;          ///< for an even number of pairs the mean of the middle two
    double median_error = 0.0;     ///< relative; 0: exact
    std::vector<RowPair> nearest;  ///< ascending; ties in the order of the rows
};

/// Collects distances >= 0 block by block. The median is exact up to 2^24 pairs; beyond that it is
/// read off a histogram, whose memory does not grow with the number of pairs, and median_error
/// bounds its error.
class DistanceCollector {
public:
    /// With `one_set` only pairs (i, j) with j > i count, otherwise all. The `nearest` closest
    /// pairs are retained. `pairs` is the total number of pairs. Throws ResourceError.
    DistanceCollector(bool one_set, index_t pairs, index_t nearest, Context& context);

    /// Row i of `values` is row begin + i.
    void add_rows(index_t begin, MatrixView<const double> values);

    [[nodiscard]] DistanceSummary summary();

private:
    void add(index_t row, index_t column, double distance);
    [[nodiscard]] double exact_median();
    [[nodiscard]] double histogram_quantile(index_t rank) const;

    bool one_set_;
    index_t nearest_limit_;
    index_t count_ = 0;
    DistanceSummary summary_;
    CompensatedSum total_;
    Buffer<double> all_;          ///< every distance, if they are few
    Buffer<std::int64_t> cells_;  ///< otherwise counts by the leading bits of the distance
};

}  // namespace mercer
