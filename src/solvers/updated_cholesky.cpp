// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/updated_cholesky.cpp - appending by a triangular solve, other updates by rotations.
//
// Method   Golub and Van Loan, Matrix Computations, 6.5: removing a column of R leaves an upper
//          Hessenberg part, which one rotation per row makes triangular again. M - ww' by the
//          rotations that turn (R^-T w, sqrt(1 - |R^-T w|^2)) into the last unit vector.
// Cost     size^2 multiplications for each change and each solve.
#include "solvers/updated_cholesky.hpp"

#include <algorithm>
#include <cmath>

#include "mercer/base/checked.hpp"
#include "mercer/compute/linear_algebra.hpp"
#include "mercer/compute/primitives.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {

namespace {

constexpr index_t kFirstRows = 32;
// Rows that a solve processes together. With one back substitution per event instead of two, and
// these blocks instead of single rows, the path of german.numer_scale (964 events, up to 460 free
// rows) takes 0.20 s of CPU time instead of 0.24 s.
constexpr index_t kBlock = 16;
// A dot product processes whole groups of this many entries: past the end, zeros of the vector meet
// finite numbers of the factor.
constexpr index_t kPadding = 32;

index_t padded(index_t count) { return (count + kPadding - 1) / kPadding * kPadding; }

}  // namespace

void UpdatedCholesky::reserve(index_t rows, Context& context) {
    device_ = context.device();
    if (rows + kPadding <= stride_) {
        return;
    }
    const index_t stride =
        padded(std::max({kFirstRows, rows, stride_ + stride_ / 2 - kPadding}) + kPadding);
    Buffer<double> larger =
        context.allocate<double>(checked_multiply(stride, stride), "the factor of the free rows");
    std::fill_n(larger.data(), stride * stride, 0.0);
    for (index_t i = 0; i < size_; ++i) {
        std::copy_n(row(i) + i, size_ - i, larger.data() + i * stride + i);
    }
    factor_ = std::move(larger);
    stride_ = stride;
}

void UpdatedCholesky::solve_lower(std::span<double> b) const {
    std::vector<double> x(static_cast<std::size_t>(size_ + kPadding), 0.0);
    std::copy_n(b.begin(), size_, x.begin());
    double minus[kBlock];
    for (index_t first = 0; first < size_; first += kBlock) {
        const index_t end = std::min(first + kBlock, size_);
        for (index_t i = first; i < end; ++i) {
            const double* r = row(i);
            double* at = x.data();
            const double now = at[i] / r[i];
            at[i] = now;
            minus[i - first] = -now;
            for (index_t j = i + 1; j < end; ++j) {
                at[j] -= r[j] * now;
            }
        }
        if (end < size_) {
            const index_t rest = padded(size_ - end);
            accumulate_transposed(
                MatrixView<const double>(row(first) + end, end - first, rest, stride_),
                MatrixView<const double>(minus, end - first, 1),
                MatrixView<double>(x.data() + end, rest, 1), device_);
        }
    }
    std::copy_n(x.begin(), size_, b.begin());
}

void UpdatedCholesky::solve_upper(std::span<double> b) const {
    std::vector<double> x(static_cast<std::size_t>(size_ + kPadding), 0.0);
    std::copy_n(b.begin(), size_, x.begin());
    for (index_t first = (size_ - 1) / kBlock * kBlock; first >= 0; first -= kBlock) {
        const index_t end = std::min(first + kBlock, size_);
        double sums[kBlock] = {};
        if (end < size_) {
            const index_t rest = padded(size_ - end);
            accumulate_product(
                MatrixView<const double>(row(first) + end, end - first, rest, stride_),
                MatrixView<const double>(x.data() + end, rest, 1),
                MatrixView<double>(sums, end - first, 1), device_);
        }
        for (index_t i = end - 1; i >= first; --i) {
            const double* r = row(i);
            double sum = sums[i - first];
            for (index_t j = i + 1; j < end; ++j) {
                sum += r[j] * x[static_cast<std::size_t>(j)];
            }
            double& now = x[static_cast<std::size_t>(i)];
            now = (now - sum) / r[i];
        }
    }
    std::copy_n(x.begin(), size_, b.begin());
}

bool UpdatedCholesky::assign(MatrixView<double> m, double least_part, Context& context) {
    std::vector<double> diagonal;
    for (index_t i = 0; i < m.rows; ++i) {
        diagonal.push_back(m(i, i));
    }
    clear();
    if (!cholesky(m, context)) {
        return false;
    }
    for (index_t i = 0; i < m.rows; ++i) {
        if (!(m(i, i) * m(i, i) > least_part * diagonal[static_cast<std::size_t>(i)])) {
            return false;
        }
    }
    reserve(m.rows, context);
    size_ = m.rows;
    for (index_t i = 0; i < size_; ++i) {
        for (index_t j = i; j < size_; ++j) {
            row(i)[j] = m(j, i);
        }
    }
    return true;
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

void UpdatedCholesky::add(std::span<const double> w) {
    column_.assign(w.begin(), w.end());
    double* x = column_.data();
    for (index_t i = 0; i < size_; ++i) {
        double* r = row(i);
        if (x[i] == 0.0) {
            continue;
        }
        const double length = std::hypot(r[i], x[i]);
        const double cosine = r[i] / length;
        const double sine = x[i] / length;
        r[i] = length;
        for (index_t j = i + 1; j < size_; ++j) {
            const double a = r[j];
            r[j] = cosine * a + sine * x[j];
            x[j] = cosine * x[j] - sine * a;
        }
    }
}

double UpdatedCholesky::leverage(std::span<const double> w) { return -pivot(w, 0.0); }

void UpdatedCholesky::subtract() {
    double squares = 0.0;
    for (const double x : column_) {
        squares += x * x;
    }
    double rest = std::sqrt(1.0 - squares);
    std::vector<double> moved(column_.size(), 0.0);
    for (index_t i = size_ - 1; i >= 0; --i) {
        const double x = column_[static_cast<std::size_t>(i)];
        const double length = std::hypot(rest, x);
        const double cosine = rest / length;
        const double sine = x / length;
        rest = length;
        double* r = row(i);
        double* m = moved.data();
        for (index_t j = i; j < size_; ++j) {
            const double a = m[j];
            m[j] = cosine * a + sine * r[j];
            r[j] = cosine * r[j] - sine * a;
        }
    }
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

void UpdatedCholesky::explain(std::span<const double> x) {
    column_.assign(x.size(), 0.0);
    for (index_t i = 0; i < size_; ++i) {
        for (index_t j = i; j < size_; ++j) {
            column_[static_cast<std::size_t>(i)] += row(i)[j] * x[static_cast<std::size_t>(j)];
        }
    }
}

}  // namespace mercer
