// SPDX-License-Identifier: Apache-2.0
//
// src/compute/cpu/linear_algebra.cpp - checked calls into BLAS and LAPACK.
#include "mercer/compute/linear_algebra.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "compute/cpu/blas.hpp"
#include "mercer/base/error.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/parallel.hpp"

namespace mercer {

namespace {

int to_int(index_t value, const char* what) {
    if (value > std::numeric_limits<int>::max()) {
        throw InvalidArgument(fmt::format("{}: got {}, BLAS takes at most 2^31 - 1", what, value));
    }
    return static_cast<int>(value);
}

const cpu::Blas& blas_with_threads(Context& context) {
    const cpu::Blas& blas = cpu::blas();
    if (blas.set_threads != nullptr) {
        blas.set_threads(context.threads());
    }
    return blas;
}

template <typename T, class Gemm>
void multiply_with(Gemm gemm, MatrixView<const T> a, bool transpose_a, MatrixView<const T> b,
                   bool transpose_b, T alpha, T beta, MatrixView<T> c) {
    const index_t m = transpose_a ? a.columns : a.rows;
    const index_t k = transpose_a ? a.rows : a.columns;
    const index_t n = transpose_b ? b.rows : b.columns;
    if (k != (transpose_b ? b.columns : b.rows) || c.rows != m || c.columns != n) {
        throw InvalidArgument(fmt::format("multiply: {} x {} times {} x {} does not give {} x {}",
                                          m, k, transpose_b ? b.columns : b.rows, n, c.rows,
                                          c.columns));
    }
    if (m == 0 || n == 0) {
        return;
    }
    const auto transposed = [](bool yes) { return yes ? cpu::kTranspose : cpu::kNoTranspose; };
    gemm(cpu::kRowMajor, transposed(transpose_a), transposed(transpose_b), to_int(m, "rows"),
         to_int(n, "columns"), to_int(k, "inner size"), alpha, a.data,
         to_int(std::max<index_t>(1, a.stride), "stride"), b.data,
         to_int(std::max<index_t>(1, b.stride), "stride"), beta, c.data,
         to_int(c.stride, "stride"));
}

}  // namespace

BlasInfo blas_info() {
    const cpu::Blas& blas = cpu::blas();
    return {blas.path, blas.version, blas.core_type};
}

void multiply(MatrixView<const float> a, bool transpose_a, MatrixView<const float> b,
              bool transpose_b, float alpha, float beta, MatrixView<float> c, Context& context) {
    multiply_with<float>(blas_with_threads(context).sgemm, a, transpose_a, b, transpose_b, alpha,
                         beta, c);
}

void multiply(MatrixView<const double> a, bool transpose_a, MatrixView<const double> b,
              bool transpose_b, double alpha, double beta, MatrixView<double> c, Context& context) {
    multiply_with<double>(blas_with_threads(context).dgemm, a, transpose_a, b, transpose_b, alpha,
                          beta, c);
}

namespace {

// Panels and tiles of the blocked Cholesky. Tiles are fixed and each is one single-threaded BLAS
// call, so the bits do not depend on the number of threads, and a stop request waits for a tile
// only. At n = 8000 on two cores 256 x 512 ran as fast as OpenBLAS's own threaded dpotrf.
constexpr index_t kPanel = 256;
constexpr index_t kTile = 512;

/// BLAS for calls from inside tiles: one thread each.
const cpu::Blas& blas_for_tiles() {
    const cpu::Blas& blas = cpu::blas();
    if (blas.set_threads != nullptr) {
        blas.set_threads(1);
    }
    return blas;
}

index_t tiles_of(index_t rows) { return (rows + kTile - 1) / kTile; }

void require_square(MatrixView<const double> a, index_t n, const char* what) {
    if (a.rows != a.columns || a.rows != n) {
        throw InvalidArgument(
            fmt::format("{}: got a {} x {} matrix for {} rows", what, a.rows, a.columns, n));
    }
}

/// Rows begin .. of the panel at columns first ..: solves against the diagonal block.
void solve_panel(const cpu::Blas& blas, MatrixView<double> a, index_t first, int width,
                 Context& context) {
    const index_t begin = first + width;
    const int stride = to_int(a.stride, "stride");
    parallel_for(context, tiles_of(a.rows - begin), [&](index_t tile, int) {
        const index_t i = begin + tile * kTile;
        blas.dtrsm(cpu::kRowMajor, cpu::kRight, cpu::kLower, cpu::kTranspose, cpu::kNonUnit,
                   static_cast<int>(std::min(kTile, a.rows - i)), width, 1.0, a.row(first) + first,
                   stride, a.row(i) + first, stride);
    });
}

/// a(trailing) -= panel panel', tile by tile of the lower triangle.
void update_trailing(const cpu::Blas& blas, MatrixView<double> a, index_t first, int width,
                     Context& context) {
    const index_t begin = first + width;
    const int stride = to_int(a.stride, "stride");
    const index_t tiles = tiles_of(a.rows - begin);
    parallel_for(context, tiles * (tiles + 1) / 2, [&](index_t task, int) {
        // Task k is entry (r, c) of the lower triangle, counted row by row.
        auto r =
            static_cast<index_t>((std::sqrt(8.0 * static_cast<double>(task) + 1.0) - 1.0) / 2.0);
        r += (r + 1) * (r + 2) / 2 <= task ? 1 : 0;
        r -= r * (r + 1) / 2 > task ? 1 : 0;
        const index_t c = task - r * (r + 1) / 2;
        const index_t i = begin + r * kTile;
        const index_t j = begin + c * kTile;
        const int rows = static_cast<int>(std::min(kTile, a.rows - i));
        const int columns = static_cast<int>(std::min(kTile, a.rows - j));
        if (r == c) {
            blas.dsyrk(cpu::kRowMajor, cpu::kLower, cpu::kNoTranspose, rows, width, -1.0,
                       a.row(i) + first, stride, 1.0, a.row(i) + j, stride);
        } else {
            blas.dgemm(cpu::kRowMajor, cpu::kNoTranspose, cpu::kTranspose, rows, columns, width,
                       -1.0, a.row(i) + first, stride, a.row(j) + first, stride, 1.0, a.row(i) + j,
                       stride);
        }
    });
}

}  // namespace

bool cholesky(MatrixView<double> a, Context& context) {
    require_square(a, a.rows, "cholesky");
    const cpu::Blas& blas = blas_for_tiles();
    const int stride = to_int(std::max<index_t>(1, a.stride), "stride");
    for (index_t k = 0; k < a.rows; k += kPanel) {
        context.throw_if_stopped("cholesky");
        const int width = static_cast<int>(std::min(kPanel, a.rows - k));
        int info = 0;
        // Row-major lower is column-major upper.
        blas.dpotrf("U", &width, a.row(k) + k, &stride, &info);
        if (info != 0) {
            return false;
        }
        if (k + width < a.rows) {
            solve_panel(blas, a, k, width, context);
            update_trailing(blas, a, k, width, context);
        }
        context.report({.stage = "factor", .done = k + width, .total = a.rows});
    }
    return true;
}

void solve_lower(MatrixView<const double> factor, MatrixView<double> b, Context& context) {
    require_square(factor, b.rows, "solve_lower");
    if (b.rows == 0 || b.columns == 0) {
        return;
    }
    context.throw_if_stopped("solve_lower");
    blas_for_tiles().dtrsm(cpu::kRowMajor, cpu::kLeft, cpu::kLower, cpu::kNoTranspose,
                           cpu::kNonUnit, to_int(b.rows, "rows"), to_int(b.columns, "columns"), 1.0,
                           factor.data, to_int(factor.stride, "stride"), b.data,
                           to_int(b.stride, "stride"));
}

void cholesky_solve(MatrixView<const double> factor, MatrixView<double> b, Context& context) {
    solve_lower(factor, b, context);
    if (b.rows == 0 || b.columns == 0) {
        return;
    }
    blas_for_tiles().dtrsm(cpu::kRowMajor, cpu::kLeft, cpu::kLower, cpu::kTranspose, cpu::kNonUnit,
                           to_int(b.rows, "rows"), to_int(b.columns, "columns"), 1.0, factor.data,
                           to_int(factor.stride, "stride"), b.data, to_int(b.stride, "stride"));
}

void inverse_diagonal(MatrixView<const double> factor, std::span<double> out, Context& context) {
    require_square(factor, static_cast<index_t>(out.size()), "inverse_diagonal");
    // (L L')^-1 has the column sums of squares of L^-1 on its diagonal. A block of columns of L^-1
    // is zero above its first row, so only the trailing part of L is needed.
    const cpu::Blas& blas = blas_for_tiles();
    const index_t n = factor.rows;
    const int stride = to_int(std::max<index_t>(1, factor.stride), "stride");
    parallel_for(context, (n + kPanel - 1) / kPanel, [&](index_t block, int) {
        const index_t j = block * kPanel;
        const index_t width = std::min(kPanel, n - j);
        Buffer<double> columns = context.allocate<double>((n - j) * width, "columns of an inverse");
        for (index_t c = 0; c < width; ++c) {
            columns[c * width + c] = 1.0;
        }
        blas.dtrsm(cpu::kRowMajor, cpu::kLeft, cpu::kLower, cpu::kNoTranspose, cpu::kNonUnit,
                   to_int(n - j, "rows"), static_cast<int>(width), 1.0, factor.row(j) + j, stride,
                   columns.data(), static_cast<int>(width));
        for (index_t c = 0; c < width; ++c) {
            double sum = 0.0;
            for (index_t i = c; i < n - j; ++i) {
                sum += columns[i * width + c] * columns[i * width + c];
            }
            out[static_cast<std::size_t>(j + c)] = sum;
        }
    });
}

void symmetric_eigen(MatrixView<double> a, std::span<double> values, bool vectors,
                     Context& context) {
    if (a.rows != a.columns || static_cast<index_t>(values.size()) != a.rows) {
        throw InvalidArgument(fmt::format("symmetric_eigen: got {} x {} with {} values", a.rows,
                                          a.columns, values.size()));
    }
    for (index_t i = 0; i < a.rows; ++i) {
        for (index_t j = 0; j < a.columns; ++j) {
            if (!std::isfinite(a(i, j))) {
                throw InvalidArgument(
                    fmt::format("symmetric_eigen: entry ({}, {}) is not finite", i, j));
            }
        }
    }
    if (a.rows == 0) {
        return;
    }
    const cpu::Blas& blas = blas_with_threads(context);
    // Row-major symmetric is column-major symmetric; eigenvectors come out as columns, our rows.
    const char* job = vectors ? "V" : "N";
    const int n = to_int(a.rows, "rows");
    const int stride = to_int(a.stride, "stride");
    int info = 0;
    double work_size = 0.0;
    int integer_work_size = 0;
    const int query = -1;
    blas.dsyevd(job, "U", &n, a.data, &stride, values.data(), &work_size, &query,
                &integer_work_size, &query, &info);
    const int work_length = to_int(static_cast<index_t>(work_size), "work");
    Buffer<double> work = context.allocate<double>(work_length, "eigenvalue work space");
    Buffer<int> integer_work = context.allocate<int>(integer_work_size, "eigenvalue work space");
    blas.dsyevd(job, "U", &n, a.data, &stride, values.data(), work.data(), &work_length,
                integer_work.data(), &integer_work_size, &info);
    if (info != 0) {
        throw InternalError(fmt::format("LAPACK dsyevd failed with {}", info));
    }
}

}  // namespace mercer
