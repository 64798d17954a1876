// SPDX-License-Identifier: Apache-2.0
//
// src/theory/distance_summary.cpp - extremes, mean and median of distances in one pass.
//
// Method   The bit pattern of a double >= 0 is monotone in its value, so its leading bits number
// the
//          cells of a histogram of constant relative width.
#include "mercer/theory/distance_summary.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "mercer/runtime/context.hpp"

namespace mercer {

namespace {

// 128 MiB; 5793 rows.
constexpr index_t kMostExact = index_t{1} << 24;
// The exponent and eleven bits of the fraction: cells 2^-11 wide, 32 MiB of counts.
constexpr int kFractionBits = 11;
constexpr int kDroppedBits = 52 - kFractionBits;
constexpr index_t kCells = index_t{1} << (11 + kFractionBits);

bool closer(const RowPair& a, const RowPair& b) { return a.distance < b.distance; }

}  // namespace

DistanceCollector::DistanceCollector(bool one_set, index_t pairs, index_t nearest, Context& context)
    : one_set_(one_set), nearest_limit_(nearest) {
    if (pairs <= kMostExact) {
        all_ = context.allocate<double>(pairs, "the distances", Contents::any);
    } else {
        cells_ = context.allocate<std::int64_t>(kCells, "a histogram of distances");
        summary_.median_error = std::ldexp(1.0, -kFractionBits - 1);
    }
}

void DistanceCollector::add_rows(index_t begin, MatrixView<const double> values) {
    for (index_t i = 0; i < values.rows; ++i) {
        for (index_t j = one_set_ ? begin + i + 1 : 0; j < values.columns; ++j) {
            add(begin + i, j, values(i, j));
        }
    }
}

void DistanceCollector::add(index_t row, index_t column, double distance) {
    if (cells_.empty()) {
        all_[count_] = distance;
    } else {
        ++cells_[static_cast<index_t>(std::bit_cast<std::uint64_t>(distance) >> kDroppedBits)];
    }
    ++count_;
    total_.add(distance);
    summary_.least = std::fmin(summary_.least, distance);
    summary_.greatest = std::fmax(summary_.greatest, distance);
    summary_.zero += distance == 0.0 ? 1 : 0;
    std::vector<RowPair>& nearest = summary_.nearest;
    const RowPair pair{row, column, distance};
    const bool full = static_cast<index_t>(nearest.size()) == nearest_limit_;
    if (full && (nearest.empty() || !closer(pair, nearest.back()))) {
        return;
    }
    if (full) {
        nearest.pop_back();
    }
    nearest.insert(std::upper_bound(nearest.begin(), nearest.end(), pair, closer), pair);
}

double DistanceCollector::exact_median() {
    double* begin = all_.data();
    double* middle = begin + count_ / 2;
    std::nth_element(begin, middle, begin + count_);
    if (count_ % 2 == 1) {
        return *middle;
    }
    return *middle - 0.5 * (*middle - *std::max_element(begin, middle));
}

double DistanceCollector::histogram_quantile(index_t rank) const {
    index_t cell = 0;
    for (index_t below = cells_[0]; below <= rank; below += cells_[cell]) {
        ++cell;
    }
    const auto edge = [](index_t c) {
        return std::bit_cast<double>(static_cast<std::uint64_t>(c) << kDroppedBits);
    };
    return cell == 0 ? 0.0 : 0.5 * edge(cell) + 0.5 * edge(cell + 1);
}

DistanceSummary DistanceCollector::summary() {
    summary_.pairs = count_;
    if (count_ == 0) {
        return summary_;
    }
    summary_.mean = total_.value() / static_cast<double>(count_);
    summary_.median = cells_.empty() ? exact_median() : histogram_quantile(count_ / 2);
    return summary_;
}

}  // namespace mercer
