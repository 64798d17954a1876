// SPDX-License-Identifier: Apache-2.0
//
// src/data/rows.hpp - rows that a reader or a scaling creates.
#pragma once

#include <algorithm>
#include <memory>
#include <span>

#include "mercer/data/dataset.hpp"
#include "mercer/data/entries.hpp"

namespace mercer::data {

/// Sparse rows that own their memory.
struct OwnedCsr {
    Buffer<index_t> offsets;
    Buffer<index_t> indices;
    Buffer<double> values;
    Buffer<index_t> lists;  ///< empty when all rows have a list, or none

    /// Memory for rows with `stored` entries, of which `listed` belong to rows that have a list.
    OwnedCsr(const std::shared_ptr<MemoryBudget>& budget, index_t rows, index_t stored,
             index_t listed, std::string_view what)
        : offsets(budget, rows + 1, what),
          indices(budget, listed, what),
          values(budget, stored, what),
          lists(budget, listed > 0 && listed < stored ? rows + 1 : 0, what) {}

    /// Adds the next row: its values, and its columns unless it has no gap.
    void add(std::span<const double> row, IndexList list) {
        std::copy(row.begin(), row.end(), values.data() + offsets[filled_]);
        list.visit([&](auto columns) {
            std::copy(columns.begin(), columns.end(), indices.data() + listed_);
        });
        listed_ += static_cast<index_t>(list.size());
        offsets[filled_ + 1] = offsets[filled_] + static_cast<index_t>(row.size());
        ++filled_;
        if (!lists.empty()) {
            lists[filled_] = listed_;
        }
    }

    [[nodiscard]] CsrView view(index_t column_count) const {
        return {offsets.span(), indices.span(), values.span(), column_count, lists.span()};
    }

private:
    index_t filled_ = 0;
    index_t listed_ = 0;
};

}  // namespace mercer::data
