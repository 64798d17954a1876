// SPDX-License-Identifier: Apache-2.0
//
// src/audit/cholesky.cpp - Cholesky factor row by row, from inner products of rows.
//
// Method   Cholesky-Banachiewicz. Rows below a panel depend only on the panel, so the threads share
//          them; every sum has its own fixed order.
// Cost     d^3 / 3 operations for the factor and as many for the trace: for both together 1.5 s on
// one
//          core with d = 2,500, a few milliseconds with d = 400.
#include "audit/cholesky.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "mercer/runtime/context.hpp"
#include "mercer/runtime/parallel.hpp"

namespace mercer::audit {

namespace {

constexpr index_t kPanel = 64;
constexpr index_t kRowsPerTask = 8;
constexpr index_t kColumnsPerTask = 8;  // of L^-1

/// The inner product of two row segments, in eight interleaved sums.
double product(const double* a, const double* b, index_t n) {
    std::array<double, 8> sums{};
    index_t k = 0;
    for (; k + 8 <= n; k += 8) {
        for (index_t s = 0; s < 8; ++s) {
            sums[static_cast<std::size_t>(s)] += a[k + s] * b[k + s];
        }
    }
    double rest = 0.0;
    for (; k < n; ++k) {
        rest += a[k] * b[k];
    }
    return ((sums[0] + sums[4]) + (sums[2] + sums[6])) +
           ((sums[1] + sums[5]) + (sums[3] + sums[7])) + rest;
}

/// Computes entry (i, j) below the diagonal from the entries left of it and from row j.
void reduce(MatrixView<double> l, index_t i, index_t j) {
    l(i, j) = (l(i, j) - product(l.row(i), l.row(j), j)) / l(j, j);
}

/// The sum of squares of columns begin .. end - 1 of L^-1. They are solved together, so that each
/// row of L is fetched once for all of them.
double inverse_squares(MatrixView<const double> l, index_t begin, index_t end) {
    const index_t rows = l.rows - begin;
    std::vector<double> columns(static_cast<std::size_t>((end - begin) * rows));
    double sum = 0.0;
    for (index_t i = begin; i < l.rows; ++i) {
        for (index_t c = begin; c < std::min(end, i + 1); ++c) {
            double* column = columns.data() + (c - begin) * rows;  // it starts at row c
            const double unit = i == c ? 1.0 : 0.0;
            const double value = (unit - product(l.row(i) + c, column, i - c)) / l(i, i);
            column[i - c] = value;
            sum += value * value;
        }
    }
    return sum;
}

}  // namespace

bool factor(MatrixView<double> matrix, Context& context) {
    const index_t d = matrix.rows;
    for (index_t begin = 0; begin < d; begin += kPanel) {
        const index_t end = std::min(d, begin + kPanel);
        context.throw_if_stopped("verify");
        for (index_t i = begin; i < end; ++i) {
            for (index_t j = begin; j < i; ++j) {
                reduce(matrix, i, j);
            }
            const double pivot = matrix(i, i) - product(matrix.row(i), matrix.row(i), i);
            if (!(pivot > 0.0)) {
                return false;
            }
            matrix(i, i) = std::sqrt(pivot);
        }
        parallel_for(context, (d - end + kRowsPerTask - 1) / kRowsPerTask, [&](index_t task, int) {
            const index_t first = end + task * kRowsPerTask;
            for (index_t j = begin; j < end; ++j) {
                for (index_t i = first; i < std::min(d, first + kRowsPerTask); ++i) {
                    reduce(matrix, i, j);
                }
            }
        });
    }
    return true;
}

std::vector<double> solve_factor(MatrixView<const double> factor, std::vector<double> b) {
    for (index_t i = 0; i < factor.rows; ++i) {
        double& value = b[static_cast<std::size_t>(i)];
        value = (value - product(factor.row(i), b.data(), i)) / factor(i, i);
    }
    return b;
}

double inverse_trace(MatrixView<const double> factor, Context& context) {
    const index_t tasks = (factor.rows + kColumnsPerTask - 1) / kColumnsPerTask;
    std::vector<double> squares(static_cast<std::size_t>(tasks));
    parallel_for(context, tasks, [&](index_t task, int) {
        const index_t begin = task * kColumnsPerTask;
        squares[static_cast<std::size_t>(task)] =
            inverse_squares(factor, begin, std::min(factor.rows, begin + kColumnsPerTask));
    });
    double trace = 0.0;
    for (const double square : squares) {
        trace += square;
    }
    return trace;
}

}  // namespace mercer::audit
