// SPDX-License-Identifier: Apache-2.0
//
// src/compute/cpu/product.hpp - stage one of a tile: pair quantities of packed rows.
//
// Every entry is accumulated by one accumulator over ascending columns, x and z combined by the
// same fused operation on every path. Hence the bits of an entry depend on its two rows alone, not
// on the tile or the register blocking. Sparse rows add frequent columns first; apart from that
// order, which changes at most the last digit, zeros add nothing and storage does not matter.
#pragma once

#include <cstdint>
#include <vector>

#include "compute/program.hpp"
#include "mercer/base/types.hpp"
#include "mercer/runtime/memory.hpp"

namespace mercer::cpu {

/// Rows per panel: 128 bytes, two AVX-512 registers or four of AVX2.
template <typename T>
inline constexpr index_t kPanelWidth = 128 / static_cast<index_t>(sizeof(T));

/// Dense rows in panels: entry (row r, column k) is
/// panels[(r / W * width + k) * W + r % W]. Rows past the end are zero.
///
/// Rows that are mostly zero also have their nonzero entries listed, columns ascending. A dot
/// product that skips zero entries of the left row has the same bits: it adds in the same order,
/// and adding 0 * z changes nothing for finite z.
template <typename T>
struct DensePanels {
    const T* panels = nullptr;
    index_t width = 0;
    const index_t* offsets = nullptr;  ///< null: no lists
    const std::int32_t* columns = nullptr;
    const T* values = nullptr;

    [[nodiscard]] const T* panel(index_t p) const { return panels + p * width * kPanelWidth<T>; }
};

/// Right rows per block of the column index below; a tile's columns span at most two blocks.
inline constexpr index_t kIndexBlock = 512;

/// Sparse rows. Columns are renumbered 0 .. width-1, frequent ones first, and ascend within a row;
/// a number >= width belongs to a column that no reference row has, and comes last.
///
/// Dot products use dense panels for the first `frequent` columns, which suit SIMD, and an index by
/// column for the rest, which touches only the columns that two rows share.
template <typename T>
struct SparseRows {
    const index_t* offsets = nullptr;
    const std::int32_t* columns = nullptr;
    const T* values = nullptr;
    index_t rows = 0;
    index_t width = 0;

    DensePanels<T> frequent;  ///< of width 0 when no column is frequent
    /// Block k of kIndexBlock rows has the columns index_columns[index_blocks[k] ..
    /// index_blocks[k+1]), ascending; column c of them the entries index_starts[c] ..
    /// index_starts[c+1]), rows ascending, counted from the block's first.
    const index_t* index_blocks = nullptr;
    const std::int32_t* index_columns = nullptr;
    const index_t* index_starts = nullptr;
    const std::uint16_t* index_rows = nullptr;
    const T* index_values = nullptr;
};

/// out[r * stride + j] for `rows` left rows from `begin` and the right rows of `panel_count`
/// panels.
template <typename T>
struct ProductTile {
    index_t row_begin = 0;
    index_t row_count = 0;
    index_t panel_begin = 0;
    index_t panel_count = 0;
    T* out = nullptr;
    index_t stride = 0;
};

/// Working memory of the sparse product: a panel's rows expanded over the union of their columns.
template <typename T>
struct SparseScratch {
    std::shared_ptr<MemoryBudget> budget;
    Buffer<std::int32_t> slot_of_column;  ///< -1: column absent from the panel
    std::vector<std::int32_t> slot_columns;
    Buffer<T> block;   ///< slots x W
    Buffer<T> packed;  ///< left rows of the frequent columns
};

/// `packed` holds at least row_count * width entries.
void dense_product(PairOp op, const DensePanels<float>& left, const DensePanels<float>& right,
                   const ProductTile<float>& tile, float* packed);
void dense_product(PairOp op, const DensePanels<double>& left, const DensePanels<double>& right,
                   const ProductTile<double>& tile, double* packed);

void sparse_product(PairOp op, const SparseRows<float>& left, const SparseRows<float>& right,
                    const ProductTile<float>& tile, SparseScratch<float>& scratch);
void sparse_product(PairOp op, const SparseRows<double>& left, const SparseRows<double>& right,
                    const ProductTile<double>& tile, SparseScratch<double>& scratch);

/// Squared norms with the bits of dot(x, x), so that |x|^2 + |x|^2 - 2 x.x is exactly zero.
void dense_norms(const DensePanels<float>& rows, index_t panel_count, float* out);
void dense_norms(const DensePanels<double>& rows, index_t panel_count, double* out);
void sparse_norms(const SparseRows<float>& rows, float* out);
void sparse_norms(const SparseRows<double>& rows, double* out);

}  // namespace mercer::cpu
