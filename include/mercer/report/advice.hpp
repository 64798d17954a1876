// SPDX-License-Identifier: Apache-2.0
//
// mercer/report/advice.hpp - what is worth knowing of rows before a machine is trained on them.
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

/// One thing to know, and the command that acts on it.
struct Advice {
    std::string topic;  ///< a word: "scale", "constant", "duplicate", "target", "near-duplicates",
                        ///< "imbalance", "classes", "outliers", "kernel"
    std::string words;
    std::string command;  ///< empty: none acts on it
};

/// Widths of an rbf kernel and costs to try. NaN: there are not two different rows.
struct SuggestedHyperparameters {
    bool scaled = false;         ///< for columns that are scaled first
    double median_gamma = kNaN;  ///< 1 / (2 median |x - z|^2)
    std::array<double, 3> sigest{kNaN, kNaN,
                                 kNaN};  ///< 1 / the 90, 50 and 10 % points of |x - z|^2
    double least_cost = kNaN;
    double greatest_cost = kNaN;
};

/// What a statistician would look for. Rows and columns count from 0.
struct DataAdvice {
    double column_spread = 1.0;  ///< of the deviations, greatest over least
    std::vector<index_t> constant_columns;
    std::vector<std::pair<index_t, index_t>> duplicate_columns;  ///< each with the first like it;
                                                                 ///< sparse: of 5 entries or more
    std::vector<index_t> target_columns;  ///< equal to the target but for a factor and a constant
    index_t near_duplicates = 0;          ///< rows with a near-duplicate of another class
    double accuracy_bound =
        kNaN;                   ///< what no function that cannot tell near-duplicates apart exceeds
    double imbalance = kNaN;    ///< rows of the commonest class over those of the rarest
    index_t searched_rows = 0;  ///< in which outliers were looked for
    std::vector<index_t> outliers;
    SuggestedHyperparameters suggested;
    std::vector<Advice> advice;
};

/// How the commands call the file and its columns.
struct AdviceNames {
    std::string file = "DATA";
    index_t first_column = 0;  ///< number of the first column in that format
};

/// Near-duplicates are rows that are equal when every column is rounded to a millionth of its
/// deviation. An outlier's mean kernel value with other rows is less than a twentieth of the median
/// one, for rbf with `median_gamma`. Distances are those of at most 500 rows, outliers are looked
/// for among at most 20,000, both drawn by the context's seed. Columns are scaled first when their
/// deviations differ by more than a factor of 100.
[[nodiscard]] DataAdvice advise(const Dataset& data, const DatasetSummary& summary,
                                const AdviceNames& names, Context& context);

}  // namespace mercer
