// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/ridge_spectrum.cpp - leave-one-out, folds, GCV and likelihood for a whole path.
//
// Method   M = W^1/2 K W^1/2 = U' diag(s) U. For every alpha the inverse of G = K + alpha W^-1 is
//          W^1/2 U' diag(1 / (s + alpha)) U W^1/2. With an intercept its place is taken by
//          P = G^-1 - G^-1 1 1' G^-1 / (1' G^-1 1), and beta = P y. Leaving the rows S out leaves
//          the residuals (P_SS)^-1 beta_S (Cook and Weisberg for one row; the block form follows
//          from the bordered system).
// Cost     one eigendecomposition; O(n^2) per alpha, and n |S|^2 per alpha and fold.
// Notation (weighted coordinates)   s  eigenvalues   d  W^1/2 1   q = U d   z = U W^1/2 Y
#include "mercer/solvers/ridge_spectrum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mercer/base/error.hpp"
#include "mercer/compute/linear_algebra.hpp"
#include "mercer/operators/gram.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/options.hpp"
#include "mercer/runtime/parallel.hpp"

namespace mercer {

namespace {

constexpr index_t kRowsPerTask = 64;

std::size_t at(index_t i) { return static_cast<std::size_t>(i); }

}  // namespace

/// The inverse for one alpha, never formed: P = D (U' diag(g) U - c c') D with c = U' diag(g) q /
/// sqrt(q' diag(g) q), zero without an intercept.
struct RidgeSpectrum::Inverse {
    std::vector<double> g;       ///< 1 / (s + alpha)
    std::vector<double> border;  ///< c
    std::vector<double> beta;    ///< P y in weighted coordinates (divided by D), n x t
};

RidgeSpectrum::RidgeSpectrum(const RidgeProblem& problem, Context& context)
    : rows_(problem.rows.rows()), targets_(problem.target_count), intercept_(problem.intercept) {
    if (rows_ == 0 || targets_ < 1 ||
        static_cast<index_t>(problem.targets.size()) != rows_ * targets_) {
        throw InvalidArgument(fmt::format("targets: got {} numbers for {} rows and {} targets",
                                          problem.targets.size(), rows_, targets_));
    }
    root_.assign(at(rows_), 1.0);
    for (std::size_t i = 0; i < problem.weights.size() && i < root_.size(); ++i) {
        require_in_range(fmt::format("weight of row {}", i + 1), problem.weights[i],
                         Range::positive());
        root_[i] = std::sqrt(problem.weights[i]);
    }
    vectors_ = context.allocate<double>(checked_multiply(rows_, rows_), "the Gram matrix");
    const MatrixView<double> m(vectors_.data(), rows_, rows_);
    GramMatrix(problem.kernel, problem.rows, Precision::float64, context).copy_rows(0, m, context);
    for (index_t i = 0; i < rows_; ++i) {
        for (index_t j = 0; j < rows_; ++j) {
            m(i, j) *= root_[at(i)] * root_[at(j)];
        }
    }
    values_.resize(at(rows_));
    context.report({.stage = "eigenvalues", .done = 0, .total = rows_});
    symmetric_eigen(m, values_, true, context);
    for (double& value : values_) {
        value = std::max(value, 0.0);  // below zero by rounding only, for a kernel
    }
    for (index_t i = 0; i < rows_; ++i) {
        for (index_t t = 0; t < targets_; ++t) {
            y_.push_back(problem.targets[at(i * targets_ + t)] * root_[at(i)]);
        }
    }
    along_.resize(at(rows_ * targets_));
    along_one_.resize(at(rows_));
    multiply(m, false, MatrixView<const double>(y_.data(), rows_, targets_), false, 1.0, 0.0,
             MatrixView<double>(along_.data(), rows_, targets_), context);
    multiply(m, false, MatrixView<const double>(root_.data(), rows_, 1), false, 1.0, 0.0,
             MatrixView<double>(along_one_.data(), rows_, 1), context);
}

RidgeMeasures RidgeSpectrum::measure(double alpha, std::span<const std::vector<index_t>> folds,
                                     Context& context) const {
    require_in_range("alpha", alpha, Range::positive());
    const MatrixView<const double> u(vectors_.data(), rows_, rows_);
    Inverse inverse;
    double trace = 0.0;
    double determinant = 0.0;  // logarithm
    double ones = 0.0;         // q' diag(g) q
    for (index_t e = 0; e < rows_; ++e) {
        const double g = 1.0 / (values_[at(e)] + alpha);
        inverse.g.push_back(g);
        trace += g;
        determinant -= std::log(g) + 2.0 * std::log(root_[at(e)]);
        ones += along_one_[at(e)] * along_one_[at(e)] * g;
    }
    // Coordinates in the eigenvectors of P y and of the border; the last column is the border.
    const index_t columns = targets_ + 1;
    std::vector<double> inside(at(rows_ * columns), 0.0);
    RidgeMeasures out;
    out.alpha = alpha;
    double border_square = 0.0;
    for (index_t e = 0; e < rows_ && intercept_; ++e) {
        const double c = along_one_[at(e)] * inverse.g[at(e)] / std::sqrt(ones);
        inside[at(e * columns + targets_)] = c;
        border_square += c * c;
    }
    std::vector<double> quadratic(at(targets_), 0.0);  // y' P y
    for (index_t t = 0; t < targets_; ++t) {
        double against = 0.0;  // c' y
        for (index_t e = 0; e < rows_; ++e) {
            against += inside[at(e * columns + targets_)] * along_[at(e * targets_ + t)];
        }
        for (index_t e = 0; e < rows_; ++e) {
            const double z = along_[at(e * targets_ + t)];
            const double p = inverse.g[at(e)] * z - inside[at(e * columns + targets_)] * against;
            inside[at(e * columns + t)] = p;
            quadratic[at(t)] += p * z;
        }
    }
    std::vector<double> outside(at(rows_ * columns));
    multiply(u, true, MatrixView<const double>(inside.data(), rows_, columns), false, 1.0, 0.0,
             MatrixView<double>(outside.data(), rows_, columns), context);
    inverse.border.resize(at(rows_));
    for (index_t i = 0; i < rows_; ++i) {
        inverse.border[at(i)] = outside[at(i * columns + targets_)];
        for (index_t t = 0; t < targets_; ++t) {
            inverse.beta.push_back(outside[at(i * columns + t)]);
        }
    }
    const double n = static_cast<double>(rows_);
    const double residual_trace = alpha * (trace - border_square);
    out.degrees = n - residual_trace;
    for (index_t t = 0; t < targets_; ++t) {
        double squares = 0.0;
        for (index_t i = 0; i < rows_; ++i) {
            const double r = alpha * inverse.beta[at(i * targets_ + t)];
            squares += r * r;
        }
        out.gcv.push_back(n * squares / (residual_trace * residual_trace));
        out.log_likelihood.push_back(
            -0.5 * (quadratic[at(t)] + determinant + n * std::log(2.0 * std::numbers::pi)));
    }
    // Diagonal of P: sums down the columns of U, rows of U in order.
    std::vector<double> diagonal(at(rows_), 0.0);
    parallel_for(context, (rows_ + kRowsPerTask - 1) / kRowsPerTask, [&](index_t task, int) {
        const index_t begin = task * kRowsPerTask;
        const index_t end = std::min(rows_, begin + kRowsPerTask);
        for (index_t e = 0; e < rows_; ++e) {
            for (index_t i = begin; i < end; ++i) {
                diagonal[at(i)] += u(e, i) * u(e, i) * inverse.g[at(e)];
            }
        }
    });
    out.leave_one_out.resize(at(rows_ * targets_));
    for (index_t i = 0; i < rows_; ++i) {
        const double p = diagonal[at(i)] - inverse.border[at(i)] * inverse.border[at(i)];
        for (index_t t = 0; t < targets_; ++t) {
            out.leave_one_out[at(i * targets_ + t)] =
                inverse.beta[at(i * targets_ + t)] / (p * root_[at(i)]);
        }
    }
    if (!folds.empty()) {
        out.left_out.assign(at(rows_ * targets_), kNaN);
        for (const std::vector<index_t>& fold : folds) {
            leave_out(inverse, fold, out, context);
        }
    }
    return out;
}

void RidgeSpectrum::leave_out(const Inverse& inverse, std::span<const index_t> fold,
                              RidgeMeasures& out, Context& context) const {
    const auto m = static_cast<index_t>(fold.size());
    Buffer<double> scaled = context.allocate<double>(checked_multiply(m, rows_), "rows of a fold");
    Buffer<double> block = context.allocate<double>(checked_multiply(m, m), "a fold's block");
    for (index_t r = 0; r < m; ++r) {
        for (index_t e = 0; e < rows_; ++e) {
            scaled[r * rows_ + e] = vectors_[e * rows_ + fold[at(r)]] * std::sqrt(inverse.g[at(e)]);
        }
    }
    const MatrixView<const double> rows(scaled.data(), m, rows_);
    const MatrixView<double> p(block.data(), m, m);
    multiply(rows, false, rows, true, 1.0, 0.0, p, context);
    Buffer<double> residuals = context.allocate<double>(m * targets_, "residuals of a fold");
    for (index_t r = 0; r < m; ++r) {
        for (index_t c = 0; c < m; ++c) {
            p(r, c) -= inverse.border[at(fold[at(r)])] * inverse.border[at(fold[at(c)])];
        }
        for (index_t t = 0; t < targets_; ++t) {
            residuals[r * targets_ + t] = inverse.beta[at(fold[at(r)] * targets_ + t)];
        }
    }
    if (!cholesky(p, context)) {
        throw InvalidArgument(fmt::format(
            "alpha: {} is too small to leave a fold out in double precision", out.alpha));
    }
    cholesky_solve(p, MatrixView<double>(residuals.data(), m, targets_), context);
    for (index_t r = 0; r < m; ++r) {
        for (index_t t = 0; t < targets_; ++t) {
            out.left_out[at(fold[at(r)] * targets_ + t)] =
                residuals[r * targets_ + t] / root_[at(fold[at(r)])];
        }
    }
}

}  // namespace mercer
