// SPDX-License-Identifier: Apache-2.0
//
// src/theory/ridge_identity.cpp - the two sides by Cholesky factorisations of their own systems.
//
// Notation   B  m x d   P  d x d   R  m x m   S  the inverse of a system, applied to a block
#include "mercer/theory/ridge_identity.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/checked.hpp"
#include "mercer/base/error.hpp"
#include "mercer/base/roundoff.hpp"
#include "mercer/compute/linear_algebra.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {

namespace {

/// A matrix and its memory.
struct Block {
    Buffer<double> memory;
    MatrixView<double> view;
};

Block make_block(index_t rows, index_t columns, const char* what, Context& context) {
    Block out{context.allocate<double>(checked_multiply(rows, columns), what), {}};
    out.view = MatrixView<double>(out.memory.data(), rows, columns);
    return out;
}

Block copy_of(MatrixView<const double> a, const char* what, Context& context) {
    Block out = make_block(a.rows, a.columns, what, context);
    for (index_t i = 0; i < a.rows; ++i) {
        std::copy_n(a.row(i), a.columns, out.view.row(i));
    }
    return out;
}

Block identity(index_t n, Context& context) {
    Block out = make_block(n, n, "a unit matrix", context);
    for (index_t i = 0; i < n; ++i) {
        out.view(i, i) = 1.0;
    }
    return out;
}

void require_symmetric(MatrixView<const double> a, index_t n, const char* name) {
    if (a.rows != n || a.columns != n) {
        throw InvalidArgument(
            fmt::format("{}: got {} x {}, must be {} x {}", name, a.rows, a.columns, n, n));
    }
    for (index_t i = 0; i < n; ++i) {
        for (index_t j = 0; j <= i; ++j) {
            if (!std::isfinite(a(i, j)) || a(i, j) != a(j, i)) {
                throw InvalidArgument(
                    fmt::format("{}: entries ({}, {}) and ({}, {}) are {} and "
                                "{}, must be finite and equal",
                                name, i + 1, j + 1, j + 1, i + 1, a(i, j), a(j, i)));
            }
        }
    }
}

/// The Cholesky factor of `a`. Throws when there is none.
Block factor_of(MatrixView<const double> a, const char* name, Context& context) {
    Block out = copy_of(a, "a factor", context);
    if (!cholesky(out.view, context)) {
        throw InvalidArgument(fmt::format("{}: is not positive definite", name));
    }
    return out;
}

/// (largest / smallest pivot)^2 of a factor: an estimate of the condition number of its matrix.
double condition_of(const Block& factor) {
    double least = kInfinity;
    double greatest = 0.0;
    for (index_t i = 0; i < factor.view.rows; ++i) {
        least = std::min(least, std::abs(factor.view(i, i)));
        greatest = std::max(greatest, std::abs(factor.view(i, i)));
    }
    return factor.view.rows == 0 ? 1.0 : (greatest / least) * (greatest / least);
}

/// a = (a + a') / 2, for a matrix that is symmetric except for rounding.
void make_symmetric(MatrixView<double> a) {
    for (index_t i = 0; i < a.rows; ++i) {
        for (index_t j = 0; j < i; ++j) {
            a(i, j) = a(j, i) = 0.5 * (a(i, j) + a(j, i));
        }
    }
}

struct Side {
    std::vector<double> values;  ///< d x m
    double condition = 1.0;
};

/// (P^-1 + B'R^-1 B)^-1 B'R^-1: factors of R, of P and of the d x d system.
Side column_side(MatrixView<const double> b, MatrixView<const double> p, MatrixView<const double> r,
                 Context& context) {
    const index_t d = b.columns;
    const Block noise = factor_of(r, "noise", context);
    const Block prior = factor_of(p, "prior", context);
    Block weighted = copy_of(b, "R^-1 B", context);
    cholesky_solve(noise.view, weighted.view, context);
    Block system = identity(d, context);
    cholesky_solve(prior.view, system.view, context);
    multiply(b, true, MatrixView<const double>(weighted.view), false, 1.0, 1.0, system.view,
             context);
    make_symmetric(system.view);
    const Block factor = factor_of(system.view, "prior", context);
    Block out = make_block(d, b.rows, "the left side", context);
    for (index_t i = 0; i < b.rows; ++i) {
        for (index_t j = 0; j < d; ++j) {
            out.view(j, i) = weighted.view(i, j);
        }
    }
    cholesky_solve(factor.view, out.view, context);
    return {{out.memory.data(), out.memory.data() + out.memory.size()},
            condition_of(noise) * condition_of(prior) * condition_of(factor)};
}

/// P B'(B P B' + R)^-1: a factor of the m x m system alone.
Side row_side(MatrixView<const double> b, MatrixView<const double> p, MatrixView<const double> r,
              Context& context) {
    const index_t m = b.rows;
    Block spread = make_block(m, b.columns, "B P", context);
    multiply(b, false, p, false, 1.0, 0.0, spread.view, context);
    Block system = copy_of(r, "B P B' + R", context);
    multiply(MatrixView<const double>(spread.view), false, b, true, 1.0, 1.0, system.view, context);
    make_symmetric(system.view);
    const Block factor = factor_of(system.view, "noise", context);
    cholesky_solve(factor.view, spread.view, context);  // (B P B' + R)^-1 B P
    std::vector<double> values(static_cast<std::size_t>(m * b.columns));
    for (index_t i = 0; i < m; ++i) {
        for (index_t j = 0; j < b.columns; ++j) {
            values[static_cast<std::size_t>(j * m + i)] = spread.view(i, j);
        }
    }
    return {std::move(values), condition_of(factor)};
}

}  // namespace

RidgeIdentity ridge_identity(MatrixView<const double> b, MatrixView<const double> p,
                             MatrixView<const double> r, Context& context) {
    require_symmetric(p, b.columns, "prior");
    require_symmetric(r, b.rows, "noise");
    RidgeIdentity out{b.columns, b.rows, {}, {}, 0.0, 0.0, 0.0};
    Side left = column_side(b, p, r, context);
    Side right = row_side(b, p, r, context);
    for (std::size_t i = 0; i < right.values.size(); ++i) {
        out.largest = std::max(out.largest, std::abs(right.values[i]));
        out.difference = std::max(out.difference, std::abs(left.values[i] - right.values[i]));
    }
    const double size = static_cast<double>(b.rows + b.columns);
    out.rounding = 16.0 * size * kEpsilon * std::max(left.condition, right.condition) * out.largest;
    out.left = std::move(left.values);
    out.right = std::move(right.values);
    return out;
}

}  // namespace mercer
