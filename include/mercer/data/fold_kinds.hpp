// SPDX-License-Identifier: Apache-2.0
//
// mercer/data/fold_kinds.hpp - folds of whole groups, folds in time order, repeated folds.
#pragma once

#include <span>
#include <vector>

#include "mercer/data/split.hpp"

namespace mercer {

/// Folds of whole groups: `groups` has a group number for each row, and rows of one group are never
/// on both sides. Groups are taken from the largest to the smallest, those of equal size in random
/// order, and each goes to the fold with the fewest rows so far. Throws InvalidArgument when there
/// are more folds than groups.
[[nodiscard]] std::vector<Split> make_group_folds(std::span<const index_t> groups, index_t folds,
                                                  index_t seed);

/// Folds of rows in time order: the rows are cut into folds + 1 consecutive blocks, and fold k
/// trains on the first k + 1 blocks and is tested on the next one. Block lengths differ by at most
/// one row, the longer blocks first. No row is predicted from later rows; the first block is never
/// a test block. Throws InvalidArgument when there are fewer than folds + 1 rows.
[[nodiscard]] std::vector<Split> make_time_folds(index_t rows, index_t folds);

/// Throws InvalidArgument unless every fold has training and test rows, each row occurs at most
/// once in a fold, and all row numbers are valid.
void require_folds(std::span<const Split> folds, index_t rows);

}  // namespace mercer
