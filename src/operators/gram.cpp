// SPDX-License-Identifier: Apache-2.0
//
// src/operators/gram.cpp - loops over tiles; every sum in an order fixed by the problem.
#include "mercer/operators/gram.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "mercer/base/error.hpp"
#include "mercer/compute/primitives.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/parallel.hpp"
#include "mercer/runtime/reduction.hpp"

namespace mercer {

namespace {

// multiply_normal sums its row blocks in this many partial results, added in order at the end: the
// count fixes the order, so it must not depend on the threads. 32 gives 16 threads two parts each.
constexpr index_t kPartialSums = 32;

// K v computes only half of a symmetric K while its partial sums take at most 64 MiB.
constexpr index_t kMostHalved = (index_t{64} << 20) / (8 * kPartialSums);

// A block of K (kTileRows x columns) of at most this size is retained between K v and K' u; a
// larger one is computed twice. 8 MiB is within a core's share of most last-level caches.
constexpr index_t kRetainedBlockBytes = index_t{8} << 20;

index_t blocks_of(index_t rows) { return (rows + kTileRows - 1) / kTileRows; }

/// One scratch per worker, made on first use.
class WorkerScratch {
public:
    WorkerScratch(const KernelEngine& engine, Context& context)
        : engine_(engine),
          context_(context),
          scratch_(static_cast<std::size_t>(context.threads())) {}

    [[nodiscard]] TileScratch& of(int worker) {
        std::unique_ptr<TileScratch>& mine = scratch_[static_cast<std::size_t>(worker)];
        if (mine == nullptr) {
            mine = engine_.make_scratch(context_);
        }
        return *mine;
    }

private:
    const KernelEngine& engine_;
    Context& context_;
    std::vector<std::unique_ptr<TileScratch>> scratch_;
};

/// One budgeted array per worker, made on first use.
template <typename T>
class WorkerBuffer {
public:
    WorkerBuffer(index_t size, const char* what, Context& context)
        : size_(size),
          what_(what),
          context_(context),
          buffers_(static_cast<std::size_t>(context.threads())) {}

    [[nodiscard]] T* of(int worker) {
        Buffer<T>& mine = buffers_[static_cast<std::size_t>(worker)];
        if (mine.empty()) {
            mine = context_.allocate<T>(size_, what_);
        }
        return mine.data();
    }

private:
    index_t size_;
    const char* what_;
    Context& context_;
    std::vector<Buffer<T>> buffers_;
};

void require_rows(const GramMatrix& gram, index_t begin, index_t rows, index_t columns) {
    if (begin < 0 || rows < 0 || begin > gram.rows() - rows || columns < gram.columns()) {
        throw InvalidArgument(
            fmt::format("rows: {} .. {} of {} columns do not fit a {} x {} matrix", begin,
                        begin + rows, columns, gram.rows(), gram.columns()));
    }
}

template <typename T>
void copy_rows_of(const GramMatrix& gram, index_t begin, MatrixView<T> values, Context& context) {
    require_rows(gram, begin, values.rows, values.columns);
    WorkerScratch scratch(gram.engine(), context);
    const index_t row_blocks = blocks_of(values.rows);
    const index_t column_tiles = (gram.columns() + kTileColumns - 1) / kTileColumns;
    // A task is one block of rows when there are many, otherwise one tile, so that a few long rows
    // also occupy all threads.
    const bool by_tile = row_blocks < 4 * context.threads();
    const index_t tasks = by_tile ? row_blocks * column_tiles : row_blocks;
    parallel_for(context, tasks, [&](index_t task, int worker) {
        const index_t block = by_tile ? task / column_tiles : task;
        const index_t first_tile = by_tile ? task % column_tiles : 0;
        const index_t last_tile = by_tile ? first_tile + 1 : column_tiles;
        const index_t i = block * kTileRows;
        const index_t m = std::min(kTileRows, values.rows - i);
        for (index_t tile = first_tile; tile < last_tile; ++tile) {
            const index_t j = tile * kTileColumns;
            const index_t n = std::min(kTileColumns, gram.columns() - j);
            gram.engine().tile(gram.left(), {begin + i, m}, gram.right(), {j, n},
                               MatrixView<T>(values.row(i) + j, m, n, values.stride),
                               scratch.of(worker));
        }
        context.report({.stage = "gram", .done = task, .total = tasks});
    });
}

/// A symmetric K: the tiles up to the diagonal; on request each is mirrored above the diagonal.
template <typename T>
void copy_symmetric(const GramMatrix& gram, MatrixView<T> values, bool mirror, Context& context) {
    WorkerScratch scratch(gram.engine(), context);
    const index_t n = gram.rows();
    const index_t blocks = blocks_of(n);
    parallel_for(context, blocks, [&](index_t task, int worker) {
        // Long rows of tiles first, so that no thread starts the longest one last.
        const index_t block = blocks - 1 - task;
        const index_t i = block * kTileRows;
        const index_t m = std::min(kTileRows, n - i);
        for (index_t j = 0; j <= i; j += kTileColumns) {
            const index_t columns = std::min(kTileColumns, n - j);
            gram.engine().tile(gram.left(), {i, m}, gram.right(), {j, columns},
                               MatrixView<T>(values.row(i) + j, m, columns, values.stride),
                               scratch.of(worker));
            if (!mirror || i / kTileColumns * kTileColumns == j) {
                continue;  // tiles on the diagonal are computed whole
            }
            for (index_t c = 0; c < columns; ++c) {
                T* mirrored = values.row(j + c) + i;
                for (index_t r = 0; r < m; ++r) {
                    mirrored[r] = values(i + r, j + c);
                }
            }
        }
        context.report({.stage = "gram", .done = task, .total = blocks});
    });
}

bool is_symmetric(const GramMatrix& gram) {
    return &gram.left() == &gram.right() && gram.engine().is_symmetric();
}

template <typename T>
void copy_rows_or_half(const GramMatrix& gram, index_t begin, MatrixView<T> values,
                       Context& context) {
    const bool whole = begin == 0 && values.rows == gram.rows() && is_symmetric(gram);
    if (whole && values.columns >= gram.columns() && gram.rows() > kTileColumns) {
        copy_symmetric(gram, values, true, context);
    } else {
        copy_rows_of(gram, begin, values, context);
    }
}

template <typename T>
void copy_lower_of(const GramMatrix& gram, MatrixView<T> values, Context& context) {
    require_rows(gram, 0, values.rows, values.columns);
    if (values.rows == gram.rows() && is_symmetric(gram)) {
        copy_symmetric(gram, values, false, context);
    } else {
        copy_rows_of(gram, 0, values, context);
    }
}

/// Columns of the widest tile of K.
index_t tile_columns(const GramMatrix& gram) {
    const index_t aligned =
        (gram.columns() + kColumnAlignment - 1) / kColumnAlignment * kColumnAlignment;
    return std::clamp(aligned, kColumnAlignment, kTileColumns);
}

/// f(first column, tile) for the tiles of K's rows i .. i+m-1, left to right.
template <typename T, class F>
void for_each_tile(const GramMatrix& gram, index_t i, index_t m, T* buffer, TileScratch& scratch,
                   const F& f) {
    for (index_t j = 0; j < gram.columns(); j += kTileColumns) {
        const index_t n = std::min(kTileColumns, gram.columns() - j);
        const MatrixView<T> tile(buffer, m, n, tile_columns(gram));
        gram.engine().tile(gram.left(), {i, m}, gram.right(), {j, n}, tile, scratch);
        f(j, MatrixView<const T>(tile));
    }
}

MatrixView<const double> rows_of(MatrixView<const double> view, index_t begin, index_t count) {
    return {view.row(begin), count, view.columns, view.stride};
}

template <typename T>
void multiply_tiles(const GramMatrix& gram, MatrixView<const double> v, MatrixView<double> out,
                    Context& context) {
    WorkerScratch scratch(gram.engine(), context);
    WorkerBuffer<T> tiles(kTileRows * tile_columns(gram), "a Gram tile", context);
    const index_t blocks = blocks_of(gram.rows());
    parallel_for(context, blocks, [&](index_t block, int worker) {
        const index_t i = block * kTileRows;
        const index_t m = std::min(kTileRows, gram.rows() - i);
        const MatrixView<double> target(out.row(i), m, out.columns, out.stride);
        for (index_t r = 0; r < m; ++r) {
            std::fill_n(target.row(r), target.columns, 0.0);
        }
        for_each_tile(gram, i, m, tiles.of(worker), scratch.of(worker),
                      [&](index_t j, MatrixView<const T> tile) {
                          accumulate_product(tile, rows_of(v, j, tile.columns), target,
                                             context.device());
                      });
        context.report({.stage = "multiply", .done = block, .total = blocks});
    });
}

/// K v of a symmetric K: each tile below the diagonal is computed once and used from both sides.
/// Row blocks are distributed over a fixed number of partial results, added in order at the end.
template <typename T>
void multiply_symmetric(const GramMatrix& gram, MatrixView<const double> v, MatrixView<double> out,
                        Context& context) {
    WorkerScratch scratch(gram.engine(), context);
    WorkerBuffer<T> tiles(kTileRows * tile_columns(gram), "a Gram tile", context);
    const index_t n = gram.rows();
    const index_t blocks = blocks_of(n);
    const index_t parts = std::clamp<index_t>(blocks, 1, kPartialSums);
    const auto add = [&](index_t part, int worker, MatrixView<double> sum) {
        const auto rows = [&sum](index_t begin, index_t count) {
            return MatrixView<double>(sum.row(begin), count, sum.columns, sum.stride);
        };
        for (index_t block = part; block < blocks; block += parts) {
            const index_t i = block * kTileRows;
            const index_t m = std::min(kTileRows, n - i);
            for (index_t j = 0; j < i; j += kTileColumns) {
                const index_t columns = std::min(kTileColumns, i - j);
                const MatrixView<T> tile(tiles.of(worker), m, columns, tile_columns(gram));
                gram.engine().tile(gram.left(), {i, m}, gram.right(), {j, columns}, tile,
                                   scratch.of(worker));
                accumulate_product(MatrixView<const T>(tile), rows_of(v, j, columns), rows(i, m),
                                   context.device());
                accumulate_transposed(MatrixView<const T>(tile), rows_of(v, i, m), rows(j, columns),
                                      context.device());
            }
            const MatrixView<T> corner(tiles.of(worker), m, m, tile_columns(gram));
            gram.engine().tile(gram.left(), {i, m}, gram.right(), {i, m}, corner,
                               scratch.of(worker));
            accumulate_product(MatrixView<const T>(corner), rows_of(v, i, m), rows(i, m),
                               context.device());
        }
        context.report({.stage = "multiply", .done = part, .total = parts});
    };
    sum_in_order(parts, out, "partial sums of K v", context, add);
}

/// K v and K'u: a tile is computed once and used from both sides. Blocks are distributed as above.
template <typename T>
void multiply_both_ways(const GramMatrix& gram, std::span<const double> v,
                        std::span<const double> u, std::span<double> out,
                        std::span<double> transposed, Context& context) {
    WorkerScratch scratch(gram.engine(), context);
    WorkerBuffer<T> tiles(kTileRows * tile_columns(gram), "a Gram tile", context);
    const MatrixView<const double> right(v.data(), gram.columns(), 1);
    const MatrixView<const double> left(u.data(), gram.rows(), 1);
    const index_t blocks = blocks_of(gram.rows());
    const index_t parts = std::clamp<index_t>(blocks, 1, kPartialSums);
    const auto add = [&](index_t part, int worker, MatrixView<double> sum) {
        for (index_t block = part; block < blocks; block += parts) {
            const index_t i = block * kTileRows;
            const index_t m = std::min(kTileRows, gram.rows() - i);
            const MatrixView<double> target(out.data() + i, m, 1);
            std::fill_n(target.data, m, 0.0);
            for_each_tile(gram, i, m, tiles.of(worker), scratch.of(worker),
                          [&](index_t j, MatrixView<const T> tile) {
                              accumulate_product(tile, rows_of(right, j, tile.columns), target,
                                                 context.device());
                              accumulate_transposed(tile, rows_of(left, i, m),
                                                    MatrixView<double>(sum.row(j), tile.columns, 1),
                                                    context.device());
                          });
        }
        context.report({.stage = "multiply", .done = part, .total = parts});
    };
    sum_in_order(parts, {transposed.data(), gram.columns(), 1}, "partial sums of K' u", context,
                 add);
}

/// K'(W (K v) - Z) over tiles of type T.
template <typename T>
class NormalProduct {
public:
    NormalProduct(const GramMatrix& gram, MatrixView<const double> v,
                  std::span<const double> weights, MatrixView<const double> z, Context& context)
        : gram_(gram),
          v_(v),
          weights_(weights),
          z_(z),
          context_(context),
          retain_(kTileRows * gram.columns() * static_cast<index_t>(sizeof(T)) <=
                  kRetainedBlockBytes),
          scratch_(gram.engine(), context),
          tiles_(retain_ ? kTileRows * padded_columns() : kTileRows * kTileColumns, "a Gram block",
                 context),
          residuals_(kTileRows * std::max<index_t>(1, v.columns), "residuals", context) {}

    void run(MatrixView<double> out) {
        const index_t blocks = blocks_of(gram_.rows());
        const index_t parts = std::clamp<index_t>(blocks, 1, kPartialSums);
        const auto add = [&](index_t part, int worker, MatrixView<double> sum) {
            for (index_t block = part * blocks / parts; block < (part + 1) * blocks / parts;
                 ++block) {
                context_.throw_if_stopped("multiply_normal");
                add_block(block, sum, worker);
            }
        };
        sum_over_rows(parts, out, "partial sums", context_, add);
    }

private:
    [[nodiscard]] index_t padded_columns() const {
        return (gram_.columns() + kTileColumns - 1) / kTileColumns * kTileColumns;
    }

    /// The tile at column j of the retained block, or the single buffer.
    [[nodiscard]] T* tile_at(T* buffer, index_t j) const {
        return retain_ ? buffer + j * kTileRows : buffer;
    }

    void add_block(index_t block, MatrixView<double> sum, int worker) {
        const index_t i = block * kTileRows;
        const index_t m = std::min(kTileRows, gram_.rows() - i);
        T* buffer = tiles_.of(worker);
        const MatrixView<double> u(residuals_.of(worker), m, v_.columns);
        std::fill_n(u.data, m * v_.columns, 0.0);
        each_tile(i, m, buffer, worker, true, [&](index_t j, MatrixView<const T> tile) {
            accumulate_product(tile, rows_of(v_, j, tile.columns), u, context_.device());
        });
        for (index_t r = 0; r < m; ++r) {
            const double w = weights_.empty() ? 1.0 : weights_[static_cast<std::size_t>(i + r)];
            for (index_t c = 0; c < v_.columns; ++c) {
                u(r, c) = w * u(r, c) - (z_.data == nullptr ? 0.0 : z_(i + r, c));
            }
        }
        each_tile(i, m, buffer, worker, !retain_, [&](index_t j, MatrixView<const T> tile) {
            const MatrixView<double> target(sum.row(j), tile.columns, sum.columns, sum.stride);
            accumulate_transposed(tile, u, target, context_.device());
        });
    }

    template <class F>
    void each_tile(index_t i, index_t m, T* buffer, int worker, bool fresh, const F& f) {
        for (index_t j = 0; j < gram_.columns(); j += kTileColumns) {
            const index_t n = std::min(kTileColumns, gram_.columns() - j);
            const MatrixView<T> tile(tile_at(buffer, j), m, n, kTileColumns);
            if (fresh) {
                gram_.engine().tile(gram_.left(), {i, m}, gram_.right(), {j, n}, tile,
                                    scratch_.of(worker));
            }
            f(j, MatrixView<const T>(tile));
        }
    }

    const GramMatrix& gram_;
    MatrixView<const double> v_;
    std::span<const double> weights_;
    MatrixView<const double> z_;
    Context& context_;
    bool retain_;
    WorkerScratch scratch_;
    WorkerBuffer<T> tiles_;
    WorkerBuffer<double> residuals_;
};

}  // namespace

GramMatrix::GramMatrix(const Kernel& kernel, const Dataset& rows, Precision precision,
                       Context& context)
    : engine_(make_engine(kernel, rows, {.precision = precision}, context)),
      left_(engine_->prepare(rows, context)),
      right_(left_) {}

GramMatrix::GramMatrix(const Kernel& kernel, const Dataset& left, const Dataset& right,
                       Precision precision, Context& context)
    : engine_(make_engine(
          kernel, right,
          {.precision = precision, .columns = std::max(left.columns(), right.columns())}, context)),
      left_(engine_->prepare(left, context)),
      right_(engine_->prepare(right, context)) {}

GramMatrix::GramMatrix(std::shared_ptr<const KernelEngine> engine,
                       std::shared_ptr<const PreparedRows> left,
                       std::shared_ptr<const PreparedRows> right)
    : engine_(std::move(engine)), left_(std::move(left)), right_(std::move(right)) {}

GramMatrix::GramMatrix(const GramMatrix& gram, const Dataset& left, Context& context)
    : GramMatrix(gram, gram.engine_->prepare(left, context)) {}

GramMatrix::GramMatrix(const GramMatrix& gram, std::shared_ptr<const PreparedRows> left)
    : GramMatrix(gram.engine_, std::move(left), gram.right_) {}

void GramMatrix::copy_rows(index_t begin, MatrixView<float> values, Context& context) const {
    context.count_rows(values.rows);
    copy_rows_or_half(*this, begin, values, context);
}

void GramMatrix::copy_rows(index_t begin, MatrixView<double> values, Context& context) const {
    context.count_rows(values.rows);
    copy_rows_or_half(*this, begin, values, context);
}

void GramMatrix::copy_lower(MatrixView<float> values, Context& context) const {
    context.count_rows(values.rows);
    copy_lower_of(*this, values, context);
}

void GramMatrix::copy_lower(MatrixView<double> values, Context& context) const {
    context.count_rows(values.rows);
    copy_lower_of(*this, values, context);
}

void GramMatrix::multiply(MatrixView<const double> v, MatrixView<double> out,
                          Context& context) const {
    if (v.rows != columns() || out.rows != rows() || v.columns != out.columns) {
        throw InvalidArgument(fmt::format("multiply: {} x {} times {} x {} does not give {} x {}",
                                          rows(), columns(), v.rows, v.columns, out.rows,
                                          out.columns));
    }
    context.count_products(v.columns);
    const Context::Uncounted pieces(context);
    const bool half =
        is_symmetric(*this) && rows() > kTileColumns && rows() * v.columns <= kMostHalved;
    if (precision() == Precision::float32) {
        half ? multiply_symmetric<float>(*this, v, out, context)
             : multiply_tiles<float>(*this, v, out, context);
    } else {
        half ? multiply_symmetric<double>(*this, v, out, context)
             : multiply_tiles<double>(*this, v, out, context);
    }
}

void GramMatrix::multiply_both(std::span<const double> v, std::span<const double> u,
                               std::span<double> out, std::span<double> transposed,
                               Context& context) const {
    const auto m = static_cast<std::size_t>(rows());
    const auto n = static_cast<std::size_t>(columns());
    if (v.size() != n || transposed.size() != n || u.size() != m || out.size() != m) {
        throw InvalidArgument("multiply_both: the shapes do not fit");
    }
    context.count_products(2);
    if (precision() == Precision::float32) {
        multiply_both_ways<float>(*this, v, u, out, transposed, context);
    } else {
        multiply_both_ways<double>(*this, v, u, out, transposed, context);
    }
}

void GramMatrix::multiply_normal(MatrixView<const double> v, std::span<const double> weights,
                                 MatrixView<const double> z, MatrixView<double> out,
                                 Context& context) const {
    const bool fits = v.rows == columns() && out.rows == columns() && v.columns == out.columns &&
                      (weights.empty() || static_cast<index_t>(weights.size()) == rows()) &&
                      (z.data == nullptr || (z.rows == rows() && z.columns == v.columns));
    if (!fits) {
        throw InvalidArgument("multiply_normal: the shapes do not fit");
    }
    context.count_products(2 * v.columns);
    if (precision() == Precision::float32) {
        NormalProduct<float>(*this, v, weights, z, context).run(out);
    } else {
        NormalProduct<double>(*this, v, weights, z, context).run(out);
    }
}

std::unique_ptr<const GramBlock> GramMatrix::beside(std::span<const index_t>, Context&) const {
    throw InvalidArgument("beside: this block does not belong to one operator");
}

index_t GramMatrix::scratch_bytes(Precision precision, index_t columns) {
    const index_t entry = precision == Precision::float32 ? 4 : 8;
    // Tiles and the stack of a few pair quantities, and the packed left rows of dense panels.
    return entry * kTileRows * (4 * kTileColumns + columns);
}

index_t longest_sum(index_t columns) {
    const index_t tiles = (columns + kTileColumns - 1) / kTileColumns;
    // A partial sum of a symmetric product adds the rows of its blocks one by one.
    const index_t blocks = (blocks_of(columns) + kPartialSums - 1) / kPartialSums;
    return std::min(columns, kTileColumns + tiles + blocks * kTileRows + kPartialSums);
}

}  // namespace mercer
