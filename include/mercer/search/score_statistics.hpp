// SPDX-License-Identifier: Apache-2.0
//
// mercer/search/score_statistics.hpp - confidence intervals and comparisons of fold scores.
//
// Folds share training rows, so their scores are not independent and the variance of their mean is
// larger than for independent scores. Nadeau and Bengio (Machine Learning 52, 2003) replace 1/J by
// (1/J + test rows / training rows); Student's distribution has J - 1 degrees of freedom.
#pragma once

#include <span>

#include "mercer/base/types.hpp"
#include "mercer/data/split.hpp"
#include "mercer/search/select.hpp"

namespace mercer {

/// Held-out rows per training row: the mean over the folds.
[[nodiscard]] double test_share(std::span<const Split> folds);

/// The standard deviation of the scores divided by the square root of the folds of one division:
/// repeated divisions of the same rows add no information. NaN for fewer than two scores.
[[nodiscard]] double standard_error(std::span<const double> scores, index_t folds);

/// The corrected resampled interval of the mean score. NaN for fewer than two scores.
[[nodiscard]] MeanEstimate corrected_interval(std::span<const double> scores, double share,
                                              double level = 0.95);

/// The corrected resampled t-test.
[[nodiscard]] PairedComparison compare_paired(std::span<const double> first,
                                              std::span<const double> second, double share,
                                              double level = 0.95);

}  // namespace mercer
