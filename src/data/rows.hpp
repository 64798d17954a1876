// SPDX-License-Identifier: Apache-2.0
//
// src/data/rows.hpp - rows that a reader or a scaling makes.
#pragma once

#include <memory>

#include "mercer/data/dataset.hpp"
#include "mercer/data/entries.hpp"

namespace mercer::data {

/// Sparse rows in memory of their own.
struct OwnedCsr {
    Buffer<index_t> offsets;
    Buffer<index_t> columns;
    Buffer<double> values;

    OwnedCsr(const std::shared_ptr<MemoryBudget>& budget, index_t rows, index_t stored,
             std::string_view what)
        : offsets(budget, rows + 1, what),
          columns(budget, stored, what),
          values(budget, stored, what) {}

    [[nodiscard]] CsrView view(index_t column_count) const {
        return {offsets.span(), columns.span(), values.span(), column_count};
    }
};

}  // namespace mercer::data
