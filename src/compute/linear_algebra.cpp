// SPDX-License-Identifier: Apache-2.0
//
// src/compute/linear_algebra.cpp - checks arguments, then calls the backend.
#include "mercer/compute/linear_algebra.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/compute/backend.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {

namespace {

const Backend& backend_of(const Context& context) { return backend_of(context.device()); }

template <typename T>
void require_square(MatrixView<T> a, index_t n, const char* what) {
    if (a.rows != a.columns || a.rows != n) {
        throw InvalidArgument(
            fmt::format("{}: got a {} x {} matrix for {} rows", what, a.rows, a.columns, n));
    }
}

void require_finite(MatrixView<const double> a, const char* what) {
    for (index_t i = 0; i < a.rows; ++i) {
        for (index_t j = 0; j < a.columns; ++j) {
            if (!std::isfinite(a(i, j))) {
                throw InvalidArgument(fmt::format("{}: entry ({}, {}) is not finite", what, i, j));
            }
        }
    }
}

bool is_empty(MatrixView<const double> view) { return view.rows == 0 || view.columns == 0; }

template <typename T>
void product(const Operand<T>& a, const Operand<T>& b, T alpha, T beta, MatrixView<T> c,
             Context& context) {
    if (a.columns() != b.rows() || c.rows != a.rows() || c.columns != b.columns()) {
        throw InvalidArgument(fmt::format("multiply: {} x {} times {} x {} does not give {} x {}",
                                          a.rows(), a.columns(), b.rows(), b.columns(), c.rows,
                                          c.columns));
    }
    if (c.rows > 0 && c.columns > 0) {
        backend_of(context).multiply(a, b, alpha, beta, c, context);
    }
}

template <typename T>
bool factorise(MatrixView<T> a, Context& context) {
    require_square(a, a.rows, "cholesky");
    return a.rows == 0 || backend_of(context).cholesky(a, context);
}

}  // namespace

void multiply(MatrixView<const float> a, bool transpose_a, MatrixView<const float> b,
              bool transpose_b, float alpha, float beta, MatrixView<float> c, Context& context) {
    product<float>({a, transpose_a}, {b, transpose_b}, alpha, beta, c, context);
}

void multiply(MatrixView<const double> a, bool transpose_a, MatrixView<const double> b,
              bool transpose_b, double alpha, double beta, MatrixView<double> c, Context& context) {
    product<double>({a, transpose_a}, {b, transpose_b}, alpha, beta, c, context);
}

bool cholesky(MatrixView<double> a, Context& context) { return factorise(a, context); }

bool cholesky(MatrixView<float> a, Context& context) { return factorise(a, context); }

void solve_lower(MatrixView<const double> factor, MatrixView<double> b, Context& context) {
    require_square(factor, b.rows, "solve_lower");
    if (!is_empty(b)) {
        context.throw_if_stopped("solve_lower");
        backend_of(context).solve_triangle(factor, false, b, context);
    }
}

void cholesky_solve(MatrixView<const double> factor, MatrixView<double> b, Context& context) {
    solve_lower(factor, b, context);
    if (!is_empty(b)) {
        backend_of(context).solve_triangle(factor, true, b, context);
    }
}

void cholesky_solve(MatrixView<const float> factor, MatrixView<double> b, Context& context) {
    require_square(factor, b.rows, "cholesky_solve");
    if (!is_empty(b)) {
        backend_of(context).solve_triangle(factor, false, b, context);
        backend_of(context).solve_triangle(factor, true, b, context);
    }
}

void inverse_diagonal(MatrixView<const double> factor, std::span<double> out, Context& context) {
    require_square(factor, static_cast<index_t>(out.size()), "inverse_diagonal");
    if (!out.empty()) {
        backend_of(context).inverse_diagonal(factor, out, context);
    }
}

void symmetric_eigen(MatrixView<double> a, std::span<double> values, bool vectors,
                     Context& context) {
    if (a.rows != a.columns || static_cast<index_t>(values.size()) != a.rows) {
        throw InvalidArgument(fmt::format("symmetric_eigen: got {} x {} with {} values", a.rows,
                                          a.columns, values.size()));
    }
    require_finite(a, "symmetric_eigen");
    if (a.rows > 0) {
        backend_of(context).symmetric_eigen(a, values, vectors, context);
    }
}

void singular_values(MatrixView<double> a, MatrixView<double> left, std::span<double> values,
                     MatrixView<double> right, Context& context) {
    const index_t k = std::min(a.rows, a.columns);
    if (left.rows != a.rows || left.columns != k || static_cast<index_t>(values.size()) != k ||
        right.rows != k || right.columns != a.columns) {
        throw InvalidArgument(
            fmt::format("singular_values: the outputs do not fit {} x {}", a.rows, a.columns));
    }
    require_finite(a, "singular_values");
    if (k > 0) {
        backend_of(context).singular_values(a, left, values, right, context);
    }
}

}  // namespace mercer
