// SPDX-License-Identifier: Apache-2.0
//
// mercer/data/summary.hpp - statistics of a dataset that fit on a page.
#pragma once

#include <string>
#include <vector>

#include "mercer/data/dataset.hpp"

namespace mercer {

/// One class and how many rows it has.
struct ClassCount {
    std::string name;
    index_t rows = 0;
};

/// Facts about a Dataset. Numbers that do not exist (no rows, no targets) are NaN.
struct DatasetSummary {
    index_t rows = 0;
    index_t columns = 0;
    index_t stored = 0;     ///< entries held in memory; rows * columns when dense
    index_t nonzero = 0;    ///< entries that are not 0
    double density = kNaN;  ///< nonzero / (rows * columns)
    std::string storage;    ///< float32, float64 or sparse
    double minimum = kNaN;  ///< of all entries, zeros included
    double maximum = kNaN;
    double mean = kNaN;            ///< of all entries, rows weighted by their weights
    double variance = kNaN;        ///< see value_variance()
    index_t constant_columns = 0;  ///< columns with one value in all rows
    index_t empty_rows = 0;        ///< rows without a nonzero entry

    bool has_targets = false;
    /// The classes: those of label_names, or the distinct targets when these are at most 100
    /// different integers (classes or counts; the file does not tell). Otherwise empty.
    std::vector<ClassCount> classes;
    double target_minimum = kNaN;  ///< of numeric targets, like the three below
    double target_maximum = kNaN;
    double target_mean = kNaN;
    double target_deviation = kNaN;

    /// Advice in plain sentences, such as "features look unscaled: ...".
    std::vector<std::string> hints;
};

/// Two passes over the data. Memory O(min(columns, stored)).
[[nodiscard]] DatasetSummary summarize(const Dataset& data);

/// Ratio of the largest to the smallest deviation of the columns that are not constant; 1 when
/// there are none.
[[nodiscard]] double column_spread(const Dataset& data);

/// Population variance of all entries, zeros included, each row weighted by its weight.
[[nodiscard]] double value_variance(const Dataset& data);

/// The gamma called `scale` in other packages: 1 / (columns * value_variance); 1 when that is not a
/// finite positive number (no columns, constant data).
[[nodiscard]] double scale_gamma(const Dataset& data);

}  // namespace mercer
