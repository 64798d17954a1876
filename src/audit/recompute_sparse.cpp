// SPDX-License-Identifier: Apache-2.0
//
// src/audit/recompute_sparse.cpp - independent recomputation of the proof of an l1-penalised model.
//
// Notation   f  value without b     z = f + b     c  cost     beta  coefficient     l1  its price
//            a  multipliers -c loss'(z), balanced     r = K (a - rho beta), rho = 1 with 1/2 |f|^2
//            s  scale of r (of a, where rho = 0) such that |s r| <= l1
#include <algorithm>
#include <cmath>
#include <utility>
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

/// Sums over r that determine the scale of the dual point.
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

/// The dual point that the model stores for an output, for the rows of the problem; multipliers
/// outside their box are reported in `again`.
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

/// Shifts all multipliers by one number, each clipped to its box, so that they sum to 0.
void balance(const Loss& kind, const ProblemRows& rows, std::vector<double>& a) {
    constexpr int kHalvings = 200;
    const auto moved = [&](double shift) {
        std::vector<double> out(a.size());
        std::visit(
            [&](const auto& loss) {
                for (std::size_t i = 0; i < a.size(); ++i) {
                    const Interval domain = loss.conjugate_domain(rows.y[i]);
                    out[i] = std::min(std::max(a[i] + shift, -rows.c[i] * domain.upper),
                                      -rows.c[i] * domain.lower);
                }
            },
            kind);
        return out;
    };
    double span = 0.0;
    for (const double value : a) {
        span = std::max(span, std::abs(value));
    }
    double low = -2.0 * span;  // there every multiplier is <= 0 or at the end of its box
    double high = 2.0 * span;
    double best = 0.0;
    for (int k = 0; k < kHalvings && sum_of(moved(best)) != 0.0; ++k) {
        (sum_of(moved(best)) > 0.0 ? high : low) = best;
        best = 0.5 * (low + high);
    }
    a = moved(best);
}

/// The proof of one output, step by step.
class SparseProof {
public:
    SparseProof(const Model& model, const TrainingRows& training, const TrainingValues& values,
                index_t output)
        : model_(model),
          output_(output),
          b_(model.intercepts[static_cast<std::size_t>(output)]),
          kind_(loss_by_name(model.loss, model.epsilon).value()),
          rows_(problem_rows(model, training, values, output, out_)) {
        out_.bounds_values = with_norm_;
    }

    /// Sets a to the multipliers that the model stores, or derives it from the values.
    void find_multipliers() {
        if (model_.row_multipliers.empty()) {
            a_ = multipliers_of(model_, kind_, rows_, b_);
            return;
        }
        a_ = std::visit(
            [&](const auto& loss) {
                return stored_multipliers(model_, loss, rows_, output_, out_);
            },
            kind_);
    }

    /// Computes r and the scale of the dual point.
    void find_residual(const Dataset& training, Context& context) {
        const Dataset some = training.select(rows_.numbers);
        TrainingValues product = kernel_sums(model_, some, a_, some, context);
        magnitudes_ = std::move(product.magnitudes);
        r_ = std::move(product.f);
        for (std::size_t j = 0; with_norm_ && j < r_.size(); ++j) {
            r_[j] -= rows_.f[j];
        }
        share_ = share_of(model_, rows_, a_, r_);
    }

    /// Adds the contributions of the rows to all sums.
    void add_rows() {
        out_.certificate.kkt_violation = 0.0;
        const double t = with_norm_ ? 1.0 : share_.s;
        std::visit(
            [&](const auto& loss) {
                for (std::size_t i = 0; i < a_.size(); ++i) {
                    add_row(i, t * a_[i], loss_term(loss, rows_, i, b_, t * a_[i]));
                }
            },
            kind_);
        sum_multipliers(a_, out_);
    }

    [[nodiscard]] Recomputed conclude() && {
        Certificate& certificate = out_.certificate;
        certificate.squared_norm = norm_.value();
        certificate.primal = model_.l1 * absolute_.value() + losses_.value();
        certificate.dual = -conjugates_.value();
        certificate.gap = gap_.value();
        if (with_norm_) {
            const double rest = 1.0 - share_.s;
            certificate.primal += 0.5 * norm_.value();
            certificate.gap += 0.5 * rest * rest * share_.norm;
            certificate.dual -=
                0.5 * norm_.value() + rest * share_.cross + 0.5 * rest * rest * share_.norm;
        }
        if (share_.greatest > 0.0) {  // an error in r changes the scale s
            out_.rounding +=
                blur_ / share_.greatest *
                (std::abs(certificate.dual) + model_.l1 * absolute_.value() + norm_.value());
        }
        certificate.intercept = b_;
        certificate.intercepts = {b_, b_};
        certificate.dual_infeasibility = std::max(0.0, share_.greatest - model_.l1);
        certificate.worst_sample = out_.contributors.first();
        return std::move(out_);
    }

private:
    /// Adds row i with the multiplier ta.
    void add_row(std::size_t i, double ta, const LossTerm& term) {
        const double beta = rows_.beta[i];
        absolute_.add(std::abs(beta));
        norm_.add_product(beta, rows_.f[i]);
        losses_.add(term.value);
        conjugates_.add(term.conjugate);
        gap_.add(term.value);
        gap_.add(term.conjugate);
        gap_.add_product(ta, term.z);
        gap_.add_product(model_.l1, std::abs(beta));
        gap_.add_product(-share_.s * r_[i], beta);
        out_.contributors.offer(rows_.numbers[i], term.value + term.conjugate + ta * term.z +
                                                      model_.l1 * std::abs(beta) -
                                                      share_.s * r_[i] * beta);
        // Rounding changes the losses directly, and the multipliers through the slopes of the
        // losses.
        out_.rounding += term.error * (std::abs(beta) + rows_.c[i] * term.slope) +
                         2.0 * rows_.c[i] * term.error * std::abs(term.z);
        blur_ = std::max(blur_, kValueRounding * magnitudes_[i] + term.error);
        double& violation = out_.certificate.kkt_violation;
        violation = std::max(violation, distance(model_.l1, beta, r_[i]));
    }

    const Model& model_;
    const bool with_norm_ = model_.penalty == kL1AndRkhs;  ///< penalised by 1/2 |f|^2 as well
    index_t output_;
    double b_;
    Recomputed out_;
    Loss kind_;
    ProblemRows rows_;
    std::vector<double> a_;
    std::vector<double> r_;
    std::vector<double> magnitudes_;  ///< of the products K a
    Share share_;
    TwoDoubleSum absolute_, norm_, losses_, conjugates_, gap_;
    double blur_ = 0.0;  ///< rounding error of the entries of r
};

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
        if (training.costs[i] == 0.0) {  // not a row of the problem, so it must have no coefficient
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

std::vector<double> multipliers_of(const Model& model, const Loss& kind, const ProblemRows& rows,
                                   double b) {
    std::vector<double> a(rows.y.size());
    std::visit(
        [&](const auto& loss) {
            for (std::size_t i = 0; i < a.size(); ++i) {
                a[i] = -rows.c[i] * loss.derivative(rows.y[i], rows.f[i] + b);
            }
        },
        kind);
    if (model.has_intercept) {
        balance(kind, rows, a);
    }
    return a;
}

void sum_multipliers(const std::vector<double>& a, Recomputed& again) {
    again.sum = sum_of(a);
    again.absolute_sum = 0.0;
    for (const double value : a) {
        again.absolute_sum += std::abs(value);
    }
}

Recomputed recompute_sparse(const Model& model, const TrainingRows& training,
                            const TrainingValues& values, index_t output, Context& context) {
    SparseProof proof(model, training, values, output);
    proof.find_multipliers();
    proof.find_residual(training.rows, context);
    proof.add_rows();
    return std::move(proof).conclude();
}

}  // namespace mercer
