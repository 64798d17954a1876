// SPDX-License-Identifier: Apache-2.0
//
// mercer/report/advice.hpp - findings about data that matter before a machine is trained on them.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/data/dataset.hpp"
#include "mercer/data/summary.hpp"

namespace mercer {

class Context;

/// A finding, and the command that acts on it.
struct Advice {
    std::string topic;  ///< a word: "scale", "constant", "duplicate", "target", "near-duplicates",
                        ///< "imbalance", "classes", "outliers", "kernel"
    std::string words;
    std::string command;  ///< empty: no command acts on it
};

/// Widths of an rbf kernel and costs to try. NaN: fewer than two distinct rows.
struct SuggestedHyperparameters {
    bool scaled = false;         ///< the columns are scaled first
    double median_gamma = kNaN;  ///< 1 / (2 median |x - z|^2)
    std::array<double, 3> sigest{kNaN, kNaN,
                                 kNaN};  ///< 1 / the 90, 50 and 10 % points of |x - z|^2
    double least_cost = kNaN;
    double greatest_cost = kNaN;
};

/// The usual checks of a statistician. Rows and columns count from 0.
struct DataAdvice {
    double column_spread = 1.0;  ///< largest over smallest standard deviation
    std::vector<index_t> constant_columns;
    std::vector<std::pair<index_t, index_t>> duplicate_columns;  ///< each with the first equal one;
                                                                 ///< sparse columns only with 5
                                                                 ///< entries or more
    std::vector<index_t> target_columns;  ///< an affine function of the target
    index_t near_duplicates = 0;          ///< rows with a near-duplicate of another class
    double accuracy_bound = kNaN;         ///< the best possible accuracy if near-duplicates are
                                          ///< indistinguishable
    double imbalance = kNaN;              ///< rows of the largest class over those of the smallest
    index_t searched_rows = 0;            ///< rows that were checked for outliers
    std::vector<index_t> outliers;
    SuggestedHyperparameters suggested;
    std::vector<Advice> advice;
};

/// How the commands refer to the file and its columns.
struct AdviceNames {
    std::string file = "DATA";
    index_t first_column = 0;  ///< number of the first column in that format
};

/// Near-duplicates are rows that are equal if every column is rounded to a millionth of its
/// standard deviation. An outlier's mean kernel value with other rows is less than a twentieth of
/// the median, for rbf with `median_gamma`. Distances use at most 500 rows, the search for outliers
/// at most 20,000, both drawn by the context's seed. Columns are scaled first if their standard
/// deviations differ by more than a factor of 100.
[[nodiscard]] DataAdvice advise(const Dataset& data, const DatasetSummary& summary,
                                const AdviceNames& names, Context& context);

}  // namespace mercer
