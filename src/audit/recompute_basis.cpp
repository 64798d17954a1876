// SPDX-License-Identifier: Apache-2.0
//
// src/audit/recompute_basis.cpp - independent recomputation of the proof of a basis model.
//
// Notation   f  value without b     z = f + b     c  cost     beta  coefficient, nonzero only in J
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

/// The indices of the basis rows among the rows of the problem.
std::vector<std::size_t> basis_of(const ProblemRows& rows) {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < rows.beta.size(); ++i) {
        if (rows.beta[i] != 0.0) {
            out.push_back(i);
        }
    }
    return out;
}

/// r' K_JJ^-1 r, and the trace of K_JJ^-1, which bounds its eigenvalues; NaN if K_JJ is not
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

/// r, and the sums over J that the certificate needs.
struct Residual {
    std::vector<double> r;
    double squared_norm = 0.0;  ///< beta'f
    double cross = 0.0;         ///< beta'r
    double greatest = 0.0;      ///< largest |r_i|
    double blur = 0.0;          ///< squared rounding error of r
    double rounding = 0.0;      ///< rounding error of beta'r
};

/// Computes the residual from the values of K_J: a.
Residual residual_of(const ProblemRows& rows, const std::vector<std::size_t>& places,
                     const TrainingValues& product) {
    Residual out;
    TwoDoubleSum norm, cross;
    for (std::size_t k = 0; k < places.size(); ++k) {
        const std::size_t i = places[k];
        const double r = product.f[k] - rows.f[i];
        out.r.push_back(r);
        norm.add_product(rows.beta[i], rows.f[i]);
        cross.add_product(rows.beta[i], r);
        const double error = kValueRounding * (product.magnitudes[k] + rows.magnitude[i]);
        out.blur += error * error;
        out.rounding += error * std::abs(rows.beta[i]);
        out.greatest = std::max(out.greatest, std::abs(r));
    }
    out.squared_norm = norm.value();
    out.cross = cross.value();
    return out;
}

/// The losses of the rows, their conjugates at -a/c, and the gaps between the two.
struct LossSums {
    TwoDoubleSum losses;
    TwoDoubleSum conjugates;
    TwoDoubleSum gap;
};

/// Adds to the rounding of `again`, and reports the rows with the largest terms of the gap.
LossSums sum_losses(const Loss& kind, const ProblemRows& rows, const std::vector<double>& a,
                    double b, Recomputed& again) {
    LossSums sums;
    std::visit(
        [&](const auto& loss) {
            for (std::size_t i = 0; i < a.size(); ++i) {
                const auto [z, value, conjugate, slope, error] = loss_term(loss, rows, i, b, a[i]);
                sums.losses.add(value);
                sums.conjugates.add(conjugate);
                sums.gap.add(value);
                sums.gap.add(conjugate);
                sums.gap.add_product(a[i], z);
                again.contributors.offer(rows.numbers[i], value + conjugate + a[i] * z);
                // Rounding changes the losses directly, and the multipliers through the slopes of
                // the losses.
                again.rounding += error * rows.c[i] * slope + 2.0 * rows.c[i] * error * std::abs(z);
            }
        },
        kind);
    return sums;
}

}  // namespace

Recomputed recompute_basis(const Model& model, const TrainingRows& training,
                           const TrainingValues& values, index_t output, Context& context) {
    const double b = model.intercepts[static_cast<std::size_t>(output)];
    Recomputed out;
    const ProblemRows rows = problem_rows(model, training, values, output, out);
    const Loss kind = loss_by_name(model.loss, model.epsilon).value();
    const std::vector<double> a = multipliers_of(model, kind, rows, b);
    const std::vector<std::size_t> places = basis_of(rows);
    std::vector<index_t> numbers;
    for (const std::size_t i : places) {
        numbers.push_back(rows.numbers[i]);
    }
    const Dataset basis = training.rows.select(numbers);
    const Residual residual = residual_of(
        rows, places, kernel_sums(model, training.rows.select(rows.numbers), a, basis, context));
    const Distance distance = distance_of(model, basis, residual.r, context);
    out.rounding = residual.rounding;
    const LossSums sums = sum_losses(kind, rows, a, b, out);
    sum_multipliers(a, out);
    out.rounding += distance.trace * residual.blur +
                    2.0 * std::sqrt(distance.square * distance.trace * residual.blur);
    Certificate& certificate = out.certificate;
    certificate.squared_norm = residual.squared_norm;
    certificate.primal = 0.5 * residual.squared_norm + sums.losses.value();
    certificate.dual = -0.5 * (residual.squared_norm + 2.0 * residual.cross + distance.square) -
                       sums.conjugates.value();
    certificate.gap = sums.gap.value() + 0.5 * distance.square;
    certificate.intercept = b;
    certificate.intercepts = {b, b};
    certificate.kkt_violation = residual.greatest;
    certificate.dual_infeasibility = 0.0;
    certificate.worst_sample = out.contributors.first();
    return out;
}

}  // namespace mercer
