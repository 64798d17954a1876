// SPDX-License-Identifier: Apache-2.0
//
// src/compute/tile_bounds.hpp - the contract of KernelEngine::tile, checked in one place.
#pragma once

#include "mercer/base/error.hpp"
#include "mercer/compute/engine.hpp"

namespace mercer {

/// Throws InvalidArgument unless the ranges lie inside the rows, are within the tile limits and fit
/// the output.
template <typename T>
void require_tile(const PreparedRows& left, RowRange rows, const PreparedRows& right,
                  RowRange columns, const MatrixView<T>& values) {
    const auto inside = [](RowRange range, index_t size) {
        return range.begin >= 0 && range.count >= 0 && range.begin <= size - range.count;
    };
    if (!inside(rows, left.rows()) || !inside(columns, right.rows())) {
        throw InvalidArgument("tile: rows or columns outside the prepared rows");
    }
    if (rows.count > kTileRows || columns.count > kTileColumns ||
        columns.begin % kColumnAlignment != 0) {
        throw InvalidArgument("tile: larger than kTileRows x kTileColumns, or not aligned");
    }
    if (values.rows < rows.count || values.columns < columns.count ||
        values.stride < columns.count) {
        throw InvalidArgument("tile: the output is too small");
    }
}

}  // namespace mercer
