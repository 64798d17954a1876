// SPDX-License-Identifier: Apache-2.0
//
// src/compute/cpu/linear_algebra.cpp - tiles of single-threaded calls into BLAS and LAPACK.
#include "mercer/compute/linear_algebra.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "compute/cpu/backend.hpp"
#include "compute/cpu/blas.hpp"
#include "mercer/base/checked.hpp"
#include "mercer/base/error.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/parallel.hpp"

namespace mercer {

BlasInfo blas_info() {
    const cpu::Blas& blas = cpu::blas();
    return {blas.path, blas.version, blas.core_type};
}

}  // namespace mercer

namespace mercer::cpu {

namespace {

int to_int(index_t value, const char* what) {
    if (value > std::numeric_limits<int>::max()) {
        throw InvalidArgument(fmt::format("{}: got {}, BLAS takes at most 2^31 - 1", what, value));
    }
    return static_cast<int>(value);
}

// A tile of a product; with 256 x 1024 a core reaches full speed, and 1024 x 1024 occupies four.
constexpr index_t kProductRows = 256;
constexpr index_t kProductColumns = 1024;

template <typename T, class Gemm>
void multiply_with(Gemm gemm, const Operand<T>& a, const Operand<T>& b, T alpha, T beta,
                   MatrixView<T> c, Context& context) {
    const auto transposed = [](bool yes) { return yes ? kTranspose : kNoTranspose; };
    const int depth = to_int(a.columns(), "inner size");
    const int stride_a = to_int(std::max<index_t>(1, a.matrix.stride), "stride");
    const int stride_b = to_int(std::max<index_t>(1, b.matrix.stride), "stride");
    const int stride_c = to_int(c.stride, "stride");
    const index_t across = (c.columns + kProductColumns - 1) / kProductColumns;
    const index_t down = (c.rows + kProductRows - 1) / kProductRows;
    parallel_for(context, across * down, [&](index_t tile, int) {
        stay_single();
        const index_t i = tile / across * kProductRows;
        const index_t j = tile % across * kProductColumns;
        gemm(kRowMajor, transposed(a.transposed), transposed(b.transposed),
             static_cast<int>(std::min(kProductRows, c.rows - i)),
             static_cast<int>(std::min(kProductColumns, c.columns - j)), depth, alpha,
             a.transposed ? a.matrix.data + i : a.matrix.row(i), stride_a,
             b.transposed ? b.matrix.row(j) : b.matrix.data + j, stride_b, beta, c.row(i) + j,
             stride_c);
    });
}

}  // namespace

void CpuBackend::multiply(Operand<float> a, Operand<float> b, float alpha, float beta,
                          MatrixView<float> c, Context& context) const {
    multiply_with<float>(single_blas().sgemm, a, b, alpha, beta, c, context);
}

void CpuBackend::multiply(Operand<double> a, Operand<double> b, double alpha, double beta,
                          MatrixView<double> c, Context& context) const {
    multiply_with<double>(single_blas().dgemm, a, b, alpha, beta, c, context);
}

namespace {

// Panels and tiles of the blocked Cholesky. Tiles are fixed and each is one single-threaded BLAS
// call, so the bits do not depend on the number of threads, and a stop request waits for at most
// one tile. One thread, n = 4000, seconds: OpenBLAS's dpotrf 0.49, panels of 256 with tiles of 512
// 0.53, of 1024 0.507; panels of 128 or 512 are no better. Large tiles pack less, small ones occupy
// more threads: large ones are used while there are at least 21 of them.
constexpr index_t kPanel = 256;
constexpr index_t kTile = 512;
constexpr index_t kLargeTile = 1024;
constexpr index_t kLargeFrom = 5 * kLargeTile;

index_t trailing_tile(index_t rows) { return rows > kLargeFrom ? kLargeTile : kTile; }

/// The routines of one element type.
template <typename T>
struct Routines;
template <>
struct Routines<float> {
    const Blas& blas = single_blas();
    decltype(Blas::sgemm) gemm = blas.sgemm;
    decltype(Blas::ssyrk) syrk = blas.ssyrk;
    decltype(Blas::strsm) trsm = blas.strsm;
    decltype(Blas::spotrf) potrf = blas.spotrf;
};
template <>
struct Routines<double> {
    const Blas& blas = single_blas();
    decltype(Blas::dgemm) gemm = blas.dgemm;
    decltype(Blas::dsyrk) syrk = blas.dsyrk;
    decltype(Blas::dtrsm) trsm = blas.dtrsm;
    decltype(Blas::dpotrf) potrf = blas.dpotrf;
};

index_t tiles_of(index_t rows) { return (rows + kTile - 1) / kTile; }

/// Rows begin .. of the panel at columns first ..: solves against the diagonal block.
template <typename T>
void solve_panel(const Routines<T>& blas, MatrixView<T> a, index_t first, int width,
                 Context& context) {
    const index_t begin = first + width;
    const int stride = to_int(a.stride, "stride");
    parallel_for(context, tiles_of(a.rows - begin), [&](index_t tile, int) {
        stay_single();
        const index_t i = begin + tile * kTile;
        blas.trsm(kRowMajor, kRight, kLower, kTranspose, kNonUnit,
                  static_cast<int>(std::min(kTile, a.rows - i)), width, T{1}, a.row(first) + first,
                  stride, a.row(i) + first, stride);
    });
}

/// a(trailing) -= panel panel', tile by tile of the lower triangle.
template <typename T>
void update_trailing(const Routines<T>& blas, MatrixView<T> a, index_t first, int width,
                     Context& context) {
    const index_t begin = first + width;
    const int stride = to_int(a.stride, "stride");
    const index_t tile = trailing_tile(a.rows - begin);
    const index_t tiles = (a.rows - begin + tile - 1) / tile;
    parallel_for(context, tiles * (tiles + 1) / 2, [&](index_t task, int) {
        stay_single();
        // Task k is entry (r, c) of the lower triangle, counted row by row.
        auto r =
            static_cast<index_t>((std::sqrt(8.0 * static_cast<double>(task) + 1.0) - 1.0) / 2.0);
        r += (r + 1) * (r + 2) / 2 <= task ? 1 : 0;
        r -= r * (r + 1) / 2 > task ? 1 : 0;
        const index_t c = task - r * (r + 1) / 2;
        const index_t i = begin + r * tile;
        const index_t j = begin + c * tile;
        const int rows = static_cast<int>(std::min(tile, a.rows - i));
        const int columns = static_cast<int>(std::min(tile, a.rows - j));
        if (r == c) {
            blas.syrk(kRowMajor, kLower, kNoTranspose, rows, width, T{-1}, a.row(i) + first, stride,
                      T{1}, a.row(i) + j, stride);
        } else {
            blas.gemm(kRowMajor, kNoTranspose, kTranspose, rows, columns, width, T{-1},
                      a.row(i) + first, stride, a.row(j) + first, stride, T{1}, a.row(i) + j,
                      stride);
        }
    });
}

template <typename T>
bool cholesky_of(MatrixView<T> a, Context& context) {
    const Routines<T> blas;
    const int stride = to_int(std::max<index_t>(1, a.stride), "stride");
    for (index_t k = 0; k < a.rows; k += kPanel) {
        context.throw_if_stopped("cholesky");
        const int width = static_cast<int>(std::min(kPanel, a.rows - k));
        int info = 0;
        // Row-major lower is column-major upper.
        blas.potrf("U", &width, a.row(k) + k, &stride, &info);
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

// Fewer right-hand sides than this are solved panel by panel with our own products, which stream
// the factor once on all threads; more of them are split into tiles of columns, one BLAS call each.
constexpr index_t kFewColumns = 16;

/// A block of the right-hand sides in double, whatever the factor is.
template <typename T>
void solve_diagonal(const Routines<T>& blas, MatrixView<const T> factor, index_t k, int width,
                    bool transpose, MatrixView<double> b) {
    std::vector<T> block(static_cast<std::size_t>(width * b.columns));
    for (index_t i = 0; i < width; ++i) {
        for (index_t c = 0; c < b.columns; ++c) {
            block[static_cast<std::size_t>(i * b.columns + c)] = static_cast<T>(b(k + i, c));
        }
    }
    blas.trsm(kRowMajor, kLeft, kLower, transpose ? kTranspose : kNoTranspose, kNonUnit, width,
              static_cast<int>(b.columns), T{1}, factor.row(k) + k, to_int(factor.stride, "stride"),
              block.data(), static_cast<int>(b.columns));
    for (index_t i = 0; i < width; ++i) {
        for (index_t c = 0; c < b.columns; ++c) {
            b(k + i, c) = static_cast<double>(block[static_cast<std::size_t>(i * b.columns + c)]);
        }
    }
}

/// Minus rows k .. k+width-1 of b, by which the tiles below or next to them are multiplied.
std::vector<double> negated(MatrixView<double> b, index_t k, index_t width) {
    std::vector<double> out;
    out.reserve(static_cast<std::size_t>(width * b.columns));
    for (index_t i = k; i < k + width; ++i) {
        for (index_t c = 0; c < b.columns; ++c) {
            out.push_back(-b(i, c));
        }
    }
    return out;
}

/// L x = b, panel by panel: solve the diagonal block, then eliminate it from the rows below.
template <typename T>
void forward_panels(MatrixView<const T> factor, MatrixView<double> b, Context& context) {
    const Routines<T> blas;
    const index_t n = factor.rows;
    for (index_t k = 0; k < n; k += kPanel) {
        const index_t width = std::min(kPanel, n - k);
        solve_diagonal(blas, factor, k, static_cast<int>(width), false, b);
        const std::vector<double> solved = negated(b, k, width);
        const MatrixView<const double> v(solved.data(), width, b.columns);
        const index_t begin = k + width;
        parallel_for(context, tiles_of(n - begin), [&](index_t tile, int) {
            const index_t i = begin + tile * kTile;
            const index_t rows = std::min(kTile, n - i);
            cpu_backend().accumulate_product(
                MatrixView<const T>(factor.row(i) + k, rows, width, factor.stride), v,
                MatrixView<double>(b.row(i), rows, b.columns, b.stride));
        });
    }
}

/// L' x = b from the last panel to the first: solve, then eliminate it from the rows above.
template <typename T>
void backward_panels(MatrixView<const T> factor, MatrixView<double> b, Context& context) {
    const Routines<T> blas;
    const index_t n = factor.rows;
    for (index_t k = (n - 1) / kPanel * kPanel; k >= 0; k -= kPanel) {
        const index_t width = std::min(kPanel, n - k);
        solve_diagonal(blas, factor, k, static_cast<int>(width), true, b);
        const std::vector<double> solved = negated(b, k, width);
        const MatrixView<const double> u(solved.data(), width, b.columns);
        parallel_for(context, tiles_of(k), [&](index_t tile, int) {
            const index_t j = tile * kTile;
            const index_t columns = std::min(kTile, k - j);
            cpu_backend().accumulate_transposed(
                MatrixView<const T>(factor.row(k) + j, width, columns, factor.stride), u,
                MatrixView<double>(b.row(j), columns, b.columns, b.stride));
        });
    }
}

/// L x = b or L' x = b for many columns: tiles of columns, each one BLAS call.
void solve_columns(MatrixView<const double> factor, bool transpose, MatrixView<double> b,
                   Context& context) {
    const Blas& blas = single_blas();
    const int stride = to_int(factor.stride, "stride");
    parallel_for(context, (b.columns + kPanel - 1) / kPanel, [&](index_t tile, int) {
        stay_single();
        const index_t j = tile * kPanel;
        blas.dtrsm(kRowMajor, kLeft, kLower, transpose ? kTranspose : kNoTranspose, kNonUnit,
                   to_int(b.rows, "rows"), static_cast<int>(std::min(kPanel, b.columns - j)), 1.0,
                   factor.data, stride, b.data + j, to_int(b.stride, "stride"));
    });
}

}  // namespace

bool CpuBackend::cholesky(MatrixView<double> a, Context& context) const {
    return cholesky_of(a, context);
}

bool CpuBackend::cholesky(MatrixView<float> a, Context& context) const {
    return cholesky_of(a, context);
}

void CpuBackend::solve_triangle(MatrixView<const double> factor, bool transposed,
                                MatrixView<double> b, Context& context) const {
    if (b.columns >= kFewColumns) {
        solve_columns(factor, transposed, b, context);
    } else if (transposed) {
        backward_panels(factor, b, context);
    } else {
        forward_panels(factor, b, context);
    }
}

void CpuBackend::solve_triangle(MatrixView<const float> factor, bool transposed,
                                MatrixView<double> b, Context& context) const {
    if (transposed) {
        backward_panels(factor, b, context);
    } else {
        forward_panels(factor, b, context);
    }
}

void CpuBackend::inverse_diagonal(MatrixView<const double> factor, std::span<double> out,
                                  Context& context) const {
    // (L L')^-1 has the column sums of squares of L^-1 on its diagonal. A block of columns of L^-1
    // is zero above its first row, so only the trailing part of L is needed.
    const Blas& blas = single_blas();
    const index_t n = factor.rows;
    const int stride = to_int(std::max<index_t>(1, factor.stride), "stride");
    parallel_for(context, (n + kPanel - 1) / kPanel, [&](index_t block, int) {
        stay_single();
        const index_t j = block * kPanel;
        const index_t width = std::min(kPanel, n - j);
        Buffer<double> columns = context.allocate<double>((n - j) * width, "columns of an inverse");
        for (index_t c = 0; c < width; ++c) {
            columns[c * width + c] = 1.0;
        }
        blas.dtrsm(kRowMajor, kLeft, kLower, kNoTranspose, kNonUnit, to_int(n - j, "rows"),
                   static_cast<int>(width), 1.0, factor.row(j) + j, stride, columns.data(),
                   static_cast<int>(width));
        for (index_t c = 0; c < width; ++c) {
            double sum = 0.0;
            for (index_t i = c; i < n - j; ++i) {
                sum += columns[i * width + c] * columns[i * width + c];
            }
            out[static_cast<std::size_t>(j + c)] = sum;
        }
    });
}

void CpuBackend::symmetric_eigen(MatrixView<double> a, std::span<double> values, bool vectors,
                                 Context& context) const {
    const Blas& blas = single_blas();
    // Row-major symmetric is column-major symmetric; LAPACK's columns of eigenvectors are our rows.
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

void CpuBackend::singular_values(MatrixView<double> a, MatrixView<double> left,
                                 std::span<double> values, MatrixView<double> right,
                                 Context& context) const {
    const Blas& blas = single_blas();
    // Row-major a is a' to LAPACK: its left vectors are our right ones, and vice versa.
    const int m = to_int(a.columns, "columns");
    const int n = to_int(a.rows, "rows");
    const int stride = to_int(a.stride, "stride");
    const int right_stride = to_int(right.stride, "stride");
    const int left_stride = to_int(left.stride, "stride");
    Buffer<int> integer_work =
        context.allocate<int>(checked_multiply(8, std::min(a.rows, a.columns)), "work space");
    int info = 0;
    double work_size = 0.0;
    const int query = -1;
    blas.dgesdd("S", &m, &n, a.data, &stride, values.data(), right.data, &right_stride, left.data,
                &left_stride, &work_size, &query, integer_work.data(), &info);
    const int work_length = to_int(static_cast<index_t>(work_size), "work");
    Buffer<double> work = context.allocate<double>(work_length, "work space");
    blas.dgesdd("S", &m, &n, a.data, &stride, values.data(), right.data, &right_stride, left.data,
                &left_stride, work.data(), &work_length, integer_work.data(), &info);
    if (info != 0) {
        throw InternalError(fmt::format("LAPACK dgesdd failed with {}", info));
    }
}

}  // namespace mercer::cpu
