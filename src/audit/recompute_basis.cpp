// SPDX-License-Identifier: Apache-2.0
//
// src/audit/recompute_basis.cpp - the proof of few kernel functions, once more and by other code.
//
// Notation   f  value without b     z = f + b     c  cost     beta  coefficient, not 0 in J only
//            a  multipliers -c loss'(z), balanced     r = K_J: a - f_J     q = r' K_JJ^-1 r
#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "audit/cholesky.hpp"
#include "audit/loss_term.hpp"
#include "audit/recompute.hpp"
#include "mercer/base/checked.hpp"
#include "mercer/losses/loss.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/parallel.hpp"

namespace mercer {

namespace {

/// The rows of the basis among those of the problem.
std::vector<std::size_t> basis_of(const ProblemRows& rows) {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < rows.beta.size(); ++i) {
        if (rows.beta[i] != 0.0) {
            out.push_back(i);
        }
    }
    return out;
}

/// r' K_JJ^-1 r, and the trace of K_JJ^-1, which no eigenvalue of it exceeds; NaN where K_JJ is not
/// positive definite in double precision.
struct Distance {
    double square = 0.0;
    double trace = 0.0;
};

Distance distance_of(const Model& model, const Dataset& basis, std::vector<double> r,
                     Context& context) {
    const index_t d = basis.rows();
    Distance out;
    if (d == 0) {
        return out;
    }
    const auto width = static_cast<std::size_t>(basis.columns());
    Buffer<double> rows =
        context.allocate<double>(checked_multiply(d, basis.columns()), "the rows of the basis");
    const auto row = [&](index_t i) {
        return rows.span().subspan(static_cast<std::size_t>(i) * width, width);
    };
    for (index_t i = 0; i < d; ++i) {
        basis.copy_row(i, row(i));
    }
    Buffer<double> room =
        context.allocate<double>(checked_multiply(d, d), "the kernel matrix of the basis");
    const MatrixView<double> matrix(room.data(), d, d);
    parallel_for(context, d, [&](index_t i, int) {
        for (index_t j = 0; j <= i; ++j) {
            matrix(i, j) = model.kernel(row(i), row(j));
        }
    });
    if (!audit::factor(matrix, context)) {
        return {kNaN, kNaN};
    }
    out.trace = audit::inverse_trace(matrix, context);
    TwoDoubleSum square;
    for (const double value : audit::solve_factor(matrix, std::move(r))) {
        square.add_product(value, value);
    }
    out.square = square.value();
    return out;
}

}  // namespace

Recomputed recompute_basis(const Model& model, const TrainingRows& training,
                           const TrainingValues& values, index_t output, Context& context) {
    const double b = model.intercepts[static_cast<std::size_t>(output)];
    Recomputed out;
    const ProblemRows rows = problem_rows(model, training, values, output, out);
    const std::size_t n = rows.y.size();
    const Loss kind = loss_by_name(model.loss, model.epsilon).value();
    std::vector<double> a(n);
    std::visit(
        [&](const auto& loss) {
            for (std::size_t i = 0; i < n; ++i) {
                a[i] = -rows.c[i] * loss.derivative(rows.y[i], rows.f[i] + b);
            }
        },
        kind);
    if (model.has_intercept) {
        balance_multipliers(kind, rows.y, rows.c, a);
    }
    const std::vector<std::size_t> places = basis_of(rows);
    std::vector<index_t> numbers;
    for (const std::size_t i : places) {
        numbers.push_back(rows.numbers[i]);
    }
    const Dataset basis = training.rows.select(numbers);
    const TrainingValues product =
        kernel_sums(model, training.rows.select(rows.numbers), a, basis, context);
    Certificate& certificate = out.certificate;
    certificate.kkt_violation = 0.0;
    std::vector<double> r(places.size());
    TwoDoubleSum norm, cross, losses, conjugates, gap, sum;
    double blur = 0.0;  // of r, squared
    for (std::size_t k = 0; k < places.size(); ++k) {
        const std::size_t i = places[k];
        r[k] = product.f[k] - rows.f[i];
        norm.add_product(rows.beta[i], rows.f[i]);
        cross.add_product(rows.beta[i], r[k]);
        const double error = kValueRounding * (product.magnitudes[k] + rows.magnitude[i]);
        blur += error * error;
        out.rounding += error * std::abs(rows.beta[i]);
        certificate.kkt_violation = std::max(certificate.kkt_violation, std::abs(r[k]));
    }
    const Distance distance = distance_of(model, basis, r, context);
    std::visit(
        [&](const auto& loss) {
            for (std::size_t i = 0; i < n; ++i) {
                const auto [z, value, conjugate, slope, error] = loss_term(loss, rows, i, b, a[i]);
                losses.add(value);
                conjugates.add(conjugate);
                gap.add(value);
                gap.add(conjugate);
                gap.add_product(a[i], z);
                out.contributors.offer(rows.numbers[i], value + conjugate + a[i] * z);
                // Values move the losses, and through their slopes the multipliers.
                out.rounding += error * rows.c[i] * slope + 2.0 * rows.c[i] * error * std::abs(z);
                sum.add(a[i]);
                out.absolute_sum += std::abs(a[i]);
            }
        },
        kind);
    out.sum = sum.value();
    out.rounding +=
        distance.trace * blur + 2.0 * std::sqrt(distance.square * distance.trace * blur);
    certificate.squared_norm = norm.value();
    certificate.primal = 0.5 * norm.value() + losses.value();
    certificate.dual =
        -0.5 * (norm.value() + 2.0 * cross.value() + distance.square) - conjugates.value();
    certificate.gap = gap.value() + 0.5 * distance.square;
    certificate.intercept = b;
    certificate.intercepts = {b, b};
    certificate.dual_infeasibility = 0.0;
    certificate.worst_sample = out.contributors.first();
    return out;
}

}  // namespace mercer
