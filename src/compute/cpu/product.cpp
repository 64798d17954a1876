// SPDX-License-Identifier: Apache-2.0
//
// src/compute/cpu/product.cpp - register-tiled products over panels, for every SIMD target.
//
// Method   The right rows are stored in panels, column by column, so a step over one column loads
//          one panel line and combines it with one broadcast entry of each of R left rows. R x W
//          accumulators stay in registers. The left rows are repacked per tile, R to a group.
// Cost     rows * columns * width fused operations; the packing is 1/512 of that.
// Measured Zen 4, one core, float32: 108 GFLOP/s at width 20, 112 at 50, 115 at 784, where OpenBLAS
//          reaches 58-68, 81-100 and 102-106 (it packs both sides on every call, and its bits
//          depend on the position in the tile). See docs/adr/0003.
// Sparse   Dot products: frequent columns as dense panels, the others by an index by column, which
//          touches only shared entries: 4,000 rows of sector.scale, float64, two cores,
//          0.79 s when panels were expanded for each tile, 0.08 s now. Other quantities: a panel
//          is expanded over the union of its columns and each left row merges with it.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compute/cpu/product.cpp"
#include "compute/cpu/product.hpp"

#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>

#include "compute/cpu/targets.hpp"

#if defined(__clang__)
#define MERCER_UNROLL _Pragma("unroll")
#else
#define MERCER_UNROLL _Pragma("GCC unroll 16")
#endif

HWY_BEFORE_NAMESPACE();
namespace mercer::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Left rows per register block: as many as the registers hold in addition to the panel line.
#if HWY_TARGET <= HWY_AVX3
constexpr int kBlockRows = 8;  // 16 of 32 registers; 12 rows measured the same, with more spills
#elif HWY_TARGET <= HWY_AVX2
constexpr int kBlockRows = 3;  // 12 of 16
#else
constexpr int kBlockRows = 1;
#endif

/// Full vectors, at most half a panel each.
template <typename T>
using Lanes = hn::CappedTag<T, static_cast<size_t>(kPanelWidth<T> / 2)>;

template <typename T>
constexpr int kVectors = static_cast<int>(kPanelWidth<T> / hn::MaxLanes(Lanes<T>()));

struct Dot {
    template <class D, class V>
    static HWY_INLINE V step(D, V x, V z, V sum) {
        return hn::MulAdd(x, z, sum);
    }
};
struct SquaredDifference {
    template <class D, class V>
    static HWY_INLINE V step(D, V x, V z, V sum) {
        const V difference = hn::Sub(x, z);
        return hn::MulAdd(difference, difference, sum);
    }
};
struct AbsoluteDifference {
    template <class D, class V>
    static HWY_INLINE V step(D, V x, V z, V sum) {
        return hn::Add(sum, hn::Abs(hn::Sub(x, z)));
    }
};
struct Chi2 {
    template <class D, class V>
    static HWY_INLINE V step(D d, V x, V z, V sum) {
        const V total = hn::Add(x, z);
        const V difference = hn::Sub(x, z);
        const V term = hn::Div(hn::Mul(difference, difference), total);
        return hn::Add(sum, hn::IfThenElseZero(hn::Ne(total, hn::Zero(d)), term));
    }
};
struct Minimum {
    template <class D, class V>
    static HWY_INLINE V step(D, V x, V z, V sum) {
        return hn::Add(sum, hn::Min(x, z));
    }
};
struct Maximum {
    template <class D, class V>
    static HWY_INLINE V step(D, V x, V z, V sum) {
        return hn::Add(sum, hn::Max(x, z));
    }
};
struct Difference {
    template <class D, class V>
    static HWY_INLINE V step(D, V x, V z, V sum) {
        return hn::Add(sum, hn::Sub(x, z));
    }
};

/// R packed left rows (entry (r, k) at packed[k * R + r]) against one panel.
template <class Step, int R, typename T>
HWY_INLINE void block_product(const T* HWY_RESTRICT packed, const T* HWY_RESTRICT panel,
                              index_t width, T* HWY_RESTRICT out, index_t stride) {
    constexpr int V = kVectors<T>;
    const Lanes<T> d;
    const auto lanes = static_cast<index_t>(hn::Lanes(d));
    hn::Vec<Lanes<T>> sum[R][V];
    MERCER_UNROLL
    for (int r = 0; r < R; ++r) {
        MERCER_UNROLL
        for (int v = 0; v < V; ++v) {
            sum[r][v] = hn::Zero(d);
        }
    }
    for (index_t k = 0; k < width; ++k) {
        hn::Vec<Lanes<T>> z[V];
        MERCER_UNROLL
        for (int v = 0; v < V; ++v) {
            z[v] = hn::Load(d, panel + k * V * lanes + v * lanes);
        }
        MERCER_UNROLL
        for (int r = 0; r < R; ++r) {
            const auto x = hn::Set(d, packed[k * R + r]);
            MERCER_UNROLL
            for (int v = 0; v < V; ++v) {
                sum[r][v] = Step::step(d, x, z[v], sum[r][v]);
            }
        }
    }
    MERCER_UNROLL
    for (int r = 0; r < R; ++r) {
        MERCER_UNROLL
        for (int v = 0; v < V; ++v) {
            hn::StoreU(sum[r][v], d, out + r * stride + v * lanes);
        }
    }
}

/// Copies `count` left rows from `first` to packed[k * count + r].
template <typename T>
HWY_INLINE void pack_rows(const DensePanels<T>& left, index_t first, int count,
                          T* HWY_RESTRICT packed) {
    constexpr index_t W = kPanelWidth<T>;
    for (int r = 0; r < count; ++r) {
        const index_t row = first + r;
        const T* source = left.panel(row / W) + row % W;
        for (index_t k = 0; k < left.width; ++k) {
            packed[k * count + r] = source[k * W];
        }
    }
}

template <class Step, int R, typename T>
void block_rows(const DensePanels<T>& left, const DensePanels<T>& right, const ProductTile<T>& tile,
                index_t first, T* packed) {
    constexpr index_t W = kPanelWidth<T>;
    pack_rows(left, tile.row_begin + first, R, packed);
    for (index_t p = 0; p < tile.panel_count; ++p) {
        block_product<Step, R>(packed, right.panel(tile.panel_begin + p), left.width,
                               tile.out + first * tile.stride + p * W, tile.stride);
    }
}

/// Panels that share one pass over a row's entries: enough sums to hide the latency of additions.
#if HWY_TARGET <= HWY_AVX3
constexpr int kListedPanels = 4;
#else
constexpr int kListedPanels = 2;
#endif

/// One listed left row against P panels.
template <int P, typename T>
HWY_INLINE void listed_product(const DensePanels<T>& left, index_t row, const T* HWY_RESTRICT panel,
                               T* HWY_RESTRICT out) {
    constexpr index_t W = kPanelWidth<T>;
    constexpr int V = kVectors<T>;
    const Lanes<T> d;
    const auto lanes = static_cast<index_t>(hn::Lanes(d));
    const index_t stride = left.width * W;
    hn::Vec<Lanes<T>> sum[P][V];
    MERCER_UNROLL
    for (int p = 0; p < P; ++p) {
        MERCER_UNROLL
        for (int v = 0; v < V; ++v) {
            sum[p][v] = hn::Zero(d);
        }
    }
    const index_t end = left.offsets[row + 1];
    for (index_t e = left.offsets[row]; e < end; ++e) {
        const auto x = hn::Set(d, left.values[e]);
        const T* line = panel + left.columns[e] * W;
        MERCER_UNROLL
        for (int p = 0; p < P; ++p) {
            MERCER_UNROLL
            for (int v = 0; v < V; ++v) {
                sum[p][v] = Dot::step(d, x, hn::Load(d, line + p * stride + v * lanes), sum[p][v]);
            }
        }
    }
    MERCER_UNROLL
    for (int p = 0; p < P; ++p) {
        MERCER_UNROLL
        for (int v = 0; v < V; ++v) {
            hn::StoreU(sum[p][v], d, out + p * W + v * lanes);
        }
    }
}

/// Dot products of listed left rows: a few panels stay in cache for all rows.
template <typename T>
void listed_tile(const DensePanels<T>& left, const DensePanels<T>& right,
                 const ProductTile<T>& tile) {
    constexpr index_t W = kPanelWidth<T>;
    index_t p = 0;
    for (; p + kListedPanels <= tile.panel_count; p += kListedPanels) {
        for (index_t r = 0; r < tile.row_count; ++r) {
            listed_product<kListedPanels>(left, tile.row_begin + r,
                                          right.panel(tile.panel_begin + p),
                                          tile.out + r * tile.stride + p * W);
        }
    }
    for (; p < tile.panel_count; ++p) {
        for (index_t r = 0; r < tile.row_count; ++r) {
            listed_product<1>(left, tile.row_begin + r, right.panel(tile.panel_begin + p),
                              tile.out + r * tile.stride + p * W);
        }
    }
}

/// Large widths: the outer loop is over panels, so that a panel stays in cache for all left rows.
constexpr index_t kPanelOuterBytes = 64 * 1024;

template <class Step, typename T>
void dense_tile(const DensePanels<T>& left, const DensePanels<T>& right, const ProductTile<T>& tile,
                T* packed) {
    if constexpr (std::is_same_v<Step, Dot>) {
        if (left.offsets != nullptr) {
            return listed_tile(left, right, tile);
        }
    }
    constexpr int R = kBlockRows;
    constexpr index_t W = kPanelWidth<T>;
    const index_t blocks = tile.row_count / R;
    const index_t block_size = R * left.width;
    if (left.width * W * static_cast<index_t>(sizeof(T)) <= kPanelOuterBytes) {
        for (index_t b = 0; b < blocks; ++b) {
            block_rows<Step, R>(left, right, tile, b * R, packed);
        }
    } else {
        for (index_t b = 0; b < blocks; ++b) {
            pack_rows(left, tile.row_begin + b * R, R, packed + b * block_size);
        }
        for (index_t p = 0; p < tile.panel_count; ++p) {
            for (index_t b = 0; b < blocks; ++b) {
                block_product<Step, R>(packed + b * block_size, right.panel(tile.panel_begin + p),
                                       left.width, tile.out + b * R * tile.stride + p * W,
                                       tile.stride);
            }
        }
    }
    index_t row = blocks * R;
    if constexpr (R > 4) {
        for (; row + 4 <= tile.row_count; row += 4) {
            block_rows<Step, 4>(left, right, tile, row, packed);
        }
    }
    for (; row < tile.row_count; ++row) {
        block_rows<Step, 1>(left, right, tile, row, packed);
    }
}

/// Expands panel `p` of sparse right rows over the union of their columns.
template <typename T>
void expand_panel(const SparseRows<T>& right, index_t p, SparseScratch<T>& scratch) {
    constexpr index_t W = kPanelWidth<T>;
    const index_t begin = p * W;
    const index_t end = std::min(begin + W, right.rows);
    scratch.slot_columns.clear();
    for (index_t e = right.offsets[begin]; e < right.offsets[end]; ++e) {
        const std::int32_t column = right.columns[e];
        if (column < right.width && scratch.slot_of_column[column] < 0) {
            scratch.slot_of_column[column] = 0;
            scratch.slot_columns.push_back(column);
        }
    }
    std::sort(scratch.slot_columns.begin(), scratch.slot_columns.end());
    const auto slots = static_cast<index_t>(scratch.slot_columns.size());
    if (scratch.block.size() < slots * W) {
        scratch.block = Buffer<T>();
        scratch.block = Buffer<T>(scratch.budget, (slots + slots / 2) * W, "a sparse panel");
    }
    for (index_t s = 0; s < slots; ++s) {
        scratch.slot_of_column[scratch.slot_columns[static_cast<size_t>(s)]] =
            static_cast<std::int32_t>(s);
    }
    std::fill_n(scratch.block.data(), slots * W, T{0});
    for (index_t row = begin; row < end; ++row) {
        for (index_t e = right.offsets[row]; e < right.offsets[row + 1]; ++e) {
            if (right.columns[e] < right.width) {
                scratch.block[scratch.slot_of_column[right.columns[e]] * W + row - begin] =
                    right.values[e];
            }
        }
    }
}

template <typename T>
void forget_panel(SparseScratch<T>& scratch) {
    for (const std::int32_t column : scratch.slot_columns) {
        scratch.slot_of_column[column] = -1;
    }
}

/// One step of a whole panel: x combined with the entries of a slot.
template <class Step, typename T>
HWY_INLINE void step_slot(hn::Vec<Lanes<T>> x, const T* HWY_RESTRICT slot,
                          hn::Vec<Lanes<T>> (&sum)[kVectors<T>]) {
    const Lanes<T> d;
    const auto lanes = static_cast<index_t>(hn::Lanes(d));
    MERCER_UNROLL
    for (int v = 0; v < kVectors<T>; ++v) {
        sum[v] = Step::step(d, x, hn::Load(d, slot + v * lanes), sum[v]);
    }
}

/// Any other quantity needs the union of both: a merge over the panel's columns and the row's.
template <class Step, typename T>
HWY_INLINE void sparse_merge_row(const SparseRows<T>& left, index_t row,
                                 const SparseScratch<T>& scratch, T* HWY_RESTRICT out) {
    constexpr index_t W = kPanelWidth<T>;
    constexpr int V = kVectors<T>;
    const Lanes<T> d;
    const auto lanes = static_cast<index_t>(hn::Lanes(d));
    hn::Vec<Lanes<T>> sum[V];
    MERCER_UNROLL
    for (int v = 0; v < V; ++v) {
        sum[v] = hn::Zero(d);
    }
    const auto slots = static_cast<index_t>(scratch.slot_columns.size());
    const index_t end = left.offsets[row + 1];
    index_t e = left.offsets[row];
    index_t s = 0;
    while (e < end || s < slots) {
        const std::int64_t left_column = e < end ? left.columns[e] : INT64_MAX;
        const std::int64_t right_column =
            s < slots ? scratch.slot_columns[static_cast<size_t>(s)] : INT64_MAX;
        const bool take_left = left_column <= right_column;
        const auto x = hn::Set(d, take_left ? left.values[e] : T{0});
        if (right_column <= left_column) {
            step_slot<Step, T>(x, scratch.block.data() + s * W, sum);
            ++s;
        } else {
            MERCER_UNROLL
            for (int v = 0; v < V; ++v) {
                sum[v] = Step::step(d, x, hn::Zero(d), sum[v]);
            }
        }
        e += take_left ? 1 : 0;
    }
    MERCER_UNROLL
    for (int v = 0; v < V; ++v) {
        hn::StoreU(sum[v], d, out + v * lanes);
    }
}

/// out[row] += x * value over the entries of one indexed column, rows first .. last of the block.
template <typename T>
HWY_INLINE void add_column(const SparseRows<T>& right, index_t column, T x, index_t first,
                           index_t last, T* HWY_RESTRICT out) {
    const hn::CappedTag<T, 1> one;
    const auto factor = hn::Set(one, x);
    const auto add = [&](index_t e, T& sum) {
        sum =
            hn::GetLane(hn::MulAdd(factor, hn::Set(one, right.index_values[e]), hn::Set(one, sum)));
    };
    const index_t end = right.index_starts[column + 1];
    if (first == 0 && last == kIndexBlock) {
        for (index_t e = right.index_starts[column]; e < end; ++e) {
            add(e, out[right.index_rows[e]]);
        }
        return;
    }
    for (index_t e = right.index_starts[column]; e < end; ++e) {
        const index_t row = right.index_rows[e];
        if (row >= first && row < last) {
            add(e, out[row - first]);
        }
    }
}

// From this many left rows on, a table from column to index is worth filling.
constexpr index_t kTableRows = 4;

/// The infrequent columns of one block of the index, with or without a table of them.
template <typename T>
class IndexedColumns {
public:
    IndexedColumns(const SparseRows<T>& right, index_t block, bool table, SparseScratch<T>& scratch)
        : columns_(right.index_columns),
          begin_(right.index_blocks[block]),
          end_(right.index_blocks[block + 1]),
          slot_of_(table ? scratch.slot_of_column.data() : nullptr) {
        for (index_t c = begin_; c < end_ && table; ++c) {
            slot_of_[columns_[c]] = static_cast<std::int32_t>(c - begin_);
        }
    }
    ~IndexedColumns() {
        for (index_t c = begin_; c < end_ && slot_of_ != nullptr; ++c) {
            slot_of_[columns_[c]] = -1;
        }
    }
    IndexedColumns(const IndexedColumns&) = delete;
    IndexedColumns& operator=(const IndexedColumns&) = delete;

    [[nodiscard]] const std::int32_t* first() const { return columns_ + begin_; }

    /// Position of a column in the index; -1: absent. Without a table the search begins at `place`
    /// and advances it, as the columns of a row ascend.
    HWY_INLINE index_t find(std::int32_t column, const std::int32_t*& place) const {
        if (slot_of_ != nullptr) {
            return slot_of_[column] < 0 ? -1 : begin_ + slot_of_[column];
        }
        place = std::lower_bound(place, columns_ + end_, column);
        return place < columns_ + end_ && *place == column ? place - columns_ : -1;
    }

private:
    const std::int32_t* columns_;
    index_t begin_;
    index_t end_;
    std::int32_t* slot_of_;  // by column; null: there is no table
};

/// Adds the part of the infrequent columns for the rows of one block of the index.
template <typename T>
void add_block(const SparseRows<T>& left, const SparseRows<T>& right, const ProductTile<T>& tile,
               index_t block, SparseScratch<T>& scratch) {
    constexpr index_t W = kPanelWidth<T>;
    const index_t tile_begin = tile.panel_begin * W;
    const index_t tile_end = std::min(tile_begin + tile.panel_count * W, right.rows);
    const index_t first = std::max<index_t>(0, tile_begin - block * kIndexBlock);
    const index_t last = std::min(kIndexBlock, tile_end - block * kIndexBlock);
    T* out = tile.out + block * kIndexBlock + first - tile_begin;
    const IndexedColumns<T> indexed(right, block, tile.row_count >= kTableRows, scratch);
    const auto rare = static_cast<std::int32_t>(left.frequent.width);
    for (index_t r = 0; r < tile.row_count; ++r) {
        const index_t row = tile.row_begin + r;
        const std::int32_t* row_end = left.columns + left.offsets[row + 1];
        const std::int32_t* e = std::lower_bound(left.columns + left.offsets[row], row_end, rare);
        const std::int32_t* place = indexed.first();
        for (; e < row_end && *e < left.width; ++e) {
            if (const index_t column = indexed.find(*e, place); column >= 0) {
                add_column(right, column, left.values[e - left.columns], first, last,
                           out + r * tile.stride);
            }
        }
    }
}

template <typename T>
void sparse_dot_tile(const SparseRows<T>& left, const SparseRows<T>& right,
                     const ProductTile<T>& tile, SparseScratch<T>& scratch) {
    constexpr index_t W = kPanelWidth<T>;
    if (left.frequent.width > 0) {
        dense_tile<Dot>(left.frequent, right.frequent, tile, scratch.packed.data());
    } else {
        for (index_t r = 0; r < tile.row_count; ++r) {
            std::fill_n(tile.out + r * tile.stride, tile.panel_count * W, T{0});
        }
    }
    const index_t begin = tile.panel_begin * W;
    const index_t end = std::min(begin + tile.panel_count * W, right.rows);
    for (index_t block = begin / kIndexBlock; block * kIndexBlock < end; ++block) {
        add_block(left, right, tile, block, scratch);
    }
}

template <class Step, typename T>
void sparse_tile(const SparseRows<T>& left, const SparseRows<T>& right, const ProductTile<T>& tile,
                 SparseScratch<T>& scratch) {
    constexpr index_t W = kPanelWidth<T>;
    for (index_t p = 0; p < tile.panel_count; ++p) {
        expand_panel(right, tile.panel_begin + p, scratch);
        for (index_t r = 0; r < tile.row_count; ++r) {
            sparse_merge_row<Step>(left, tile.row_begin + r, scratch,
                                   tile.out + r * tile.stride + p * W);
        }
        forget_panel(scratch);
    }
}

/// Calls f with the step of `op`.
template <class F>
void with_step(PairOp op, const F& f) {
    switch (op) {
        case PairOp::dot:
            return f(Dot());
        case PairOp::squared_distance:
            return f(SquaredDifference());
        case PairOp::absolute_distance:
        case PairOp::inequality:
            return f(AbsoluteDifference());
        case PairOp::chi2:
            return f(Chi2());
        case PairOp::minimum:
            return f(Minimum());
        case PairOp::maximum:
            return f(Maximum());
        case PairOp::difference:
            return f(Difference());
        case PairOp::lookup:
        case PairOp::custom:
            return;
    }
}

template <typename T>
void dense_norms_impl(const DensePanels<T>& rows, index_t panel_count, T* out) {
    constexpr index_t W = kPanelWidth<T>;
    const Lanes<T> d;
    const auto lanes = static_cast<index_t>(hn::Lanes(d));
    for (index_t p = 0; p < panel_count; ++p) {
        for (index_t j = 0; j < W; j += lanes) {
            auto sum = hn::Zero(d);
            for (index_t k = 0; k < rows.width; ++k) {
                const auto x = hn::Load(d, rows.panel(p) + k * W + j);
                sum = hn::MulAdd(x, x, sum);
            }
            hn::StoreU(sum, d, out + p * W + j);
        }
    }
}

template <typename T>
void sparse_norms_impl(const SparseRows<T>& rows, T* out) {
    const hn::CappedTag<T, 1> d;
    for (index_t r = 0; r < rows.rows; ++r) {
        auto sum = hn::Zero(d);
        for (index_t e = rows.offsets[r]; e < rows.offsets[r + 1]; ++e) {
            const auto x = hn::Set(d, rows.values[e]);
            sum = hn::MulAdd(x, x, sum);
        }
        out[r] = hn::GetLane(sum);
    }
}

#define MERCER_DEFINE_PRODUCTS(T, SUFFIX)                                                         \
    void dense_##SUFFIX(PairOp op, const DensePanels<T>& left, const DensePanels<T>& right,       \
                        const ProductTile<T>& tile, T* packed) {                                  \
        with_step(op, [&](auto step) { dense_tile<decltype(step)>(left, right, tile, packed); }); \
    }                                                                                             \
    void sparse_##SUFFIX(PairOp op, const SparseRows<T>& left, const SparseRows<T>& right,        \
                         const ProductTile<T>& tile, SparseScratch<T>& scratch) {                 \
        if (op == PairOp::dot) {                                                                  \
            return sparse_dot_tile(left, right, tile, scratch);                                   \
        }                                                                                         \
        with_step(op,                                                                             \
                  [&](auto step) { sparse_tile<decltype(step)>(left, right, tile, scratch); });   \
    }                                                                                             \
    void dense_norms_##SUFFIX(const DensePanels<T>& rows, index_t panel_count, T* out) {          \
        dense_norms_impl(rows, panel_count, out);                                                 \
    }                                                                                             \
    void sparse_norms_##SUFFIX(const SparseRows<T>& rows, T* out) { sparse_norms_impl(rows, out); }
MERCER_DEFINE_PRODUCTS(float, f32)
MERCER_DEFINE_PRODUCTS(double, f64)
#undef MERCER_DEFINE_PRODUCTS

}  // namespace HWY_NAMESPACE
}  // namespace mercer::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mercer::cpu {

#define MERCER_EXPORT_PRODUCTS(T, SUFFIX)                                                  \
    MERCER_EXPORT(dense_##SUFFIX);                                                         \
    MERCER_EXPORT(sparse_##SUFFIX);                                                        \
    MERCER_EXPORT(dense_norms_##SUFFIX);                                                   \
    MERCER_EXPORT(sparse_norms_##SUFFIX);                                                  \
    void dense_product(PairOp op, const DensePanels<T>& left, const DensePanels<T>& right, \
                       const ProductTile<T>& tile, T* packed) {                            \
        MERCER_DISPATCH(dense_##SUFFIX)(op, left, right, tile, packed);                    \
    }                                                                                      \
    void sparse_product(PairOp op, const SparseRows<T>& left, const SparseRows<T>& right,  \
                        const ProductTile<T>& tile, SparseScratch<T>& scratch) {           \
        MERCER_DISPATCH(sparse_##SUFFIX)(op, left, right, tile, scratch);                  \
    }                                                                                      \
    void dense_norms(const DensePanels<T>& rows, index_t panel_count, T* out) {            \
        MERCER_DISPATCH(dense_norms_##SUFFIX)(rows, panel_count, out);                     \
    }                                                                                      \
    void sparse_norms(const SparseRows<T>& rows, T* out) {                                 \
        MERCER_DISPATCH(sparse_norms_##SUFFIX)(rows, out);                                 \
    }
MERCER_EXPORT_PRODUCTS(float, f32)
MERCER_EXPORT_PRODUCTS(double, f64)
#undef MERCER_EXPORT_PRODUCTS

}  // namespace mercer::cpu
#endif
