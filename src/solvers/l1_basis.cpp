// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/l1_basis.cpp - kernel functions at the rows, and the columns themselves.
#include "solvers/l1_basis.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mercer/base/checked.hpp"
#include "mercer/base/index.hpp"
#include "mercer/operators/gram_operator.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {

namespace {

constexpr double kParallel = 0.25;  // squared cosine from which functions are similar

double greatest_of(std::span<const double> values) {
    double greatest = 0.0;
    for (const double value : values) {
        greatest = std::max(greatest, std::abs(value));
    }
    return greatest;
}

}  // namespace

double L1Basis::estimated_loss_gap(std::span<const double> a, double t) const {
    double gap = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (const double c = risk_.costs[i]; c > 0.0) {
            // The conjugate of a loss of curvature 1; an approximation for the others.
            gap += 0.5 * (1.0 - t) * (1.0 - t) * a[i] * a[i] / c;
        }
    }
    return gap;
}

std::vector<double> KernelBasis::values(std::span<const double> beta, Context& context) const {
    return decision_values(risk(), beta, context);
}

std::vector<double> KernelBasis::slopes(std::span<const double> a, std::span<const double> beta,
                                        Context& context) const {
    std::vector<double> both(a.begin(), a.end());
    for (std::size_t j = 0; norm() && j < both.size(); ++j) {
        both[j] -= beta[j];
    }
    return decision_values(risk(), both, context);
}

void KernelBasis::load(std::span<const index_t> columns, MatrixView<double> out,
                       Context& context) const {
    if (whole_ == nullptr) {
        whole_ = risk().gram->whole(Precision::float64, context);
    }
    whole_->beside(columns, context)->copy_rows(0, out, context);
}

void KernelBasis::add_norm(std::span<const index_t> members, MatrixView<double> h,
                           Context& context) const {
    const auto m = static_cast<index_t>(members.size());
    Buffer<double> values = context.allocate<double>(checked_multiply(m, m), "K of the support");
    const MatrixView<double> view(values.data(), m, m);
    risk().gram->block(members, members, Precision::float64, context)->copy_rows(0, view, context);
    for (index_t i = 0; i < m; ++i) {
        for (index_t j = 0; j < m; ++j) {
            h(i, j) += view(i, j);
        }
    }
}

double KernelBasis::estimated_gap(std::span<const double> beta, std::span<const double> a,
                                  std::span<const double> r) const {
    double slope = 0.0;
    double square = 0.0;
    for (std::size_t j = 0; j < r.size(); ++j) {
        slope += a[j] * r[j];
        square += (a[j] - (norm() ? beta[j] : 0.0)) * r[j];
    }
    const double s = dual_share(problem_, greatest_of(r), slope, square);
    double gap = norm() ? 0.5 * (1.0 - s) * (1.0 - s) * square : estimated_loss_gap(a, s);
    for (std::size_t j = 0; j < r.size(); ++j) {
        gap += std::max(0.0, l1() * std::abs(beta[j]) - s * r[j] * beta[j]);
    }
    return gap;
}

bool KernelBasis::alike(const Member& one, const Member& other) const {
    const double both = one.column[other.j];
    return !(both * both < kParallel * own_norm(one) * own_norm(other));
}

std::vector<double> ColumnBasis::values(std::span<const double> beta, Context& context) const {
    std::vector<double> out(at(risk().size()));
    x_.multiply(beta, out, context);
    return out;
}

std::vector<double> ColumnBasis::slopes(std::span<const double> a, std::span<const double> beta,
                                        Context& context) const {
    std::vector<double> out(beta.size());
    x_.compensated_transposed(MatrixView<const double>(a.data(), risk().size(), 1),
                              MatrixView<double>(out.data(), size(), 1), context);
    for (std::size_t j = 0; norm() && j < out.size(); ++j) {
        out[j] -= beta[j];
    }
    return out;
}

void ColumnBasis::load(std::span<const index_t> columns, MatrixView<double> out,
                       Context& /*context*/) const {
    x_.copy_columns(columns, out);
}

void ColumnBasis::add_norm(std::span<const index_t> members, MatrixView<double> h,
                           Context& /*context*/) const {
    for (index_t k = 0; k < static_cast<index_t>(members.size()); ++k) {
        h(k, k) += 1.0;
    }
}

double ColumnBasis::estimated_gap(std::span<const double> beta, std::span<const double> a,
                                  std::span<const double> r) const {
    const double greatest = greatest_of(r);
    const double t = norm() || greatest <= l1() ? 1.0 : l1() / greatest;
    double gap = estimated_loss_gap(a, t);
    for (std::size_t j = 0; j < r.size(); ++j) {
        const double pull = r[j] + (norm() ? beta[j] : 0.0);  // X'a
        const double beyond = norm() ? std::max(0.0, std::abs(pull) - l1()) : 0.0;
        const double square = norm() ? 0.5 * (beta[j] * beta[j] + beyond * beyond) : 0.0;
        gap += std::max(0.0, l1() * std::abs(beta[j]) + square - t * pull * beta[j]);
    }
    return gap;
}

bool ColumnBasis::alike(const Member& one, const Member& other) const {
    const auto n = static_cast<double>(risk().size());
    double both = 0.0;
    double left = 0.0;
    double right = 0.0;
    double left_sum = 0.0;
    double right_sum = 0.0;
    for (std::size_t i = 0; i < at(risk().size()); ++i) {
        both += one.column[i] * other.column[i];
        left += one.column[i] * one.column[i];
        right += other.column[i] * other.column[i];
        left_sum += one.column[i];
        right_sum += other.column[i];
    }
    if (risk().intercept) {  // which accounts for the means
        both -= left_sum * right_sum / n;
        left -= left_sum * left_sum / n;
        right -= right_sum * right_sum / n;
    }
    return !(both * both < kParallel * left * right);
}

}  // namespace mercer
