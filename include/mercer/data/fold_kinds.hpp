// SPDX-License-Identifier: Apache-2.0
//
// mercer/data/fold_kinds.hpp - folds of whole groups, folds in the order of time, folds dealt again.
#pragma once

#include <span>
#include <vector>

#include "mercer/data/split.hpp"

namespace mercer {

/// Folds of whole groups: `groups` has a number for each row, and rows of the same one are never on
/// both sides. Groups are taken from the largest to the smallest, equal ones in a random order, and
/// each goes to the fold with the fewest rows so far. Throws InvalidArgument when there are more
/// folds than groups.
[[nodiscard]] std::vector<Split> make_group_folds(std::span<const index_t> groups, index_t folds,
                                                  index_t seed);

/// Folds of rows that stand in the order of time: the rows are cut into folds + 1 stretches, and
/// fold k trains on the first k + 1 and is judged by the next. Stretches differ by at most one row,
/// the longer ones first. No row is judged by one that comes later; the first stretch is not judged
/// at all. Throws InvalidArgument when there are fewer than folds + 1 rows.
[[nodiscard]] std::vector<Split> make_time_folds(index_t rows, index_t folds);

/// Throws InvalidArgument unless every fold has training and test rows, each row at most once in one
/// of them, numbered within the data.
void require_folds(std::span<const Split> folds, index_t rows);

}  // namespace mercer
