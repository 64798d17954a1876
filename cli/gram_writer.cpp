// SPDX-License-Identifier: Apache-2.0
//
// cli/gram_writer.cpp - row blocks sized by the memory budget, tiles on all threads, then the file.
#include "gram_writer.hpp"

#include <algorithm>
#include <cmath>

#include "matrix_file.hpp"
#include "mercer/operators/gram.hpp"
#include "stoppable_files.hpp"

namespace mercer::cli {

namespace {

// A block of 64 MiB occupies two cores for much longer than a barrier takes, and its pages are
// still being written back while the next one is computed.
constexpr index_t kLargestBlock = index_t{64} << 20;

/// Rows per block: a multiple of the tile height that fits into half of the remaining budget.
index_t block_rows(const Context& context, index_t rows, index_t row_bytes) {
    const index_t bytes = std::min(kLargestBlock, context.memory()->left() / 2);
    const index_t fitting = std::max<index_t>(1, bytes / std::max<index_t>(1, row_bytes));
    const index_t whole_tiles = std::max(kTileRows, fitting / kTileRows * kTileRows);
    return std::min(rows, whole_tiles);
}

template <typename T>
void require_finite(MatrixView<const T> rows, index_t begin) {
    for (index_t i = 0; i < rows.rows; ++i) {
        for (index_t j = 0; j < rows.columns; ++j) {
            if (!std::isfinite(rows(i, j))) {
                throw DataError(fmt::format(
                    "k(row {}, row {}) is {}: the value leaves the range of {}; rows count from 1",
                    begin + i + 1, j + 1, static_cast<double>(rows(i, j)),
                    sizeof(T) == sizeof(float) ? "float32" : "float64"));
            }
        }
    }
}

/// Computes and writes one block after the other.
template <typename T>
void write_blocks(const GramMatrix& gram, MatrixFile& file, Context& context) {
    const index_t row_bytes = checked_multiply(gram.columns(), sizeof(T));
    const index_t height = block_rows(context, gram.rows(), row_bytes);
    Buffer<T> block =
        context.allocate<T>(checked_multiply(height, gram.columns()), "a block of rows");
    for (index_t begin = 0; begin < gram.rows(); begin += height) {
        const MatrixView<T> rows(block.data(), std::min(height, gram.rows() - begin),
                                 gram.columns());
        gram.copy_rows(begin, rows, context);
        require_finite<T>(rows, begin);
        file.append_rows(rows);
        context.report({"gram", begin + rows.rows, gram.rows(), kNaN, 0});
    }
}

}  // namespace

std::string write_gram(Session& session, const Kernel& kernel, const Dataset& left,
                       const Dataset* right, const GramRequest& request) {
    Context& context = session.context();
    const GramMatrix gram = right == nullptr
                                ? GramMatrix(kernel, left, request.precision, context)
                                : GramMatrix(kernel, left, *right, request.precision, context);
    StoppableFiles files(context);
    MatrixFile file(request.output, request.format, gram.rows(), gram.columns(), request.precision,
                    files);
    if (request.precision == Precision::float32) {
        write_blocks<float>(gram, file, context);
    } else {
        write_blocks<double>(gram, file, context);
    }
    file.commit();
    return gram.engine().plan();
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
