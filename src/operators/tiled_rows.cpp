// SPDX-License-Identifier: Apache-2.0
//
// src/operators/tiled_rows.cpp - missing rows as one block; rows that others retained are copied.
#include "operators/tiled_rows.hpp"

#include <algorithm>
#include <cstring>

#include "mercer/base/checked.hpp"
#include "mercer/compute/primitives.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/parallel.hpp"

namespace mercer {

namespace {

// Rows computed together that take more bytes than this are written past the CPU caches. CPU
// seconds of a whole fit, never / from 24 MiB on / from 2 or 8 on: SUSY 2.2 / 1.8 / 1.6,
// covtype 4.4 / 4.0 / 3.4, a9a 3.7 / 3.1 / 3.0, cod-rna 1.7 / 1.5 / 1.3, ijcnn1 1.81 / 1.81 / 1.73;
// mnist and a mixture of 500 columns, whose rows cost more than their copy, the same.
constexpr index_t kStreamBytes = index_t{4} << 20;

/// Fills the tiles above the diagonal from those below, block by block.
void mirror_lower(MatrixView<float> values, Context& context) {
    constexpr index_t kBlock = kTileRows;
    parallel_for(context, (values.rows + kBlock - 1) / kBlock, [&](index_t block, int) {
        const index_t i = block * kBlock;
        const index_t count = std::min(kBlock, values.rows - i);
        const index_t above = std::max((i + kTileRows) / kTileColumns * kTileColumns, i + count);
        for (index_t j = above; j < values.columns; j += kBlock) {
            const index_t columns = std::min(kBlock, values.columns - j);
            for (index_t r = 0; r < count; ++r) {
                for (index_t c = 0; c < columns; ++c) {
                    values(i + r, j + c) = values(j + c, i + r);
                }
            }
        }
    });
}

/// The distance between consecutive targets when it is constant and positive; otherwise 0.
index_t common_stride(std::span<float* const> targets) {
    const index_t stride = targets.size() > 1 ? targets[1] - targets[0] : kTileColumns;
    for (std::size_t r = 1; r < targets.size(); ++r) {
        if (targets[r] - targets[r - 1] != stride) {
            return 0;
        }
    }
    return std::max<index_t>(0, stride);
}

/// Copies a tile to its rows: past the CPU caches, or through them.
void copy_tile(MatrixView<float> tile, index_t column, std::span<float* const> targets,
               bool past_caches, Device device) {
    std::array<float*, static_cast<std::size_t>(kTileRows)> rows{};
    for (std::size_t r = 0; r < targets.size(); ++r) {
        rows[r] = targets[r] + column;
    }
    if (past_caches) {
        stream_rows(tile, std::span(rows).first(targets.size()), device);
        return;
    }
    for (std::size_t r = 0; r < targets.size(); ++r) {
        std::memcpy(rows[r], tile.row(static_cast<index_t>(r)),
                    static_cast<std::size_t>(tile.columns) * sizeof(float));
    }
}

}  // namespace

TiledRows::TiledRows(std::shared_ptr<const CompiledRows> compiled, std::span<const index_t> places,
                     Precision precision, Context& context)
    : compiled_(std::move(compiled)),
      engine_(compiled_->engine(precision, context)),
      all_(compiled_->prepare(places, precision, context)),
      diagonal_(compiled_->diagonal(places)) {
    if (precision == Precision::float32) {
        find_parts(places);
    }
}

/// If the rows are two consecutive parts, rows within a part may be retained already.
void TiledRows::find_parts(std::span<const index_t> places) {
    const std::shared_ptr<PartRows> head = compiled_->leading_part(places);
    const std::shared_ptr<PartRows> tail =
        head == nullptr
            ? nullptr
            : compiled_->leading_part(places.subspan(static_cast<std::size_t>(head->size())));
    if (tail != nullptr && head->size() + tail->size() == size()) {
        parts_ = {Part{head, 0}, Part{tail, head->size()}};
    }
}

std::shared_ptr<const PreparedRows> TiledRows::selected(std::span<const index_t> list,
                                                        Context& context) const {
    return is_everything(list, size()) ? all_
                                       : engine_->select(*all_, list, TileSide::either, context);
}

void TiledRows::set_columns(std::span<const index_t> columns, Context& context) {
    right_ = engine_->select(*all_, columns, TileSide::right, context);
}

void TiledRows::make_scratch(Context& context) {
    scratch_.resize(static_cast<std::size_t>(context.threads()));
    for (Scratch& scratch : scratch_) {
        if (scratch.engine == nullptr) {
            scratch.engine = engine_->make_scratch(context);
            scratch.tile = context.allocate<float>(kTileRows * kTileColumns, "a block of rows");
            if (engine_->precision() == Precision::float64) {
                scratch.wide =
                    context.allocate<double>(kTileRows * kTileColumns, "a block of rows");
            }
        }
    }
}

/// One tile in the engine's precision, rounded to float32.
void TiledRows::fill_tile(const PreparedRows& left, RowRange rows, const PreparedRows& right,
                          RowRange columns, MatrixView<float> out, Scratch& own) const {
    if (engine_->precision() == Precision::float32) {
        engine_->tile(left, rows, right, columns, out, *own.engine);
        return;
    }
    const MatrixView<double> wide(own.wide.data(), rows.count, columns.count, kTileColumns);
    engine_->tile(left, rows, right, columns, wide, *own.engine);
    for (index_t r = 0; r < rows.count; ++r) {
        std::transform(wide.row(r), wide.row(r) + columns.count, out.row(r),
                       [](double value) { return static_cast<float>(value); });
    }
}

void TiledRows::block(std::span<const index_t> left, std::span<const index_t> right,
                      MatrixView<float> values, Context& context) {
    const bool same = left.data() == right.data() && left.size() == right.size();
    const std::shared_ptr<const PreparedRows> left_rows = selected(left, context);
    const std::shared_ptr<const PreparedRows> right_rows =
        same ? left_rows : selected(right, context);
    make_scratch(context);
    const index_t tiles = (values.columns + kTileColumns - 1) / kTileColumns;
    const index_t row_blocks = (values.rows + kTileRows - 1) / kTileRows;
    const bool mirror = same && engine_->is_symmetric();
    parallel_for(context, row_blocks * tiles, [&](index_t task, int worker) {
        const index_t i = task / tiles * kTileRows;
        const index_t j = task % tiles * kTileColumns;
        const index_t m = std::min(kTileRows, values.rows - i);
        const index_t n = std::min(kTileColumns, values.columns - j);
        if (mirror && j >= i + m) {
            return;  // above the diagonal
        }
        fill_tile(*left_rows, {i, m}, *right_rows, {j, n},
                  MatrixView<float>(values.row(i) + j, m, n, values.stride),
                  scratch_[static_cast<std::size_t>(worker)]);
    });
    if (mirror) {
        mirror_lower(values, context);
    }
}

index_t TiledRows::fill(std::span<const index_t> wanted, index_t first, index_t end,
                        std::span<float* const> targets, Context& context) {
    make_scratch(context);
    const bool whole = first == 0 && right_ == nullptr && end == size();
    return whole && parts_.front().rows != nullptr
               ? fill_from_parts(wanted, targets, context)
               : fill_by_tiles(wanted, first, end, targets, context);
}

/// Whole rows: rows retained within a part are copied, the others are computed and, within a part,
/// retained for other problems.
index_t TiledRows::fill_from_parts(std::span<const index_t> wanted, std::span<float* const> targets,
                                   Context& context) {
    struct List {
        std::vector<index_t> rows;
        std::vector<float*> targets;
    };
    List fresh;
    std::array<List, 2> halves;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const std::size_t side = wanted[i] < parts_[1].begin ? 0 : 1;
        const Part& part = parts_[side];
        const float* retained = part.rows->find(wanted[i] - part.begin);
        if (retained != nullptr) {
            std::copy_n(retained, part.rows->size(), targets[i] + part.begin);
        }
        List& list = retained != nullptr ? halves[side] : fresh;
        list.rows.push_back(wanted[i]);
        list.targets.push_back(targets[i]);
    }
    const index_t middle = parts_[1].begin;
    index_t blocks = fill_by_tiles(halves[0].rows, middle, size(), halves[0].targets, context);
    blocks += fill_by_tiles(halves[1].rows, 0, middle, halves[1].targets, context);
    blocks += fill_by_tiles(fresh.rows, 0, size(), fresh.targets, context);
    for (std::size_t i = 0; i < fresh.rows.size(); ++i) {
        const Part& part = parts_[fresh.rows[i] < middle ? 0 : 1];
        part.rows->retain(fresh.rows[i] - part.begin, fresh.targets[i] + part.begin);
    }
    return blocks;
}

/// Blocks of kTileRows by kTileColumns, straight into rows at a constant distance.
index_t TiledRows::fill_by_tiles(std::span<const index_t> wanted, index_t first, index_t end,
                                 std::span<float* const> targets, Context& context) {
    if (wanted.empty()) {
        return 0;
    }
    const auto count = static_cast<index_t>(wanted.size());
    const auto left = engine_->select(*all_, wanted, TileSide::either, context);
    const PreparedRows& right = right_ == nullptr ? *all_ : *right_;
    const index_t begin = first / kColumnAlignment * kColumnAlignment;
    const index_t row_blocks = (count + kTileRows - 1) / kTileRows;
    const index_t tiles = (end - begin + kTileColumns - 1) / kTileColumns;
    const index_t length = right.rows();
    const bool past_caches =
        checked_multiply(count, length) * static_cast<index_t>(sizeof(float)) > kStreamBytes;
    parallel_for(context, row_blocks * tiles, [&](index_t task, int worker) {
        const index_t i = task / tiles * kTileRows;
        const index_t j = begin + task % tiles * kTileColumns;
        const index_t m = std::min(kTileRows, count - i);
        const index_t n = std::min(kTileColumns, end - j);
        Scratch& own = scratch_[static_cast<std::size_t>(worker)];
        const auto rows = targets.subspan(static_cast<std::size_t>(i), static_cast<std::size_t>(m));
        const index_t stride = common_stride(rows);
        if (stride >= n) {
            fill_tile(*left, {i, m}, right, {j, n},
                      MatrixView<float>(rows.front() + j, m, n, stride), own);
            return;
        }
        const MatrixView<float> tile(own.tile.data(), m, n, kTileColumns);
        fill_tile(*left, {i, m}, right, {j, n}, tile, own);
        copy_tile(tile, j, rows, past_caches, context.device());
    });
    return row_blocks;
}

}  // namespace mercer
