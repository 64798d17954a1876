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
        throw InvalidArgument(fmt::format("multiply: {} x {} times {} x {} does not give {} x {}", m,
                                          k, transpose_b ? b.columns : b.rows, n, c.rows,
                                          c.columns));
    }
    if (m == 0 || n == 0) {
        return;
    }
    const auto transposed = [](bool yes) { return yes ? cpu::kTranspose : cpu::kNoTranspose; };
    gemm(cpu::kRowMajor, transposed(transpose_a), transposed(transpose_b), to_int(m, "rows"),
         to_int(n, "columns"), to_int(k, "inner size"), alpha, a.data,
         to_int(std::max<index_t>(1, a.stride), "stride"), b.data,
         to_int(std::max<index_t>(1, b.stride), "stride"), beta, c.data, to_int(c.stride, "stride"));
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
              bool transpose_b, double alpha, double beta, MatrixView<double> c,
              Context& context) {
    multiply_with<double>(blas_with_threads(context).dgemm, a, transpose_a, b, transpose_b, alpha,
                          beta, c);
}

namespace {

// Panels of the blocked Cholesky. 512 to 1024 measured alike; the smaller one answers a stop request
// sooner.
constexpr index_t kPanel = 768;
// Rows of the trailing matrix updated by one call, so that no call lasts much longer than a panel.
constexpr index_t kTrailing = 6144;

void require_square(MatrixView<const double> a, index_t n, const char* what) {
    if (a.rows != a.columns || a.rows != n) {
        throw InvalidArgument(
            fmt::format("{}: got a {} x {} matrix for {} rows", what, a.rows, a.columns, n));
    }
}

/// a(trailing) -= panel panel', lower triangle, in bands.
void update_trailing(const cpu::Blas& blas, MatrixView<double> a, index_t first, index_t begin,
                     int width) {
    const int stride = to_int(a.stride, "stride");
    for (index_t i = begin; i < a.rows; i += kTrailing) {
        const int rows = static_cast<int>(std::min(kTrailing, a.rows - i));
        const double* band = a.row(i) + first;
        if (i > begin) {
            blas.dgemm(cpu::kRowMajor, cpu::kNoTranspose, cpu::kTranspose, rows,
                       static_cast<int>(i - begin), width, -1.0, band, stride,
                       a.row(begin) + first, stride, 1.0, a.row(i) + begin, stride);
        }
        blas.dsyrk(cpu::kRowMajor, cpu::kLower, cpu::kNoTranspose, rows, width, -1.0, band, stride,
                   1.0, a.row(i) + i, stride);
    }
}

}  // namespace

bool cholesky(MatrixView<double> a, Context& context) {
    require_square(a, a.rows, "cholesky");
    const cpu::Blas& blas = blas_with_threads(context);
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
        const index_t rest = k + width;
        if (rest < a.rows) {
            blas.dtrsm(cpu::kRowMajor, cpu::kRight, cpu::kLower, cpu::kTranspose, cpu::kNonUnit,
                       to_int(a.rows - rest, "rows"), width, 1.0, a.row(k) + k, stride,
                       a.row(rest) + k, stride);
            update_trailing(blas, a, k, rest, width);
        }
        context.report({.stage = "factor", .done = rest, .total = a.rows});
    }
    return true;
}

void solve_lower(MatrixView<const double> factor, MatrixView<double> b, Context& context) {
    require_square(factor, b.rows, "solve_lower");
    if (b.rows == 0 || b.columns == 0) {
        return;
    }
    blas_with_threads(context).dtrsm(cpu::kRowMajor, cpu::kLeft, cpu::kLower, cpu::kNoTranspose,
                                     cpu::kNonUnit, to_int(b.rows, "rows"),
                                     to_int(b.columns, "columns"), 1.0, factor.data,
                                     to_int(factor.stride, "stride"), b.data,
                                     to_int(b.stride, "stride"));
}

void cholesky_solve(MatrixView<const double> factor, MatrixView<double> b, Context& context) {
    solve_lower(factor, b, context);
    if (b.rows == 0 || b.columns == 0) {
        return;
    }
    blas_with_threads(context).dtrsm(cpu::kRowMajor, cpu::kLeft, cpu::kLower, cpu::kTranspose,
                                     cpu::kNonUnit, to_int(b.rows, "rows"),
                                     to_int(b.columns, "columns"), 1.0, factor.data,
                                     to_int(factor.stride, "stride"), b.data,
                                     to_int(b.stride, "stride"));
}

void inverse_diagonal(MatrixView<double> factor, std::span<double> out, Context& context) {
    require_square(factor, static_cast<index_t>(out.size()), "inverse_diagonal");
    std::fill(out.begin(), out.end(), 0.0);
    if (out.empty()) {
        return;
    }
    const int n = to_int(factor.rows, "rows");
    const int stride = to_int(factor.stride, "stride");
    int info = 0;
    blas_with_threads(context).dtrtri("U", "N", &n, factor.data, &stride, &info);
    if (info != 0) {
        throw InvalidArgument(fmt::format("inverse_diagonal: the factor's pivot {} is zero", info));
    }
    for (index_t i = 0; i < factor.rows; ++i) {
        for (index_t j = 0; j <= i; ++j) {
            out[static_cast<std::size_t>(j)] += factor(i, j) * factor(i, j);
        }
    }
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
