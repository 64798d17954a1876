// SPDX-License-Identifier: Apache-2.0
//
// src/report/intervals.cpp - Clopper and Pearson by quantiles of the beta distribution; bootstrap.
#include "mercer/report/intervals.hpp"

#include <algorithm>
#include <cmath>

#include "mercer/base/distributions.hpp"
#include "mercer/base/random.hpp"

namespace mercer::report {

namespace {

/// The quantile of sorted values, with linear interpolation.
double quantile(const std::vector<double>& sorted, double probability) {
    const double place = probability * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

Interval exact_interval(index_t hits, index_t rows, double level) {
    if (rows == 0) {
        return {kNaN, kNaN};
    }
    const double tail = 0.5 * (1.0 - level);
    const auto k = static_cast<double>(hits);
    const auto n = static_cast<double>(rows);
    return {hits == 0 ? 0.0 : beta_quantile(k, n - k + 1.0, tail),
            hits == rows ? 1.0 : beta_quantile(k + 1.0, n - k, 1.0 - tail)};
}

std::vector<Interval> bootstrap_intervals(index_t rows, const Measure& measure,
                                          const BootstrapOptions& options) {
    constexpr std::uint64_t kStream = 0x626f6f74;  // of its own
    Random random(options.seed, kStream);
    std::vector<index_t> counts(static_cast<std::size_t>(rows));
    std::vector<std::vector<double>> seen;
    for (index_t sample = 0; sample < options.samples && rows > 0; ++sample) {
        std::fill(counts.begin(), counts.end(), 0);
        for (index_t draw = 0; draw < rows; ++draw) {
            ++counts[static_cast<std::size_t>(random.below(rows))];
        }
        const std::vector<double> values = measure(counts);
        seen.resize(values.size());
        for (std::size_t m = 0; m < values.size(); ++m) {
            if (!std::isnan(values[m])) {
                seen[m].push_back(values[m]);
            }
        }
    }
    const double tail = 0.5 * (1.0 - options.level);
    std::vector<Interval> out;
    for (std::vector<double>& values : seen) {
        std::sort(values.begin(), values.end());
        out.push_back(values.empty()
                          ? Interval{kNaN, kNaN}
                          : Interval{quantile(values, tail), quantile(values, 1.0 - tail)});
    }
    return out;
}

}  // namespace mercer::report
