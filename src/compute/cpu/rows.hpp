// SPDX-License-Identifier: Apache-2.0
//
// src/compute/cpu/rows.hpp - rows in the layout of tiles: panels or sparse, norms, row quantities.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "compute/cpu/plan.hpp"
#include "compute/cpu/product.hpp"
#include "mercer/compute/engine.hpp"
#include "mercer/data/dataset.hpp"
#include "mercer/runtime/memory.hpp"

namespace mercer::cpu {

/// The stored rows of one source.
template <typename T>
struct SourceRows {
    index_t rows = 0;
    index_t width = 0;
    bool sparse = false;
    Buffer<T> panels;
    Buffer<index_t>
        offsets;  ///< of the entries: all of sparse rows, the nonzero ones of dense rows
    Buffer<std::int32_t> columns;  ///< that have many zeros, and none otherwise
    Buffer<T> values;
    index_t frequent = 0;  ///< sparse: width of the panels
    Buffer<index_t> index_blocks;
    Buffer<std::int32_t> index_columns;
    Buffer<index_t> index_starts;
    Buffer<std::uint16_t> index_rows;
    Buffer<T> index_values;
    Buffer<T> norms;  ///< squared norms, padded to whole panels

    [[nodiscard]] DensePanels<T> dense() const {
        return {panels.data(), width, offsets.data(), columns.data(), values.data()};
    }
    [[nodiscard]] SparseRows<T> sparse_rows() const {
        return {offsets.data(),
                columns.data(),
                values.data(),
                rows,
                width,
                {panels.data(), frequent, nullptr, nullptr, nullptr},
                index_blocks.data(),
                index_columns.data(),
                index_starts.data(),
                index_rows.data(),
                index_values.data()};
    }
};

template <typename T>
class CpuRows final : public PreparedRows {
public:
    [[nodiscard]] index_t rows() const noexcept override { return row_count; }

    index_t row_count = 0;
    std::vector<SourceRows<T>> sources;
    std::vector<Buffer<T>> row_quantities;  ///< padded; empty where a source's norms are used
    Dataset original;                       ///< only for lookup and custom kernels
    std::vector<index_t> ids;               ///< row numbers in `original`; empty: 0, 1, 2, ...

    [[nodiscard]] index_t id(index_t row) const {
        return ids.empty() ? row : ids[static_cast<std::size_t>(row)];
    }
};

/// Lays rows out according to the plan.
template <typename T>
[[nodiscard]] std::unique_ptr<CpuRows<T>> lay_out(const Plan& plan, const Kernel& kernel,
                                                  const Dataset& rows, Context& context);

/// A prepared set of the chosen rows.
template <typename T>
[[nodiscard]] std::unique_ptr<CpuRows<T>> gather(const CpuRows<T>& rows,
                                                 std::span<const index_t> chosen, TileSide side,
                                                 Context& context);

}  // namespace mercer::cpu
