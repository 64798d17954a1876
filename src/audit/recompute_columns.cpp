// SPDX-License-Identifier: Apache-2.0
//
// src/audit/recompute_columns.cpp - independent recomputation of the proof of a model on columns.
//
// Notation   w  weights of the columns     f = X w     z = f + b     c  cost
//            a  multipliers -c loss'(z), balanced     r = X'a     rho = 1 with 1/2 |w|^2, else 0
//            penalty of a weight  l1 |w| + rho/2 w^2; with a basis, columns without a weight have
//            none
#include <algorithm>
#include <cmath>
#include <span>
#include <variant>

#include "audit/loss_term.hpp"
#include "audit/recompute.hpp"
#include "mercer/losses/loss.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {

namespace {

/// X'a, and the sums of the absolute values of its terms.
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

/// The contribution of a column to primal, dual and gap at the dual point t r.
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

namespace {

/// The rows of the problem with positive cost; the coefficients belong to the columns.
ProblemRows costly_rows(const Model& model, const TrainingRows& training,
                        const TrainingValues& values) {
    const OutputRows machine(model, 0);
    ProblemRows out;
    for (std::size_t i = 0; i < values.f.size(); ++i) {
        if (training.costs[i] > 0.0) {
            out.numbers.push_back(static_cast<index_t>(i));
            out.y.push_back(machine.row(training, i).target);
            out.c.push_back(training.costs[i]);
            out.f.push_back(values.f[i]);
            out.magnitude.push_back(values.magnitudes[i]);
        }
    }
    return out;
}

struct ProofSums {
    double t = 1.0;  ///< scale of the multipliers that puts them into the dual set
    TwoDoubleSum primal, dual, gap, norm;
    double sizes = 0.0;  ///< sum |w|
};

void add_columns(const Model& model, const ColumnSums& sums, ProofSums& proof,
                 Certificate& certificate) {
    std::vector<double> w(sums.r.size(), 0.0);
    for (std::size_t j = 0; j < model.support_rows.size(); ++j) {
        w[static_cast<std::size_t>(model.support_rows[j])] = model.coefficients[j];
    }
    certificate.kkt_violation = 0.0;
    for (std::size_t j = 0; j < w.size(); ++j) {
        if (model.penalty == kBasis && w[j] == 0.0) {
            continue;
        }
        const ColumnTerm term = column_term(model, w[j], sums.r[j].value(), proof.t);
        proof.primal.add(term.primal);
        proof.dual.add(term.dual);
        proof.gap.add(term.gap);
        proof.norm.add_product(w[j], w[j]);
        proof.sizes += std::abs(w[j]);
        certificate.kkt_violation = std::max(certificate.kkt_violation, term.violation);
    }
}

/// Adds the losses at b and their conjugates at proof.t a.
void add_losses(const Loss& kind, const ProblemRows& rows, double b, std::span<const double> a,
                ProofSums& proof, Recomputed& out) {
    const double t = proof.t;
    TwoDoubleSum sum;
    std::visit(
        [&](const auto& loss) {
            for (std::size_t k = 0; k < a.size(); ++k) {
                const auto [z, value, conjugate, slope, error] =
                    loss_term(loss, rows, k, b, t * a[k]);
                proof.primal.add(value);
                proof.dual.add(-conjugate);
                proof.gap.add(value);
                proof.gap.add(conjugate);
                proof.gap.add_product(t * a[k], z);
                out.contributors.offer(rows.numbers[k], value + conjugate + t * a[k] * z);
                out.rounding += error * rows.c[k] * slope + 2.0 * rows.c[k] * error * std::abs(z) +
                                error * std::abs(a[k]);
                sum.add(a[k]);
                out.absolute_sum += std::abs(a[k]);
            }
        },
        kind);
    out.sum = sum.value();
}

}  // namespace

Recomputed recompute_columns(const Model& model, const TrainingRows& training,
                             const TrainingValues& values) {
    const bool ridge = model.penalty != kL1;
    const double b = model.intercepts.front();
    const Loss kind = loss_by_name(model.loss, model.epsilon).value();
    Recomputed out;
    out.bounds_values = ridge;
    const ProblemRows rows = costly_rows(model, training, values);
    const std::vector<double> a = multipliers_of(model, kind, rows, model.intercepts.front());
    const ColumnSums sums = column_sums(training.rows, rows.numbers, a);
    double greatest = 0.0;
    double blur = 0.0;  // rounding error of the entries of r
    for (std::size_t j = 0; j < sums.r.size(); ++j) {
        greatest = std::max(greatest, std::abs(sums.r[j].value()));
        blur = std::max(blur, kValueRounding * sums.magnitudes[j]);
    }
    Certificate& certificate = out.certificate;
    ProofSums proof;
    proof.t = ridge || greatest <= model.l1 ? 1.0 : model.l1 / greatest;
    add_columns(model, sums, proof, certificate);
    add_losses(kind, rows, b, a, proof, out);
    out.rounding += blur * proof.sizes;
    if (!ridge && greatest > 0.0) {  // an error in r changes the scale t
        out.rounding += blur / greatest * (std::abs(proof.dual.value()) + model.l1 * proof.sizes);
    }
    certificate.primal = proof.primal.value();
    certificate.dual = proof.dual.value();
    certificate.gap = proof.gap.value();
    certificate.squared_norm = proof.norm.value();
    certificate.intercept = b;
    certificate.intercepts = {b, b};
    certificate.dual_infeasibility = ridge ? 0.0 : std::max(0.0, greatest - model.l1);
    certificate.worst_sample = out.contributors.first();
    return out;
}

}  // namespace mercer
