// SPDX-License-Identifier: Apache-2.0
//
// src/data/rows.hpp - rows that a reader or a scaling makes.
#pragma once

#include <memory>

#include "mercer/data/dataset.hpp"
#include "mercer/data/entries.hpp"

namespace mercer::data {

enum class Columns { listed, gapless };

/// How rows made from these, entry by entry, have their columns.
inline Columns columns_of(const CsrView& rows) {
    return rows.gapless() ? Columns::gapless : Columns::listed;
}

/// Sparse rows in memory of their own.
struct OwnedCsr {
    Buffer<index_t> offsets;
    Buffer<index_t> indices;  ///< empty when the rows are gapless
    Buffer<double> values;

    OwnedCsr(const std::shared_ptr<MemoryBudget>& budget, index_t rows, index_t stored,
             std::string_view what, Columns columns = Columns::listed)
        : offsets(budget, rows + 1, what),
          indices(budget, columns == Columns::listed ? stored : 0, what),
          values(budget, stored, what) {}

    [[nodiscard]] CsrView view(index_t column_count) const {
        return {offsets.span(), indices.span(), values.span(), column_count};
    }
};

}  // namespace mercer::data
