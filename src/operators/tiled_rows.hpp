// SPDX-License-Identifier: Apache-2.0
//
// src/operators/tiled_rows.hpp - rows of K for coordinate solvers, as tiles of a kernel engine.
//
// A row has the same bits whether it is computed alone or in a block, whole or restricted to the
// active columns.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "mercer/compute/engine.hpp"
#include "mercer/operators/gram_operator.hpp"
#include "mercer/runtime/memory.hpp"
#include "operators/compiled_rows.hpp"

namespace mercer {

class TiledRows final : public GramRows {
public:
    TiledRows(std::shared_ptr<const CompiledRows> compiled, std::span<const index_t> places,
              Precision precision, Context& context);

    [[nodiscard]] index_t size() const noexcept override { return all_->rows(); }
    [[nodiscard]] std::span<const double> diagonal() const noexcept override { return diagonal_; }
    void set_columns(std::span<const index_t> columns, Context& context) override;
    void set_all_columns() noexcept override { right_.reset(); }
    index_t fill(std::span<const index_t> wanted, index_t first, index_t end,
                 std::span<float* const> targets, Context& context) override;
    void block(std::span<const index_t> left, std::span<const index_t> right,
               MatrixView<float> values, Context& context) override;

private:
    /// A part whose rows start at row `begin`.
    struct Part {
        std::shared_ptr<PartRows> rows;
        index_t begin = 0;
    };

    struct Scratch {
        std::unique_ptr<TileScratch> engine;
        Buffer<float> tile;
        Buffer<double> wide;  ///< only for an engine in double
    };

    void find_parts(std::span<const index_t> places);
    [[nodiscard]] std::shared_ptr<const PreparedRows> selected(std::span<const index_t> list,
                                                               Context& context) const;
    void make_scratch(Context& context);
    void fill_tile(const PreparedRows& left, RowRange rows, const PreparedRows& right,
                   RowRange columns, MatrixView<float> out, Scratch& own) const;
    index_t fill_from_parts(std::span<const index_t> wanted, std::span<float* const> targets,
                            Context& context);
    index_t fill_by_tiles(std::span<const index_t> wanted, index_t first, index_t end,
                          std::span<float* const> targets, Context& context);

    std::shared_ptr<const CompiledRows> compiled_;
    std::shared_ptr<const KernelEngine> engine_;
    std::shared_ptr<const PreparedRows> all_;
    std::unique_ptr<PreparedRows> right_;  ///< the active columns; null: all
    std::array<Part, 2> parts_;            ///< that make up the rows; null: not known
    std::vector<double> diagonal_;
    std::vector<Scratch> scratch_;
};

}  // namespace mercer
