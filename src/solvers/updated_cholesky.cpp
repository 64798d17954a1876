// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/updated_cholesky.cpp - append by a triangular solve, remove by rotations.
//
// Method   Golub and Van Loan, Matrix Computations, 6.5: removing a column of R leaves an upper
//          Hessenberg part, which one rotation a row makes triangular again.
// Cost     size^2 multiplications for each change and each solve.
#include "solvers/updated_cholesky.hpp"

#include <algorithm>
#include <cmath>

#include "mercer/base/checked.hpp"
#include "mercer/compute/primitives.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {

namespace {

constexpr index_t kFirstRows = 64;

}  // namespace

void UpdatedCholesky::reserve(index_t rows, Context& context) {
    if (rows <= stride_) {
        return;
    }
    const index_t stride = std::max({kFirstRows, rows, stride_ + stride_ / 2});
    Buffer<double> larger =
        context.allocate<double>(checked_multiply(stride, stride), "the factor of the free rows");
    for (index_t i = 0; i < size_; ++i) {
        std::copy_n(row(i) + i, size_ - i, larger.data() + i * stride + i);
    }
    factor_ = std::move(larger);
    stride_ = stride;
}

void UpdatedCholesky::solve_lower(std::span<double> b) const {
    for (index_t i = 0; i < size_; ++i) {
        double& x = b[static_cast<std::size_t>(i)];
        x /= row(i)[i];
        const index_t rest = size_ - i - 1;
        if (rest > 0 && x != 0.0) {
            const double minus = -x;
            accumulate_transposed(MatrixView<const double>(row(i) + i + 1, 1, rest),
                                  MatrixView<const double>(&minus, 1, 1),
                                  MatrixView<double>(&x + 1, rest, 1));
        }
    }
}

void UpdatedCholesky::solve_upper(std::span<double> b) const {
    for (index_t i = size_ - 1; i >= 0; --i) {
        double& x = b[static_cast<std::size_t>(i)];
        const index_t rest = size_ - i - 1;
        double sum = 0.0;
        if (rest > 0) {
            accumulate_product(MatrixView<const double>(row(i) + i + 1, 1, rest),
                               MatrixView<const double>(&x + 1, rest, 1),
                               MatrixView<double>(&sum, 1, 1));
        }
        x = (x - sum) / row(i)[i];
    }
}

double UpdatedCholesky::pivot(std::span<const double> column, double diagonal) {
    column_.assign(column.begin(), column.end());
    solve_lower(column_);
    double squares = 0.0;
    for (const double x : column_) {
        squares += x * x;
    }
    return diagonal - squares;
}

void UpdatedCholesky::append(double pivot, Context& context) {
    reserve(size_ + 1, context);
    for (index_t i = 0; i < size_; ++i) {
        row(i)[size_] = column_[static_cast<std::size_t>(i)];
    }
    row(size_)[size_] = std::sqrt(pivot);
    ++size_;
}

void UpdatedCholesky::remove(index_t place) {
    for (index_t i = 0; i <= place; ++i) {
        std::copy(row(i) + place + 1, row(i) + size_, row(i) + place);
    }
    for (index_t i = place; i + 1 < size_; ++i) {
        // Row i has columns i .. of the new numbering, row i + 1 starts one column early.
        double* upper = row(i);
        double* lower = row(i + 1);
        std::copy(lower + i + 1, lower + size_, lower + i);
        const double length = std::hypot(upper[i], lower[i]);
        const double cosine = upper[i] / length;
        const double sine = lower[i] / length;
        upper[i] = length;
        for (index_t j = i + 1; j + 1 < size_; ++j) {
            const double a = upper[j];
            const double b = lower[j];
            upper[j] = cosine * a + sine * b;
            lower[j] = cosine * b - sine * a;
        }
    }
    --size_;
}

void UpdatedCholesky::solve(std::span<double> b) const {
    solve_lower(b);
    solve_upper(b);
}

std::vector<double> UpdatedCholesky::explained() const {
    std::vector<double> x = column_;
    solve_upper(x);
    return x;
}

}  // namespace mercer
