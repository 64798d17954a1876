// SPDX-License-Identifier: Apache-2.0
//
// mercer/report/intervals.hpp - how sure a measured number is.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "mercer/base/types.hpp"

namespace mercer::report {

/// The exact interval of a share of which `hits` of `rows` were seen (Clopper and Pearson, 1934):
/// each end is the share for which as much or more in its direction has a probability of
/// (1 - level) / 2. NaN without rows.
[[nodiscard]] Interval exact_interval(index_t hits, index_t rows, double level);

/// Measures of a sample whose row i counts `counts[i]` times, one number each.
using Measure = std::function<std::vector<double>(std::span<const index_t> counts)>;

/// How a bootstrap is run.
struct BootstrapOptions {
    index_t samples = 1000;
    double level = 0.95;
    std::uint64_t seed = 0;
};

/// Percentile intervals (Efron, 1979) of the measures over samples of `rows` rows, drawn with
/// replacement. A measure that is NaN in a sample is passed over there; NaN when it always is.
[[nodiscard]] std::vector<Interval> bootstrap_intervals(index_t rows, const Measure& measure,
                                                        const BootstrapOptions& options);

}  // namespace mercer::report
