// SPDX-License-Identifier: Apache-2.0
//
// mercer/report/intervals.hpp - confidence intervals of measured numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "mercer/base/types.hpp"

namespace mercer::report {

/// The exact interval of a proportion after `hits` of `rows` (Clopper and Pearson, 1934): each end
/// is the proportion for which the observed count, or one farther in that direction, has
/// probability (1 - level) / 2. NaN without rows.
[[nodiscard]] Interval exact_interval(index_t hits, index_t rows, double level);

/// Measures of a sample in which row i occurs `counts[i]` times, one number each.
using Measure = std::function<std::vector<double>(std::span<const index_t> counts)>;

/// How a bootstrap is run.
struct BootstrapOptions {
    index_t samples = 1000;
    double level = 0.95;
    std::uint64_t seed = 0;
};

/// Percentile intervals (Efron, 1979) of the measures over samples of `rows` rows, drawn with
/// replacement. Samples in which a measure is NaN are skipped; NaN if it is NaN in all of them.
[[nodiscard]] std::vector<Interval> bootstrap_intervals(index_t rows, const Measure& measure,
                                                        const BootstrapOptions& options);

}  // namespace mercer::report
