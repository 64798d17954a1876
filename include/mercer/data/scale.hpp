// SPDX-License-Identifier: Apache-2.0
//
// mercer/data/scale.hpp - scaling of columns, learned from training rows and applied to later rows.
#pragma once

#include <string>
#include <vector>

#include "mercer/data/dataset.hpp"
#include "mercer/runtime/options.hpp"

namespace mercer {

/// How columns are scaled.
struct ScaleOptions {
    std::string method = "standard";
    double lower = 0.0;
    double upper = 1.0;

    template <typename Visitor>
    static void describe(Visitor& visitor, ScaleOptions& options) {
        visitor.choice("method", options.method, {"none", "standard", "minmax"},
                       "standard: mean 0 and variance 1; minmax: least entry to lower, greatest "
                       "to upper");
        visitor.number("lower", options.lower, Range::any(), "value the least entry maps to");
        visitor.number("upper", options.upper, Range::any(), "value the greatest entry maps to");
    }
};

/// The map  x -> (x - offset) * factor + base,  column by column, learned from training rows.
///
/// A column that is constant in the training rows has factor 0: it carries no information, and a
/// later row that differs there must not be moved by an unscaled amount. The members are plain, so
/// that a model file can store them.
struct Scaling {
    std::string method = "none";
    index_t column_count = 0;
    /// Ascending indices of the columns that the two arrays below describe; empty: all, in order.
    /// Wide sparse rows list only the columns that occur; the others have offset 0 and factor 0.
    std::vector<index_t> columns;
    std::vector<double> offset;
    std::vector<double> factor;
    double base = 0.0;

    /// Learns the map from `data`. Weights are ignored; `standard` divides by the population
    /// deviation.
    ///
    /// Sparse rows: absent entries count as zeros. `standard` does not centre them (offset 0, as
    /// scikit-learn's with_mean=False), so they stay sparse. Throws InvalidArgument for bad
    /// options (lower >= upper) and when there are no rows.
    [[nodiscard]] static Scaling fit(const Dataset& data, const ScaleOptions& options);

    /// The scaled rows, in the storage and precision of `data`; allocated from data.budget().
    ///
    /// Sparse rows stay sparse when every column maps 0 to 0; otherwise (minmax with a column whose
    /// zeros move) they become dense. Sparse rows may be narrower (missing columns are zeros) or
    /// wider (columns never seen in training are dropped); dense rows must have column_count
    /// columns, otherwise InvalidArgument is thrown. With `none` the dataset is returned unchanged.
    [[nodiscard]] Dataset apply(const Dataset& data) const;

    /// True when apply() keeps absent entries absent.
    [[nodiscard]] bool keeps_zeros() const noexcept;
};

}  // namespace mercer
