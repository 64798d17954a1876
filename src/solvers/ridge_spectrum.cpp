// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/ridge_spectrum.cpp - leave-one-out, folds, GCV and likelihood for a whole path.
//
// Method   M = W^1/2 K W^1/2 = U' B U with a band matrix B and U orthogonal. For every alpha the
//          inverse of G = K + alpha W^-1 is W^1/2 U' (B + alpha)^-1 U W^1/2, and B + alpha = L L'
//          costs O(n). With an intercept P = G^-1 - G^-1 1 1' G^-1 / (1' G^-1 1) replaces it, and
//          beta = P y. Leaving out the rows S gives the residuals (P_SS)^-1 beta_S (Cook and
//          Weisberg for one row; the block form follows from the bordered system). A full
//          eigendecomposition would do as well, at several times the cost.
// Cost     one reduction to a band matrix, 10/3 n^3 flops; O(n^2) per alpha, and n |S|^2 per alpha
//          and fold.
// Notation (weighted coordinates)   d  W^1/2 1   q = U d   z = U W^1/2 Y
#include "mercer/solvers/ridge_spectrum.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mercer/base/error.hpp"
#include "mercer/base/index.hpp"
#include "mercer/compute/linear_algebra.hpp"
#include "mercer/operators/gram_operator.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/options.hpp"
#include "solvers/smaller_cost.hpp"

namespace mercer {

/// The inverse for one alpha, never formed: P = D (U' (B + alpha)^-1 U - c c') D with
/// c = U' (B + alpha)^-1 q / sqrt(q' (B + alpha)^-1 q), zero without an intercept.
struct RidgeSpectrum::Inverse {
    /// Throws SingularSystem when K + alpha has no factor.
    Inverse(const RidgeSpectrum& of, double shift, Context& context);

    /// Degrees of freedom, generalised cross-validation, likelihood.
    void measure_fit(RidgeMeasures& out) const;
    void leave_rows_out(RidgeMeasures& out) const;

    const RidgeSpectrum& spectrum;
    double alpha;
    ShiftedBand band;
    std::vector<double> border;     ///< c
    double border_square = 0.0;     ///< c'c
    std::vector<double> beta;       ///< P y in weighted coordinates (divided by D), n x t
    std::vector<double> quadratic;  ///< y' P y, one per target
    std::vector<double> diagonal;   ///< of U' (B + alpha)^-1 U

private:
    void make_border(MatrixView<double> inside);
    void project_targets(MatrixView<double> inside);
    void leave_basis(MatrixView<const double> inside, Context& context);
};

RidgeSpectrum::Inverse::Inverse(const RidgeSpectrum& of, double shift, Context& context)
    : spectrum(of), alpha(shift), band(*of.form_, shift) {
    if (!band.definite()) {
        throw SingularSystem(
            fmt::format("alpha: K + {} I is not positive definite in double precision; the kernel "
                        "is not positive definite, or alpha is too small",
                        alpha));
    }
    const index_t n = of.rows_;
    const index_t targets = of.targets_;
    // Coordinates in the basis of P y and of the border; the last column is the border.
    std::vector<double> coordinates(at(n * (targets + 1)));
    const MatrixView<double> inside(coordinates.data(), n, targets + 1);
    for (index_t e = 0; e < n; ++e) {
        std::copy_n(of.along_.begin() + e * targets, targets, inside.row(e));
        inside(e, targets) = of.along_one_[at(e)];
    }
    band.solve(inside);
    make_border(inside);
    project_targets(inside);
    leave_basis(inside, context);
    diagonal.resize(at(n));
    band.inverse_diagonal(*of.form_, diagonal, context);
}

/// Turns the last column into c; zero without an intercept.
void RidgeSpectrum::Inverse::make_border(MatrixView<double> inside) {
    const index_t last = spectrum.targets_;
    double ones = 0.0;  // q' (B + alpha)^-1 q
    for (index_t e = 0; e < inside.rows; ++e) {
        ones += spectrum.along_one_[at(e)] * inside(e, last);
    }
    for (index_t e = 0; e < inside.rows; ++e) {
        double& c = inside(e, last);
        c = spectrum.intercept_ ? c / std::sqrt(ones) : 0.0;
        border_square += c * c;
    }
}

/// Subtracts the component along c from the other columns: P y, and y' P y.
void RidgeSpectrum::Inverse::project_targets(MatrixView<double> inside) {
    const index_t targets = spectrum.targets_;
    quadratic.assign(at(targets), 0.0);
    for (index_t t = 0; t < targets; ++t) {
        double against = 0.0;  // c' y
        for (index_t e = 0; e < inside.rows; ++e) {
            against += inside(e, targets) * spectrum.along_[at(e * targets + t)];
        }
        for (index_t e = 0; e < inside.rows; ++e) {
            double& p = inside(e, t);
            p -= inside(e, targets) * against;
            quadratic[at(t)] += p * spectrum.along_[at(e * targets + t)];
        }
    }
}

/// Transforms the coordinates back to rows: U' times the coordinates.
void RidgeSpectrum::Inverse::leave_basis(MatrixView<const double> inside, Context& context) {
    const index_t targets = spectrum.targets_;
    std::vector<double> values(at(inside.rows * inside.columns));
    const MatrixView<double> outside(values.data(), inside.rows, inside.columns);
    multiply(spectrum.form_->basis(), true, inside, false, 1.0, 0.0, outside, context);
    for (index_t i = 0; i < outside.rows; ++i) {
        border.push_back(outside(i, targets));
        beta.insert(beta.end(), outside.row(i), outside.row(i) + targets);
    }
}

void RidgeSpectrum::Inverse::measure_fit(RidgeMeasures& out) const {
    const index_t targets = spectrum.targets_;
    double trace = 0.0;
    double determinant = band.log_determinant();
    for (std::size_t i = 0; i < diagonal.size(); ++i) {
        trace += diagonal[i];
        determinant -= 2.0 * std::log(spectrum.root_[i]);
    }
    const double n = static_cast<double>(spectrum.rows_);
    const double residual_trace = alpha * (trace - border_square);
    out.degrees = n - residual_trace;
    for (index_t t = 0; t < targets; ++t) {
        double squares = 0.0;
        for (index_t i = 0; i < spectrum.rows_; ++i) {
            const double r = alpha * beta[at(i * targets + t)];
            squares += r * r;
        }
        out.gcv.push_back(n * squares / (residual_trace * residual_trace));
        out.log_likelihood.push_back(
            -0.5 * (quadratic[at(t)] + determinant + n * std::log(2.0 * std::numbers::pi)));
    }
}

void RidgeSpectrum::Inverse::leave_rows_out(RidgeMeasures& out) const {
    const index_t targets = spectrum.targets_;
    out.leave_one_out.resize(beta.size());
    for (index_t i = 0; i < spectrum.rows_; ++i) {
        const double p = diagonal[at(i)] - border[at(i)] * border[at(i)];
        for (index_t t = 0; t < targets; ++t) {
            out.leave_one_out[at(i * targets + t)] =
                beta[at(i * targets + t)] / (p * spectrum.root_[at(i)]);
        }
    }
}

RidgeSpectrum::RidgeSpectrum(const RidgeProblem& problem, Context& context)
    : rows_(problem.size()),
      targets_(problem.target_count),
      intercept_(problem.intercept),
      definite_(problem.gram != nullptr && problem.gram->is_definite()) {
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
    Buffer<double> matrix =
        context.allocate<double>(checked_multiply(rows_, rows_), "the Gram matrix");
    const MatrixView<double> m(matrix.data(), rows_, rows_);
    problem.gram->whole(Precision::float64, context)->copy_rows(0, m, context);
    for (index_t i = 0; i < rows_ && !problem.weights.empty(); ++i) {
        for (index_t j = 0; j < rows_; ++j) {
            m(i, j) *= root_[at(i)] * root_[at(j)];
        }
    }
    form_.emplace(m, context);
    take_targets(problem, context);
}

void RidgeSpectrum::take_targets(const RidgeProblem& problem, Context& context) {
    std::vector<double> y;  // targets times the roots, n x t
    for (index_t i = 0; i < rows_; ++i) {
        for (index_t t = 0; t < targets_; ++t) {
            y.push_back(problem.targets[at(i * targets_ + t)] * root_[at(i)]);
        }
    }
    along_.resize(at(rows_ * targets_));
    along_one_.resize(at(rows_));
    multiply(form_->basis(), false, MatrixView<const double>(y.data(), rows_, targets_), false, 1.0,
             0.0, MatrixView<double>(along_.data(), rows_, targets_), context);
    multiply(form_->basis(), false, MatrixView<const double>(root_.data(), rows_, 1), false, 1.0,
             0.0, MatrixView<double>(along_one_.data(), rows_, 1), context);
}

RidgeMeasures RidgeSpectrum::measure(double alpha, std::span<const std::vector<index_t>> folds,
                                     Context& context) const {
    require_in_range("alpha", alpha, Range::positive());
    try {
        return measure_regular(alpha, folds, context);
    } catch (const SingularSystem&) {
        if (!definite_) {
            throw;
        }
    }
    const std::vector<double> unknown(at(rows_ * targets_), kNaN);
    RidgeMeasures out;
    out.alpha = alpha;
    out.leave_one_out = unknown;
    out.left_out = folds.empty() ? std::vector<double>() : unknown;
    out.gcv.assign(at(targets_), kNaN);
    out.log_likelihood.assign(at(targets_), kNaN);
    return out;
}

RidgeMeasures RidgeSpectrum::measure_regular(double alpha,
                                             std::span<const std::vector<index_t>> folds,
                                             Context& context) const {
    const Inverse inverse(*this, alpha, context);
    RidgeMeasures out;
    out.alpha = alpha;
    inverse.measure_fit(out);
    inverse.leave_rows_out(out);
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
    Buffer<double> columns =
        context.allocate<double>(checked_multiply(m, rows_), "columns of a fold");
    Buffer<double> block = context.allocate<double>(checked_multiply(m, m), "a fold's block");
    const MatrixView<const double> basis = form_->basis();
    for (index_t e = 0; e < rows_; ++e) {
        for (index_t r = 0; r < m; ++r) {
            columns[e * m + r] = basis(e, fold[at(r)]);
        }
    }
    const MatrixView<double> z(columns.data(), rows_, m);
    const MatrixView<double> p(block.data(), m, m);
    inverse.band.forward(z, context);
    multiply(z, true, z, false, 1.0, 0.0, p, context);
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
        throw SingularSystem(fmt::format(
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
