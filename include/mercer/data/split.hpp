// SPDX-License-Identifier: Apache-2.0
//
// mercer/data/split.hpp - seeded division of rows into training and test rows, and into folds.
#pragma once

#include <vector>

#include "mercer/data/dataset.hpp"
#include "mercer/runtime/options.hpp"

namespace mercer {

/// Row indices of the two parts, each ascending; every row is in exactly one of them.
struct Split {
    std::vector<index_t> train;
    std::vector<index_t> test;
};

/// How rows are divided in two.
struct SplitOptions {
    double test_fraction = 0.25;
    bool stratify = true;
    index_t seed = 0;

    template <typename Visitor>
    static void describe(Visitor& visitor, SplitOptions& options) {
        visitor.number("test_fraction", options.test_fraction, Range::within(0.0, 1.0),
                       "share of the rows that go to the test part");
        visitor.flag("stratify", options.stratify,
                     "keep the share of every class, when the targets are classes");
        visitor.integer("seed", options.seed, Range::non_negative(), "seed of the division");
    }
};

/// Divides the rows at random; round(test_fraction * rows) of them are test rows.
///
/// Stratified division (targets with label names only) distributes the test rows over the classes
/// by the largest remainder method, so that every class differs from its exact share by less than
/// one row.
[[nodiscard]] Split split_rows(const Dataset& data, const SplitOptions& options);

/// How rows are divided into folds.
struct FoldOptions {
    index_t folds = 5;
    bool stratify = true;
    index_t seed = 0;

    template <typename Visitor>
    static void describe(Visitor& visitor, FoldOptions& options) {
        visitor.integer("folds", options.folds, Range::at_least(2), "number of folds");
        visitor.flag("stratify", options.stratify,
                     "keep the share of every class, when the targets are classes");
        visitor.integer("seed", options.seed, Range::non_negative(), "seed of the division");
    }
};

/// One Split per fold: every row is a test row exactly once, and fold sizes differ by at most one;
/// when stratified, so do the numbers of rows of each class. Throws InvalidArgument when
/// folds > rows.
[[nodiscard]] std::vector<Split> make_folds(const Dataset& data, const FoldOptions& options);

}  // namespace mercer
