// SPDX-License-Identifier: Apache-2.0
//
// mercer/data/entries.hpp - loops over the stored entries of any storage.
#pragma once

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
    const index_t begin = rows.offsets[i];
    const index_t end = rows.offsets[i + 1];
    const IndexList list = rows.list(i);
    if (list.empty()) {
        for (index_t k = begin; k < end; ++k) {
            use(k - begin, rows.values[k]);
        }
        return;
    }
    list.visit([&](auto columns) {
        for (index_t k = begin; k < end; ++k) {
            use(index_t{columns[static_cast<std::size_t>(k - begin)]}, rows.values[k]);
        }
    });
}

/// Calls use(row, column, value) for all stored entries, row by row.
template <typename Use>
void for_each_entry(const Dataset& data, Use&& use) {
    std::visit(
        [&](const auto& rows) {
            for (index_t i = 0; i < data.rows(); ++i) {
                for_each_entry(rows, data.source_row(i),
                               [&](index_t j, double value) { use(i, j, value); });
            }
        },
        data.source());
}

}  // namespace mercer::data
