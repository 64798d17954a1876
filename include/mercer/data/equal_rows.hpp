// SPDX-License-Identifier: Apache-2.0
//
// mercer/data/equal_rows.hpp - finds the equal rows of a dataset.
#pragma once

#include <vector>

#include "mercer/base/types.hpp"

namespace mercer {

class Dataset;

/// For each row the first row with the same entries: the row itself when no earlier one is equal.
/// Stored zeros equal absent ones. Cost: two passes over the entries, and a sort of the rows.
[[nodiscard]] std::vector<index_t> first_equal_rows(const Dataset& rows);

}  // namespace mercer
