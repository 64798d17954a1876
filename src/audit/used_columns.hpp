// SPDX-License-Identifier: Apache-2.0
//
// src/audit/used_columns.hpp - wide sparse rows over the columns that are used at all.
//
// Verification writes rows out in full. Text with an index of two thousand million would take
// gigabytes a row, though the kernel sees a handful of columns.
#pragma once

#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/data/dataset.hpp"

namespace mercer {

/// The columns with a stored entry, ascending.
[[nodiscard]] std::vector<index_t> used_columns(const CsrView& rows);

/// The rows with column used[j] renamed j; entries elsewhere keep the rows from being renamed and
/// give InvalidArgument. Values are shared with `rows`, which must outlive the result.
[[nodiscard]] Dataset renamed_columns(const CsrView& rows, const std::vector<index_t>& used);

}  // namespace mercer
