// SPDX-License-Identifier: Apache-2.0
//
// src/audit/recompute_sparse.cpp - the proof of few coefficients, once more and by other code.
//
// Notation   f  value without b     z = f + b     c  cost     beta  coefficient     l1  its price
//            a  multipliers -c loss'(z), balanced     r = K (a - rho beta), rho = 1 beside 1/2
//            |f|^2 s  the share of r (of a, where rho = 0) that keeps |s r| <= l1
#include <algorithm>
#include <cmath>
#include <variant>

#include "audit/loss_term.hpp"
#include "audit/recompute.hpp"
#include "mercer/losses/loss.hpp"

namespace mercer {

namespace {

double sum_of(const std::vector<double>& terms) {
    TwoDoubleSum sum;
    for (const double term : terms) {
        sum.add(term);
    }
    return sum.value();
}

/// Sums over r that decide how much of it the dual point takes.
struct Share {
    double s = 1.0;
    double greatest = 0.0;
    double norm = 0.0;   ///< (a - rho beta)'r
    double cross = 0.0;  ///< beta'r
};

Share share_of(const Model& model, const ProblemRows& rows, const std::vector<double>& a,
               const std::vector<double>& r) {
    const bool rkhs = model.penalty == kL1AndRkhs;
    Share out;
    TwoDoubleSum slope;
    TwoDoubleSum norm;
    TwoDoubleSum cross;
    for (std::size_t j = 0; j < r.size(); ++j) {
        out.greatest = std::max(out.greatest, std::abs(r[j]));
        slope.add_product(a[j], r[j]);
        norm.add_product(a[j] - (rkhs ? rows.beta[j] : 0.0), r[j]);
        cross.add_product(rows.beta[j], r[j]);
    }
    out.norm = norm.value();
    out.cross = cross.value();
    const double most = out.greatest == 0.0 ? kInfinity : model.l1 / out.greatest;
    const double wanted = rkhs && out.norm > 0.0 ? std::max(0.0, slope.value() / out.norm) : 1.0;
    out.s = std::min(wanted, most);
    return out;
}

double distance(double l1, double beta, double r) {
    return beta == 0.0 ? std::max(0.0, std::abs(r) - l1) : std::abs(r - (beta > 0.0 ? l1 : -l1));
}

/// The dual point of an output that the model has stored, of the problem's rows; those that leave
/// their box are offered to `again`.
template <typename LossType>
std::vector<double> stored_multipliers(const Model& model, const LossType& loss,
                                       const ProblemRows& rows, index_t output, Recomputed& again) {
    const auto begin = static_cast<std::size_t>(output * model.fingerprint.rows);
    std::vector<double> a(rows.y.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        a[i] = model.row_multipliers[begin + static_cast<std::size_t>(rows.numbers[i])];
        const Interval domain = loss.conjugate_domain(rows.y[i]);
        const double low = -rows.c[i] * domain.upper;
        const double high = -rows.c[i] * domain.lower;
        if (a[i] < low || a[i] > high) {
            again.outside.offer(rows.numbers[i], std::max(low - a[i], a[i] - high) / rows.c[i]);
        }
    }
    return a;
}

}  // namespace

TrainingValues kernel_sums(const Model& model, const Dataset& rows, const std::vector<double>& a,
                           const Dataset& wanted, Context& context) {
    TrainingRows places;
    places.rows = wanted;
    Model sum;
    sum.kernel = model.kernel;
    sum.columns = model.columns;
    sum.support = rows;
    sum.coefficients = a;
    sum.intercepts = {0.0};
    return training_values(sum, places, context);
}

ProblemRows problem_rows(const Model& model, const TrainingRows& training,
                         const TrainingValues& values, index_t output, Recomputed& again) {
    const std::vector<index_t> places = support_places(model);
    const OutputRows machine(model, output);
    const auto width = static_cast<std::size_t>(model.coefficient_columns());
    ProblemRows out;
    machine.for_each(training, places, [&](std::size_t i, const auto& row, double beta) {
        if (training.costs[i] == 0.0) {  // no row of the problem, so it can have no coefficient
            again.outside.offer(static_cast<index_t>(i), std::abs(beta));
            return;
        }
        const std::size_t at = i * width + static_cast<std::size_t>(row.column);
        out.numbers.push_back(static_cast<index_t>(i));
        out.y.push_back(row.target);
        out.c.push_back(training.costs[i]);
        out.beta.push_back(beta);
        out.f.push_back(values.f[at]);
        out.magnitude.push_back(values.magnitudes[at]);
    });
    return out;
}

void balance_multipliers(const Loss& kind, std::span<const double> y, std::span<const double> c,
                         std::vector<double>& a) {
    constexpr int kHalvings = 200;
    const auto moved = [&](double shift) {
        std::vector<double> out(a.size());
        std::visit(
            [&](const auto& loss) {
                for (std::size_t i = 0; i < a.size(); ++i) {
                    const Interval domain = loss.conjugate_domain(y[i]);
                    out[i] = std::min(std::max(a[i] + shift, -c[i] * domain.upper),
                                      -c[i] * domain.lower);
                }
            },
            kind);
        return out;
    };
    double span = 0.0;
    for (const double value : a) {
        span = std::max(span, std::abs(value));
    }
    double low = -2.0 * span;  // every multiplier is <= 0 there, or at the end of its box
    double high = 2.0 * span;
    double best = 0.0;
    for (int k = 0; k < kHalvings && sum_of(moved(best)) != 0.0; ++k) {
        (sum_of(moved(best)) > 0.0 ? high : low) = best;
        best = 0.5 * (low + high);
    }
    a = moved(best);
}

Recomputed recompute_sparse(const Model& model, const TrainingRows& training,
                            const TrainingValues& values, index_t output, Context& context) {
    const bool rkhs = model.penalty == kL1AndRkhs;
    const double b = model.intercepts[static_cast<std::size_t>(output)];
    Recomputed out;
    out.bounds_values = rkhs;
    const ProblemRows rows = problem_rows(model, training, values, output, out);
    const std::size_t n = rows.y.size();
    Certificate& certificate = out.certificate;
    const Loss kind = loss_by_name(model.loss, model.epsilon).value();
    std::vector<double> a(n);
    std::visit(
        [&](const auto& loss) {
            if (!model.row_multipliers.empty()) {
                a = stored_multipliers(model, loss, rows, output, out);
                return;
            }
            for (std::size_t i = 0; i < n; ++i) {
                a[i] = -rows.c[i] * loss.derivative(rows.y[i], rows.f[i] + b);
            }
        },
        kind);
    if (model.has_intercept && model.row_multipliers.empty()) {
        balance_multipliers(kind, rows.y, rows.c, a);
    }
    const Dataset some = training.rows.select(rows.numbers);
    const TrainingValues product = kernel_sums(model, some, a, some, context);
    std::vector<double> r = product.f;
    for (std::size_t j = 0; rkhs && j < n; ++j) {
        r[j] -= rows.f[j];
    }
    const Share share = share_of(model, rows, a, r);
    const double t = rkhs ? 1.0 : share.s;
    TwoDoubleSum absolute, norm, losses, conjugates, gap;
    double blur = 0.0;  // of the entries of r
    certificate.kkt_violation = 0.0;
    std::visit(
        [&](const auto& loss) {
            for (std::size_t i = 0; i < n; ++i) {
                const auto [z, value, conjugate, slope, error] =
                    loss_term(loss, rows, i, b, t * a[i]);
                absolute.add(std::abs(rows.beta[i]));
                norm.add_product(rows.beta[i], rows.f[i]);
                losses.add(value);
                conjugates.add(conjugate);
                gap.add(value);
                gap.add(conjugate);
                gap.add_product(t * a[i], z);
                gap.add_product(model.l1, std::abs(rows.beta[i]));
                gap.add_product(-share.s * r[i], rows.beta[i]);
                out.contributors.offer(rows.numbers[i], value + conjugate + t * a[i] * z +
                                                            model.l1 * std::abs(rows.beta[i]) -
                                                            share.s * r[i] * rows.beta[i]);
                // Values move the losses, and through their slopes the multipliers.
                out.rounding += error * (std::abs(rows.beta[i]) + rows.c[i] * slope) +
                                2.0 * rows.c[i] * error * std::abs(z);
                blur = std::max(blur, kValueRounding * product.magnitudes[i] + error);
                certificate.kkt_violation =
                    std::max(certificate.kkt_violation, distance(model.l1, rows.beta[i], r[i]));
            }
        },
        kind);
    out.sum = sum_of(a);
    for (const double value : a) {
        out.absolute_sum += std::abs(value);
    }
    certificate.squared_norm = norm.value();
    certificate.primal = model.l1 * absolute.value() + losses.value();
    certificate.dual = -conjugates.value();
    certificate.gap = gap.value();
    if (rkhs) {
        const double rest = 1.0 - share.s;
        certificate.primal += 0.5 * norm.value();
        certificate.gap += 0.5 * rest * rest * share.norm;
        certificate.dual -=
            0.5 * norm.value() + rest * share.cross + 0.5 * rest * rest * share.norm;
    }
    if (share.greatest > 0.0) {  // a blurred r is another share of it
        out.rounding += blur / share.greatest *
                        (std::abs(certificate.dual) + model.l1 * absolute.value() + norm.value());
    }
    certificate.intercept = b;
    certificate.intercepts = {b, b};
    certificate.dual_infeasibility = std::max(0.0, share.greatest - model.l1);
    certificate.worst_sample = out.contributors.first();
    return out;
}

}  // namespace mercer
