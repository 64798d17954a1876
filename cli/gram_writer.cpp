// SPDX-License-Identifier: Apache-2.0
//
// cli/gram_writer.cpp - row blocks sized by the memory budget, tiles on all threads, then the file.
#include "gram_writer.hpp"

#include <algorithm>
#include <cmath>

#include "matrix_file.hpp"
#include "mercer/compute/engine.hpp"
#include "mercer/runtime/parallel.hpp"
#include "stoppable_files.hpp"

namespace mercer::cli {

namespace {

// A block of 64 MiB keeps two cores busy for longer than a barrier costs, and its pages are still
// being written back while the next one is computed.
constexpr index_t kLargestBlock = index_t{64} << 20;

/// Rows per block: a multiple of the tile height that fits half of what is left of the budget.
index_t block_rows(const Context& context, index_t rows, index_t row_bytes) {
    const index_t bytes = std::min(kLargestBlock, context.memory()->left() / 2);
    const index_t fitting = std::max<index_t>(1, bytes / std::max<index_t>(1, row_bytes));
    const index_t whole_tiles = std::max(kTileRows, fitting / kTileRows * kTileRows);
    return std::min(rows, whole_tiles);
}

/// One Gram matrix in the making, in precision T.
template <typename T>
class GramBlocks {
public:
    GramBlocks(const KernelEngine& engine, const PreparedRows& left, const PreparedRows& right,
               Context& context)
        : engine_(engine), left_(left), right_(right), context_(context) {
        for (int worker = 0; worker < context.threads(); ++worker) {
            scratch_.push_back(engine.make_scratch(context));
        }
        const index_t row_bytes = checked_multiply(right.rows(), sizeof(T));
        height_ = block_rows(context, left.rows(), row_bytes);
        block_ = context.allocate<T>(checked_multiply(height_, right.rows()), "a block of rows");
    }

    void write_to(MatrixFile& file) {
        for (index_t begin = 0; begin < left_.rows(); begin += height_) {
            const index_t count = std::min(height_, left_.rows() - begin);
            compute(begin, count);
            const MatrixView<const T> rows(block_.data(), count, right_.rows());
            require_finite(rows, begin);
            file.append_rows(rows);
            context_.report({"gram", begin + count, left_.rows(), kNaN, 0});
        }
    }

private:
    void compute(index_t begin, index_t count) {
        const index_t across = (right_.rows() + kTileColumns - 1) / kTileColumns;
        const index_t down = (count + kTileRows - 1) / kTileRows;
        parallel_for(context_, across * down, [&](index_t tile, int worker) {
            const index_t row = tile / across * kTileRows;
            const index_t column = tile % across * kTileColumns;
            const RowRange rows{begin + row, std::min(kTileRows, count - row)};
            const RowRange columns{column, std::min(kTileColumns, right_.rows() - column)};
            const MatrixView<T> values(block_.data() + row * right_.rows() + column, rows.count,
                                       columns.count, right_.rows());
            engine_.tile(left_, rows, right_, columns, values,
                         *scratch_[static_cast<std::size_t>(worker)]);
        });
    }

    void require_finite(MatrixView<const T> rows, index_t begin) const {
        for (index_t i = 0; i < rows.rows; ++i) {
            for (index_t j = 0; j < rows.columns; ++j) {
                if (!std::isfinite(rows(i, j))) {
                    throw DataError(fmt::format(
                        "k(row {}, row {}) is {}: the value leaves the range of {}; rows count "
                        "from 1",
                        begin + i + 1, j + 1, static_cast<double>(rows(i, j)),
                        sizeof(T) == sizeof(float) ? "float32" : "float64"));
                }
            }
        }
    }

    const KernelEngine& engine_;
    const PreparedRows& left_;
    const PreparedRows& right_;
    Context& context_;
    std::vector<std::unique_ptr<TileScratch>> scratch_;
    index_t height_ = 1;
    Buffer<T> block_;
};

}  // namespace

std::string write_gram(Session& session, const Kernel& kernel, const Dataset& left,
                       const Dataset& right, const GramRequest& request) {
    Context& context = session.context();
    EngineOptions options;
    options.precision = request.precision;
    options.columns = std::max(left.columns(), right.columns());
    const std::unique_ptr<KernelEngine> engine = make_engine(kernel, left, options, context);
    const std::unique_ptr<PreparedRows> rows = engine->prepare(left, context);
    std::unique_ptr<PreparedRows> others;
    if (&left != &right) {
        others = engine->prepare(right, context);
    }
    const PreparedRows& columns = others ? *others : *rows;
    StoppableFiles files(context);
    MatrixFile file(request.output, request.format, left.rows(), right.rows(), request.precision,
                    files);
    if (request.precision == Precision::float32) {
        GramBlocks<float>(*engine, *rows, columns, context).write_to(file);
    } else {
        GramBlocks<double>(*engine, *rows, columns, context).write_to(file);
    }
    file.commit();
    return engine->plan();
}

void write_diagonal(Session& session, const Kernel& kernel, const Dataset& rows,
                    const GramRequest& request) {
    Context& context = session.context();
    Buffer<double> values = context.allocate<double>(rows.rows(), "the diagonal");
    kernel_diagonal(kernel, rows, values.span());
    for (index_t i = 0; i < rows.rows(); ++i) {
        if (!std::isfinite(values[i])) {
            throw DataError(
                fmt::format("k(row {0}, row {0}) is {1}; rows count from 1", i + 1, values[i]));
        }
    }
    StoppableFiles files(context);
    MatrixFile file(request.output, request.format, rows.rows(), 1, request.precision, files);
    file.append_rows(MatrixView<const double>(values.data(), rows.rows(), 1));
    file.commit();
}

}  // namespace mercer::cli
