// SPDX-License-Identifier: Apache-2.0
//
// src/report/curves.cpp - ROC, precision and recall, calibration, histograms, and thinning.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "mercer/report/intervals.hpp"
#include "mercer/runtime/context.hpp"
#include "report/gathering.hpp"

namespace mercer::report {

namespace {

constexpr std::size_t kCurvePoints = 250;

double share(double part, double whole) { return whole > 0.0 ? part / whole : kNaN; }

}  // namespace

std::vector<index_t> some_of(index_t count, index_t most, Context& context) {
    constexpr std::uint64_t kStream = 0x736f6d65;
    std::vector<index_t> out(static_cast<std::size_t>(std::min(count, most)));
    if (count <= most) {
        std::iota(out.begin(), out.end(), index_t{0});
        return out;
    }
    // One number from each of `most` intervals of equal length.
    Random random = context.random(kStream);
    for (index_t k = 0; k < most; ++k) {
        const index_t begin = k * count / most;
        const index_t end = (k + 1) * count / most;
        out[static_cast<std::size_t>(k)] = begin + random.below(end - begin);
    }
    return out;
}

std::vector<std::pair<double, double>> thinned(const std::vector<std::pair<double, double>>& curve,
                                               std::size_t most) {
    if (curve.size() <= most) {
        return curve;
    }
    std::vector<double> length{0.0};
    for (std::size_t k = 1; k < curve.size(); ++k) {
        length.push_back(length.back() + std::hypot(curve[k].first - curve[k - 1].first,
                                                    curve[k].second - curve[k - 1].second));
    }
    std::vector<std::pair<double, double>> out;
    const double step = length.back() / static_cast<double>(most - 1);
    for (std::size_t k = 0; k < curve.size(); ++k) {
        if (out.empty() || k + 1 == curve.size() ||
            length[k] >= step * static_cast<double>(out.size())) {
            out.push_back(curve[k]);
        }
    }
    return out;
}

ReportHistogram histogram_of(const std::vector<double>& values,
                             const std::vector<std::string>& classes, int bins) {
    ReportHistogram out;
    std::vector<double> sorted;
    std::copy_if(values.begin(), values.end(), std::back_inserter(sorted),
                 [](double value) { return std::isfinite(value); });
    if (sorted.empty()) {
        return out;
    }
    std::sort(sorted.begin(), sorted.end());
    const auto at = [&](double probability) {
        return sorted[static_cast<std::size_t>(probability *
                                               static_cast<double>(sorted.size() - 1))];
    };
    const double low = at(0.001);
    const double high = std::max(at(0.999), low);
    // Round widths, with 0 on a boundary between two bins.
    const double rough = std::max((high - low) / bins, 1e-12 * std::max(1.0, std::abs(high)));
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    out.width = rough <= 2.0 * power   ? 2.0 * power
                : rough <= 5.0 * power ? 5.0 * power
                                       : 10 * power;
    out.low = std::floor(low / out.width) * out.width;
    const auto count = static_cast<index_t>(std::floor((high - out.low) / out.width)) + 1;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (std::isfinite(values[i])) {
            std::vector<index_t>& own = out.counts[classes.empty() ? "" : classes[i]];
            own.resize(static_cast<std::size_t>(count), 0);
            const auto bin = static_cast<index_t>(std::floor((values[i] - out.low) / out.width));
            ++own[static_cast<std::size_t>(std::clamp<index_t>(bin, 0, count - 1))];
        }
    }
    return out;
}

ClassCurve class_curve(const std::vector<double>& scores, const std::vector<bool>& truth) {
    ClassCurve out;
    std::vector<std::size_t> order(scores.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
    out.positives = std::count(truth.begin(), truth.end(), true);
    const auto positives = static_cast<double>(out.positives);
    const double negatives = static_cast<double>(scores.size()) - positives;
    std::vector<std::pair<double, double>> roc{{0.0, 0.0}};
    std::vector<std::pair<double, double>> recall;
    double found = 0.0;
    double wrong = 0.0;
    double area = 0.0;
    double precision_sum = 0.0;
    for (std::size_t begin = 0; begin < order.size();) {
        const double found_before = found;
        const double wrong_before = wrong;
        std::size_t end = begin;
        for (; end < order.size() && scores[order[end]] == scores[order[begin]]; ++end) {
            (truth[order[end]] ? found : wrong) += 1.0;
        }
        area += (wrong - wrong_before) * 0.5 * (found + found_before);
        precision_sum += (found - found_before) * found / (found + wrong);
        roc.emplace_back(share(wrong, negatives), share(found, positives));
        recall.emplace_back(share(found, positives), found / (found + wrong));
        begin = end;
    }
    out.auc = share(area, positives * negatives);
    out.average_precision = share(precision_sum, positives);
    if (positives > 0.0 && negatives > 0.0) {
        out.roc = thinned(roc, kCurvePoints);
        out.recall = thinned(recall, kCurvePoints);
    }
    return out;
}

std::vector<CalibrationBin> calibration_of(const std::vector<double>& probabilities,
                                           const std::vector<bool>& truth, double level) {
    constexpr int kBins = 10;
    struct Sums {
        double predicted = 0.0;
        index_t hits = 0;
        index_t rows = 0;
    };
    std::array<Sums, kBins> sums{};
    for (std::size_t i = 0; i < probabilities.size(); ++i) {
        int bin = 0;
        while (bin + 1 < kBins && 0.1 * (bin + 1) < probabilities[i]) {
            ++bin;
        }
        Sums& own = sums[static_cast<std::size_t>(bin)];
        own.predicted += probabilities[i];
        own.hits += truth[i] ? 1 : 0;
        ++own.rows;
    }
    std::vector<CalibrationBin> out;
    for (const Sums& own : sums) {
        if (own.rows > 0) {
            const auto rows = static_cast<double>(own.rows);
            const Interval interval = exact_interval(own.hits, own.rows, level);
            out.push_back({own.predicted / rows, static_cast<double>(own.hits) / rows,
                           interval.lower, interval.upper, own.rows});
        }
    }
    return out;
}

}  // namespace mercer::report
