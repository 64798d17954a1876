// SPDX-License-Identifier: Apache-2.0
//
// src/search/score_statistics.cpp - the corrected resampled t-test and its interval.
#include "mercer/search/score_statistics.hpp"

#include <cmath>
#include <numeric>
#include <vector>

#include "mercer/base/distributions.hpp"

namespace mercer {

namespace {

double mean_of(std::span<const double> values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// The sample variance, with n - 1 in the denominator.
double variance_of(std::span<const double> values) {
    const double mean = mean_of(values);
    double squares = 0.0;
    for (const double value : values) {
        squares += (value - mean) * (value - mean);
    }
    return squares / static_cast<double>(values.size() - 1);
}

}  // namespace

double test_share(std::span<const Split> folds) {
    double sum = 0.0;
    for (const Split& fold : folds) {
        sum += static_cast<double>(fold.test.size()) / static_cast<double>(fold.train.size());
    }
    return sum / static_cast<double>(folds.size());
}

double standard_error(std::span<const double> scores, index_t folds) {
    return scores.size() < 2 ? kNaN : std::sqrt(variance_of(scores) / static_cast<double>(folds));
}

MeanEstimate corrected_interval(std::span<const double> scores, double share, double level) {
    MeanEstimate out;
    if (scores.size() < 2) {
        return out;
    }
    const auto count = static_cast<double>(scores.size());
    out.mean = mean_of(scores);
    out.standard_error = std::sqrt((1.0 / count + share) * variance_of(scores));
    const double half = student_bound(level, count - 1.0) * out.standard_error;
    out.lower = out.mean - half;
    out.upper = out.mean + half;
    return out;
}

PairedComparison compare_paired(std::span<const double> first, std::span<const double> second,
                                double share, double level) {
    std::vector<double> differences;
    for (std::size_t j = 0; j < first.size(); ++j) {
        differences.push_back(first[j] - second[j]);
    }
    PairedComparison out{corrected_interval(differences, share, level), kNaN};
    const MeanEstimate& mean = out.difference;
    if (mean.standard_error > 0.0) {
        out.p_value = student_two_sided(mean.mean / mean.standard_error,
                                        static_cast<double>(differences.size()) - 1.0);
    } else if (mean.standard_error == 0.0) {  // the same difference in every fold
        out.p_value = mean.mean == 0.0 ? 1.0 : 0.0;
    }
    return out;
}

}  // namespace mercer
