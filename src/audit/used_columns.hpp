// SPDX-License-Identifier: Apache-2.0
//
// src/audit/used_columns.hpp - wide sparse rows, restricted to the columns that are used.
//
// Verification writes rows out in full. A row with a column index of two thousand million would
// take gigabytes, although the kernel depends on a handful of columns.
#pragma once

#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/data/dataset.hpp"

namespace mercer {

/// The columns with a stored entry, ascending.
[[nodiscard]] std::vector<index_t> used_columns(const CsrView& rows);

/// The rows with column used[j] renumbered as j; throws InvalidArgument if an entry is in another
/// column. Values are shared with `rows`, which must outlive the result.
[[nodiscard]] Dataset renamed_columns(const CsrView& rows, const std::vector<index_t>& used);

}  // namespace mercer
