// SPDX-License-Identifier: Apache-2.0
//
// src/audit/recompute_columns.cpp - the proof of few columns, once more and by other code.
//
// Notation   w  weights of the columns     f = X w     z = f + b     c  cost
//            a  multipliers -c loss'(z), balanced     r = X'a     rho = 1 beside 1/2 |w|^2
//            penalty of a weight  l1 |w| + rho/2 w^2; of a basis: those without a weight have none
#include <algorithm>
#include <cmath>
#include <variant>

#include "audit/recompute.hpp"
#include "mercer/losses/loss.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {

namespace {

/// X'a, and the sums of the absolute terms.
struct ColumnSums {
    std::vector<TwoDoubleSum> r;
    std::vector<double> magnitudes;
};

ColumnSums column_sums(const Dataset& rows, const std::vector<index_t>& numbers,
                       const std::vector<double>& a) {
    const auto width = static_cast<std::size_t>(rows.columns());
    ColumnSums out{std::vector<TwoDoubleSum>(width), std::vector<double>(width, 0.0)};
    std::vector<double> row(width);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        rows.copy_row(numbers[i], row);
        for (std::size_t j = 0; j < width; ++j) {
            if (row[j] != 0.0) {
                out.r[j].add_product(a[i], row[j]);
                out.magnitudes[j] += std::abs(a[i] * row[j]);
            }
        }
    }
    return out;
}

/// What a column adds to primal, dual and gap when the dual point takes the share t of r.
struct ColumnTerm {
    double primal = 0.0;
    double dual = 0.0;
    double gap = 0.0;
    double violation = 0.0;
};

ColumnTerm column_term(const Model& model, double w, double r, double t) {
    const bool ridge = model.penalty != kL1;
    ColumnTerm out;
    out.primal = model.l1 * std::abs(w) + (ridge ? 0.5 * w * w : 0.0);
    const double beyond = ridge ? std::max(0.0, std::abs(r) - model.l1) : 0.0;
    out.dual = -0.5 * beyond * beyond;
    out.gap = out.primal - out.dual - t * r * w;
    const double pull = r - (ridge ? w : 0.0);
    out.violation = w == 0.0 ? std::max(0.0, std::abs(pull) - model.l1)
                             : std::abs(pull - (w > 0.0 ? model.l1 : -model.l1));
    return out;
}

}  // namespace

TrainingValues column_values(const Model& model, const TrainingRows& training, Context& context) {
    const auto count = static_cast<std::size_t>(training.rows.rows());
    TrainingValues out{std::vector<double>(count), std::vector<double>(count)};
    std::vector<double> row(static_cast<std::size_t>(training.rows.columns()));
    for (std::size_t i = 0; i < count; ++i) {
        context.throw_if_stopped("verify");
        training.rows.copy_row(static_cast<index_t>(i), row);
        TwoDoubleSum sum;
        for (std::size_t j = 0; j < model.support_rows.size(); ++j) {
            const double x = row[static_cast<std::size_t>(model.support_rows[j])];
            sum.add_product(model.coefficients[j], x);
            out.magnitudes[i] += std::abs(model.coefficients[j] * x);
        }
        out.f[i] = sum.value();
    }
    return out;
}

Recomputed recompute_columns(const Model& model, const TrainingRows& training,
                             const TrainingValues& values) {
    const bool ridge = model.penalty != kL1;
    const double b = model.intercepts.front();
    const Loss kind = loss_by_name(model.loss, model.epsilon).value();
    Recomputed out;
    out.bounds_values = ridge;
    const OutputRows machine(model, 0);
    std::vector<index_t> numbers;
    std::vector<double> y;
    std::vector<double> c;
    std::vector<double> a;
    for (std::size_t i = 0; i < values.f.size(); ++i) {
        if (training.costs[i] > 0.0) {
            numbers.push_back(static_cast<index_t>(i));
            y.push_back(machine.row(training, i).target);
            c.push_back(training.costs[i]);
            a.push_back(-c.back() * std::visit(
                                        [&](const auto& loss) {
                                            return loss.derivative(y.back(), values.f[i] + b);
                                        },
                                        kind));
        }
    }
    if (model.has_intercept) {
        balance_multipliers(kind, y, c, a);
    }
    const ColumnSums sums = column_sums(training.rows, numbers, a);
    double greatest = 0.0;
    double blur = 0.0;  // of the entries of r
    for (std::size_t j = 0; j < sums.r.size(); ++j) {
        greatest = std::max(greatest, std::abs(sums.r[j].value()));
        blur = std::max(blur, kValueRounding * sums.magnitudes[j]);
    }
    const double t = ridge || greatest <= model.l1 ? 1.0 : model.l1 / greatest;
    std::vector<double> w(sums.r.size(), 0.0);
    for (std::size_t j = 0; j < model.support_rows.size(); ++j) {
        w[static_cast<std::size_t>(model.support_rows[j])] = model.coefficients[j];
    }
    Certificate& certificate = out.certificate;
    certificate.kkt_violation = 0.0;
    TwoDoubleSum primal, dual, gap, norm, sum;
    double sizes = 0.0;
    for (std::size_t j = 0; j < w.size(); ++j) {
        if (model.penalty == kBasis && w[j] == 0.0) {
            continue;
        }
        const ColumnTerm term = column_term(model, w[j], sums.r[j].value(), t);
        primal.add(term.primal);
        dual.add(term.dual);
        gap.add(term.gap);
        norm.add_product(w[j], w[j]);
        sizes += std::abs(w[j]);
        certificate.kkt_violation = std::max(certificate.kkt_violation, term.violation);
    }
    for (std::size_t k = 0; k < a.size(); ++k) {
        const auto i = static_cast<std::size_t>(numbers[k]);
        const double z = values.f[i] + b;
        const double error = kValueRounding * values.magnitudes[i];
        std::visit(
            [&](const auto& loss) {
                const Interval domain = loss.conjugate_domain(y[k]);
                const double u = std::min(std::max(-t * a[k] / c[k], domain.lower), domain.upper);
                const double value = c[k] * loss.value(y[k], z);
                const double conjugate = c[k] * loss.conjugate(y[k], u);
                primal.add(value);
                dual.add(-conjugate);
                gap.add(value);
                gap.add(conjugate);
                gap.add_product(t * a[k], z);
                out.contributors.offer(numbers[k], value + conjugate + t * a[k] * z);
                const double slope = std::max(std::abs(loss.derivative(y[k], z - error)),
                                              std::abs(loss.derivative(y[k], z + error)));
                out.rounding += error * c[k] * slope + 2.0 * c[k] * error * std::abs(z) +
                                error * std::abs(a[k]);
            },
            kind);
        sum.add(a[k]);
        out.absolute_sum += std::abs(a[k]);
    }
    out.sum = sum.value();
    out.rounding += blur * sizes;
    if (!ridge && greatest > 0.0) {  // a blurred r is another share of it
        out.rounding += blur / greatest * (std::abs(dual.value()) + model.l1 * sizes);
    }
    certificate.primal = primal.value();
    certificate.dual = dual.value();
    certificate.gap = gap.value();
    certificate.squared_norm = norm.value();
    certificate.intercept = b;
    certificate.intercepts = {b, b};
    certificate.dual_infeasibility = ridge ? 0.0 : std::max(0.0, greatest - model.l1);
    certificate.worst_sample = out.contributors.first();
    return out;
}

}  // namespace mercer
