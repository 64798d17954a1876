// SPDX-License-Identifier: Apache-2.0
//
// src/compute/cpu/band_form.cpp - reduction to a band by block reflections.
//
// Method   Panel by panel: the rows below the diagonal block are factored as V, T, R (Householder,
//          compact WY form), and the rest A becomes (I - V T V')' A (I - V T V') = A - V W' - W V'
//          with X = A V T, W = X - 1/2 V (T' V' X). The first stage of a two-stage reduction
//          (Bischof, Lang, Sun, ACM TOMS 26, 2000); a band is enough here, no eigenvalues follow.
// Cost     2 n^3 flops for the band, 4/3 n^3 for Q, all in products of two matrices, whereas a
//          reduction to tridiagonal form spends half its flops on products with a vector.
// Notation b  rows of a block   m  rows below the panel
#include "mercer/compute/band_form.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "compute/cpu/blas.hpp"
#include "mercer/base/checked.hpp"
#include "mercer/base/error.hpp"
#include "mercer/compute/linear_algebra.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/parallel.hpp"

namespace mercer {

namespace {

constexpr index_t kBlock = BandForm::kBlock;
constexpr index_t kBlockSize = kBlock * kBlock;
constexpr index_t kColumnTile = 256;  // of right-hand sides: two blocks of them stay in a core's L2

index_t rows_of_block(index_t size, index_t k) { return std::min(kBlock, size - k * kBlock); }

/// Factors the m x b panel at (begin, first) of `a`: V over it, with its ones and zeros; R and T.
class PanelFactor {
public:
    PanelFactor(index_t most_rows, Context& context)
        : panel_(context.allocate<double>(checked_multiply(most_rows, kBlock), "a panel")) {}

    void run(MatrixView<double> panel, double* r, double* t) {
        const cpu::Blas& blas = cpu::single_blas();
        const int m = static_cast<int>(panel.rows);
        const int b = static_cast<int>(panel.columns);
        for (index_t i = 0; i < m; ++i) {
            for (index_t j = 0; j < b; ++j) {
                panel_[j * m + i] = panel(i, j);
            }
        }
        double tau[kBlock];
        int info = 0;
        if (work_.empty()) {
            const int query = -1;
            double length = 0.0;
            blas.dgeqrf(&m, &b, panel_.data(), &m, tau, &length, &query, &info);
            work_.resize(static_cast<std::size_t>(length));
        }
        const int length = static_cast<int>(work_.size());
        blas.dgeqrf(&m, &b, panel_.data(), &m, tau, work_.data(), &length, &info);
        if (info != 0) {
            throw InternalError(fmt::format("LAPACK dgeqrf failed with {}", info));
        }
        double columns[kBlockSize] = {};
        blas.dlarft("F", "C", &m, &b, panel_.data(), &m, tau, columns, &b);
        for (index_t i = 0; i < b; ++i) {
            for (index_t j = 0; j < b; ++j) {
                r[i * kBlock + j] = j >= i ? panel_[j * m + i] : 0.0;
                t[i * kBlock + j] = j >= i ? columns[j * b + i] : 0.0;
            }
        }
        for (index_t i = 0; i < m; ++i) {
            for (index_t j = 0; j < b; ++j) {
                panel(i, j) = i > j ? panel_[j * m + i] : (i == j ? 1.0 : 0.0);
            }
        }
    }

private:
    Buffer<double> panel_;
    std::vector<double> work_;
};

/// A reflection I - V T V' of the rows below a panel, from both sides.
class TwoSidedReflection {
public:
    TwoSidedReflection(index_t most_rows, Context& context)
        : left_(context.allocate<double>(2 * kBlock * most_rows, "panels of a reduction")),
          right_(context.allocate<double>(2 * kBlock * most_rows, "panels of a reduction")),
          product_(context.allocate<double>(kBlock * most_rows, "panels of a reduction")) {}

    /// rest -= V W' + W V'.
    void apply(MatrixView<const double> v, MatrixView<const double> t, MatrixView<double> rest,
               Context& context) {
        const index_t m = rest.rows;
        const MatrixView<double> c(left_.data(), m, 2 * kBlock);
        const MatrixView<double> d(right_.data(), m, 2 * kBlock);
        const MatrixView<double> av(product_.data(), m, kBlock);
        const MatrixView<double> x(c.data + kBlock, m, kBlock, 2 * kBlock);
        double small[2 * kBlockSize];
        const MatrixView<double> vx(small, kBlock, kBlock);
        const MatrixView<double> s(small + kBlockSize, kBlock, kBlock);
        multiply(rest, false, v, false, 1.0, 0.0, av, context);
        multiply(av, false, t, false, 1.0, 0.0, x, context);
        multiply(v, true, x, false, 1.0, 0.0, vx, context);
        multiply(t, true, vx, false, 1.0, 0.0, s, context);
        multiply(v, false, s, false, -0.5, 1.0, x, context);  // now W
        for (index_t i = 0; i < m; ++i) {                     // C = [V W], D = [W V]
            std::copy_n(v.row(i), kBlock, c.row(i));
            std::copy_n(x.row(i), kBlock, d.row(i));
            std::copy_n(v.row(i), kBlock, d.row(i) + kBlock);
        }
        multiply(c, false, d, true, -1.0, 1.0, rest, context);
    }

private:
    Buffer<double> left_;
    Buffer<double> right_;
    Buffer<double> product_;
};

}  // namespace

BandForm::BandForm(MatrixView<double> a, Context& context) : size_(a.rows) {
    if (a.rows != a.columns) {
        throw InvalidArgument(
            fmt::format("band_form: got {} x {}, must be square", a.rows, a.columns));
    }
    for (index_t i = 0; i < a.rows; ++i) {
        for (index_t j = 0; j < a.columns; ++j) {
            if (!std::isfinite(a(i, j))) {
                throw InvalidArgument(fmt::format("band_form: entry ({}, {}) is not finite", i, j));
            }
        }
    }
    const auto room = static_cast<std::size_t>(blocks() * kBlockSize);
    diagonal_.assign(room, 0.0);
    below_.assign(room, 0.0);
    triangles_.assign(room, 0.0);
    basis_ = context.allocate<double>(checked_multiply(size_, size_), "the basis of the band");
    reduce(a, context);
    form_basis(a, context);
}

index_t BandForm::block_rows(index_t k) const noexcept { return rows_of_block(size_, k); }

MatrixView<const double> BandForm::diagonal(index_t k) const noexcept {
    return {diagonal_.data() + k * kBlockSize, block_rows(k), block_rows(k), kBlock};
}

MatrixView<const double> BandForm::below(index_t k) const noexcept {
    return {below_.data() + k * kBlockSize, block_rows(k + 1), block_rows(k), kBlock};
}

void BandForm::reduce(MatrixView<double> a, Context& context) {
    const index_t most = std::max<index_t>(1, size_ - kBlock);
    TwoSidedReflection reflection(most, context);
    PanelFactor panel_factor(most, context);
    for (index_t k = 0; k < blocks(); ++k) {
        context.throw_if_stopped("band_form");
        context.report({.stage = "band", .done = k * kBlock, .total = size_});
        const index_t first = k * kBlock;
        const index_t width = block_rows(k);
        for (index_t i = 0; i < width; ++i) {
            std::copy_n(a.row(first + i) + first, width,
                        diagonal_.data() + k * kBlockSize + i * kBlock);
        }
        const index_t begin = first + width;
        const index_t m = size_ - begin;
        double* r = below_.data() + k * kBlockSize;
        const MatrixView<double> v(a.row(begin) + first, m, width, a.stride);
        if (m <= kBlock) {  // the panel already lies within the band
            for (index_t i = 0; i < m; ++i) {
                std::copy_n(v.row(i), width, r + i * kBlock);
            }
            continue;
        }
        double* t = triangles_.data() + k * kBlockSize;
        panel_factor.run(v, r, t);
        const MatrixView<double> rest(a.row(begin) + begin, m, m, a.stride);
        reflection.apply(v, {t, kBlock, kBlock}, rest, context);
    }
}

/// Q' = ... H_1' H_0': applied from the last reflection to the first; each changes only the rows
/// and columns after its panel.
void BandForm::form_basis(MatrixView<const double> reflectors, Context& context) {
    const index_t most = std::max<index_t>(1, size_ - kBlock);
    Buffer<double> along = context.allocate<double>(kBlock * most, "panels of a basis");
    Buffer<double> turned = context.allocate<double>(kBlock * most, "panels of a basis");
    const MatrixView<double> q(basis_.data(), size_, size_);
    for (index_t i = 0; i < size_; ++i) {
        q(i, i) = 1.0;
    }
    for (index_t k = blocks() - 1; k >= 0; --k) {
        context.throw_if_stopped("band_form");
        const index_t begin = k * kBlock + block_rows(k);
        const index_t m = size_ - begin;
        if (m <= kBlock) {
            continue;
        }
        const MatrixView<const double> v(reflectors.row(begin) + k * kBlock, m, kBlock,
                                         reflectors.stride);
        const MatrixView<const double> t(triangles_.data() + k * kBlockSize, kBlock, kBlock);
        const MatrixView<double> rest(q.row(begin) + begin, m, m, q.stride);
        const MatrixView<double> y(along.data(), m, kBlock);
        const MatrixView<double> yt(turned.data(), m, kBlock);
        multiply(rest, false, v, false, 1.0, 0.0, y, context);
        multiply(y, false, t, true, 1.0, 0.0, yt, context);
        multiply(yt, false, v, true, -1.0, 1.0, rest, context);
    }
}

ShiftedBand::ShiftedBand(const BandForm& form, double shift) : size_(form.size()) {
    const cpu::Blas& blas = cpu::single_blas();
    const int stride = static_cast<int>(kBlock);
    factor_.resize(static_cast<std::size_t>(form.blocks() * kBlockSize));
    below_.resize(factor_.size());
    for (index_t k = 0; k < form.blocks(); ++k) {
        double* here = factor_.data() + k * kBlockSize;
        const int rows = static_cast<int>(rows_of(k));
        const MatrixView<const double> block = form.diagonal(k);
        for (index_t i = 0; i < rows; ++i) {
            std::copy_n(block.row(i), rows, here + i * kBlock);
            here[i * kBlock + i] += shift;
        }
        if (k > 0) {
            blas.dsyrk(cpu::kRowMajor, cpu::kLower, cpu::kNoTranspose, rows,
                       static_cast<int>(kBlock), -1.0, below_.data() + (k - 1) * kBlockSize, stride,
                       1.0, here, stride);
        }
        int info = 0;
        blas.dpotrf("U", &rows, here, &stride, &info);  // row-major lower is column-major upper
        if (info != 0) {
            definite_ = false;
            return;
        }
        for (index_t i = 0; i < rows; ++i) {
            log_determinant_ += 2.0 * std::log(here[i * kBlock + i]);
        }
        if (k + 1 < form.blocks()) {
            double* next = below_.data() + k * kBlockSize;
            const MatrixView<const double> under = form.below(k);
            for (index_t i = 0; i < under.rows; ++i) {
                std::copy_n(under.row(i), under.columns, next + i * kBlock);
            }
            blas.dtrsm(cpu::kRowMajor, cpu::kRight, cpu::kLower, cpu::kTranspose, cpu::kNonUnit,
                       static_cast<int>(under.rows), rows, 1.0, here, stride, next, stride);
        }
    }
}

index_t ShiftedBand::rows_of(index_t k) const noexcept { return rows_of_block(size_, k); }

/// Block k of L^-1 b, from block k - 1 (null for the first).
void ShiftedBand::forward_block(index_t k, const double* before, double* now, index_t columns,
                                index_t stride) const {
    const cpu::Blas& blas = cpu::blas();
    const int block = static_cast<int>(kBlock);
    const int rows = static_cast<int>(rows_of(k));
    if (before != nullptr) {
        blas.dgemm(cpu::kRowMajor, cpu::kNoTranspose, cpu::kNoTranspose, rows,
                   static_cast<int>(columns), block, -1.0, below_.data() + (k - 1) * kBlockSize,
                   block, before, static_cast<int>(stride), 1.0, now, static_cast<int>(stride));
    }
    blas.dtrsm(cpu::kRowMajor, cpu::kLeft, cpu::kLower, cpu::kNoTranspose, cpu::kNonUnit, rows,
               static_cast<int>(columns), 1.0, factor_.data() + k * kBlockSize, block, now,
               static_cast<int>(stride));
}

void ShiftedBand::solve(MatrixView<double> b) const {
    const cpu::Blas& blas = cpu::single_blas();
    const index_t blocks = (size_ + kBlock - 1) / kBlock;
    const int block = static_cast<int>(kBlock);
    const int stride = static_cast<int>(b.stride);
    const int columns = static_cast<int>(b.columns);
    for (index_t k = 0; k < blocks; ++k) {
        forward_block(k, k > 0 ? b.row((k - 1) * kBlock) : nullptr, b.row(k * kBlock), b.columns,
                      b.stride);
    }
    for (index_t k = blocks - 1; k >= 0; --k) {
        double* now = b.row(k * kBlock);
        if (k + 1 < blocks) {
            blas.dgemm(cpu::kRowMajor, cpu::kTranspose, cpu::kNoTranspose, block, columns,
                       static_cast<int>(rows_of(k + 1)), -1.0, below_.data() + k * kBlockSize,
                       block, b.row((k + 1) * kBlock), stride, 1.0, now, stride);
        }
        blas.dtrsm(cpu::kRowMajor, cpu::kLeft, cpu::kLower, cpu::kTranspose, cpu::kNonUnit,
                   static_cast<int>(rows_of(k)), columns, 1.0, factor_.data() + k * kBlockSize,
                   block, now, stride);
    }
}

void ShiftedBand::forward(MatrixView<double> b, Context& context) const {
    const index_t blocks = (size_ + kBlock - 1) / kBlock;
    parallel_for(context, (b.columns + kColumnTile - 1) / kColumnTile, [&](index_t tile, int) {
        cpu::stay_single();
        const index_t j = tile * kColumnTile;
        const index_t columns = std::min(kColumnTile, b.columns - j);
        for (index_t k = 0; k < blocks; ++k) {
            forward_block(k, k > 0 ? b.row((k - 1) * kBlock) + j : nullptr, b.row(k * kBlock) + j,
                          columns, b.stride);
        }
    });
}

void ShiftedBand::inverse_diagonal(const BandForm& form, std::span<double> out,
                                   Context& context) const {
    const MatrixView<const double> basis = form.basis();
    parallel_for(context, (size_ + kColumnTile - 1) / kColumnTile, [&](index_t tile, int) {
        cpu::stay_single();
        const index_t j = tile * kColumnTile;
        const index_t columns = std::min(kColumnTile, size_ - j);
        std::vector<double> before(static_cast<std::size_t>(kBlock * kColumnTile));
        std::vector<double> now(before.size());
        std::fill_n(out.begin() + j, columns, 0.0);
        for (index_t k = 0; k < form.blocks(); ++k) {
            for (index_t i = 0; i < rows_of(k); ++i) {
                std::copy_n(basis.row(k * kBlock + i) + j, columns, now.begin() + i * kColumnTile);
            }
            forward_block(k, k > 0 ? before.data() : nullptr, now.data(), columns, kColumnTile);
            for (index_t i = 0; i < rows_of(k); ++i) {
                const double* row = now.data() + i * kColumnTile;
                double* sums = out.data() + j;
                for (index_t c = 0; c < columns; ++c) {
                    sums[c] += row[c] * row[c];
                }
            }
            now.swap(before);
        }
    });
}

}  // namespace mercer
