// SPDX-License-Identifier: Apache-2.0
//
// src/data/rows.hpp - walking over the stored entries of any storage.
#pragma once

#include <memory>
#include <variant>

#include "mercer/data/dataset.hpp"

namespace mercer::data {

/// Calls use(column, value) for the stored entries of row i, columns ascending.
template <typename T, typename Use>
void for_each_entry(const MatrixView<const T>& rows, index_t i, Use&& use) {
    const T* row = rows.row(i);
    for (index_t j = 0; j < rows.columns; ++j) {
        use(j, static_cast<double>(row[j]));
    }
}

template <typename Use>
void for_each_entry(const CsrView& rows, index_t i, Use&& use) {
    for (index_t k = rows.offsets[i]; k < rows.offsets[i + 1]; ++k) {
        use(rows.columns[k], rows.values[k]);
    }
}

/// Calls use(row, column, value) for all stored entries, row by row.
template <typename Use>
void for_each_entry(const Dataset& data, Use&& use) {
    std::visit(
        [&](const auto& rows) {
            for (index_t i = 0; i < data.rows(); ++i) {
                for_each_entry(rows, i, [&](index_t j, double value) { use(i, j, value); });
            }
        },
        data.storage());
}

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
