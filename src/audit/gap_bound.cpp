// SPDX-License-Identifier: Apache-2.0
//
// src/audit/gap_bound.cpp - the terms of the gap, each at the worst value consistent with rounding.
//
// docs/methods/certificate.md has the theorem. Nothing of problems/ is used here, so that this is
// an independent second opinion.
//
// Notation   z = f + b   t  term of a row   excess  sum of the coefficients minus its required
// value
#include "audit/gap_bound.hpp"

#include <algorithm>
#include <cmath>
#include <variant>

#include "audit/coefficient_sum.hpp"
#include "mercer/base/roundoff.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {

namespace {

/// The gap terms of one output.
class AuditTerms {
public:
    AuditTerms(const Model& model, const TrainingRows& training, const Loss& loss, double intercept,
               std::vector<AuditRow> audited)
        : loss_(loss),
          intercept_(intercept),
          rows_(std::move(audited)),
          bounds_(model, training, numbers_of(rows_)),
          f_(bounds_, coefficients_of(rows_)),
          exact_(rows_.size(), false),
          computed_(rows_.size(), 0.0),
          most_(rows_.size(), 0.0) {
        coefficients_.reserve(rows_.size());
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            coefficients_.emplace_back(rows_[i].beta);
            measure(i, rows_[i].f, error_of(i));
        }
    }

    /// Moves one coefficient of that sign (0: of either sign) so that their sum is exactly `sum`.
    void balance(double sign, double sum) {
        Quad excess = -Quad(sum);
        for (const AuditRow& row : rows_) {
            excess += sign == 0.0 || row.beta * sign > 0.0 ? row.beta : 0.0;
        }
        if (excess == 0.0) {
            return;
        }
        unbalanced_ += std::abs(static_cast<double>(excess)) *
                       (std::abs(intercept_) + std::abs(width_of(loss_)));
        const std::size_t best = cheapest(sign, static_cast<double>(excess));
        if (best == rows_.size()) {
            moved_ = kInfinity;
            return;
        }
        coefficients_[best] -= excess;
        measure(best, rows_[best].f, error_of(best));
        moved_ +=
            std::abs(static_cast<double>(excess)) * bounds_.scale(best) * (1.0 + 8.0 * kRoundoff);
    }

    /// Adds what no row accounts for.
    void charge(double amount) { charged_ += amount; }

    [[nodiscard]] double bound() const {
        double sum = charged_;
        for (const double term : most_) {
            sum += term;
        }
        constexpr double kOperations = 32.0;  // per term
        return (sum + 0.5 * moved_ * moved_) *
               (1.0 + rounding_of(static_cast<double>(rows_.size()) + kOperations));
    }

    /// The bound with twice the error of a plain float64 sum over the rows.
    [[nodiscard]] double loosest() const {
        const double error = 2.0 * f_.plain_error();
        double sum = charged_;
        std::visit(
            [&](const auto& loss) {
                for (std::size_t i = 0; i < rows_.size(); ++i) {
                    const AuditRow& row = rows_[i];
                    const double z = row.f + intercept_;
                    const double off = error + 2.0 * error_of(i);
                    sum += row.c > 0.0 ? std::max(loss.young_gap(row.y, z - off, row.c, row.beta),
                                                  loss.young_gap(row.y, z + off, row.c, row.beta))
                                       : 0.0;
                }
            },
            loss_);
        return 2.0 * (sum + moved_ * moved_ + unbalanced_);
    }

    /// Computes exact values for the rows that dominate the bound, the worst half of them at a
    /// time.
    void refine(double wanted, Context& context) {
        while (bounds_.is_precise() && bound() > wanted) {
            const std::vector<std::size_t> chosen = worst();
            if (chosen.empty()) {
                return;
            }
            f_.at_rows(chosen, context, [&](std::size_t i, Quad value, double error) {
                measure(i, value, error);
                exact_[i] = 1;
            });
        }
    }

private:
    [[nodiscard]] static std::vector<index_t> numbers_of(const std::vector<AuditRow>& rows) {
        std::vector<index_t> out;
        out.reserve(rows.size());
        for (const AuditRow& row : rows) {
            out.push_back(row.number);
        }
        return out;
    }
    [[nodiscard]] static std::vector<double> coefficients_of(const std::vector<AuditRow>& rows) {
        std::vector<double> out;
        out.reserve(rows.size());
        for (const AuditRow& row : rows) {
            out.push_back(row.beta);
        }
        return out;
    }

    [[nodiscard]] double error_of(std::size_t i) const {
        const double z = rows_[i].f + intercept_;
        return f_.error_of(i) +
               8.0 * kRoundoff * (rows_[i].magnitude + std::abs(z) + std::abs(rows_[i].y - z));
    }

    void measure(std::size_t i, Quad value, double error) {
        if (!(rows_[i].c > 0.0)) {
            return;
        }
        std::visit(
            [&](const auto& loss) {
                const auto term = [&](Quad z) {
                    return static_cast<double>(
                        loss.young_gap(rows_[i].y, z, rows_[i].c, coefficients_[i]));
                };
                const Quad z = value + intercept_;
                computed_[i] = term(z);
                most_[i] = std::max(term(z - error), term(z + error)) * (1.0 + 4.0 * kRoundoff);
            },
            loss_);
    }

    [[nodiscard]] std::size_t cheapest(double sign, double excess) const {
        std::size_t best = rows_.size();
        double least = kInfinity;
        std::visit(
            [&](const auto& loss) {
                for (std::size_t i = 0; i < rows_.size(); ++i) {
                    const auto& [number, y, c, beta, f, magnitude] = rows_[i];
                    const bool shrinks = excess * sign > 0.0;  // must not change its sign
                    if (!(c > 0.0) || beta * sign < (shrinks ? 2.0 * std::abs(excess) : 0.0)) {
                        continue;
                    }
                    const Interval u = loss.conjugate_domain(y);
                    const double after = beta - 2.0 * excess;
                    if (!(-c * u.upper <= after && after <= -c * u.lower)) {
                        continue;
                    }
                    const double moved = moved_ + std::abs(excess) * bounds_.scale(i);
                    const double price = loss.young_gap(y, f + intercept_, c, beta - excess) -
                                         computed_[i] + 0.5 * moved * moved;
                    if (price < least) {
                        least = price;
                        best = i;
                    }
                }
            },
            loss_);
        return best;
    }

    [[nodiscard]] std::vector<std::size_t> worst() const {
        std::vector<double> excess;
        excess.reserve(rows_.size());
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            excess.push_back(exact_[i] != 0 ? 0.0 : most_[i] - computed_[i]);
        }
        return worst_half(excess);
    }

    const Loss& loss_;
    double intercept_;
    std::vector<AuditRow> rows_;
    KernelBounds bounds_;
    CoefficientSum f_;
    std::vector<Quad> coefficients_;  ///< of the dual point: those of the rows, balanced
    std::vector<char> exact_;
    std::vector<double> computed_;
    std::vector<double> most_;
    double unbalanced_ = 0.0;  ///< contribution of the unbalanced sums to the gap
    double charged_ = 0.0;     ///< contribution of unused mass
    double moved_ = 0.0;       ///< RKHS distance between f and the f of the dual point
};

}  // namespace

AuditBound bound_gap(const Model& model, const TrainingRows& training, AuditedOutput output,
                     double stated, Context& context) {
    const AuditSums sums = output.sums;
    AuditTerms terms(model, training, output.loss, output.intercept, std::move(output.rows));
    if (!std::isnan(sums.mass)) {
        terms.balance(1.0, sums.all ? 0.5 * sums.mass : sums.mass);
        if (sums.all) {
            terms.balance(-1.0, -0.5 * sums.mass);
        }
    } else if (sums.all) {
        terms.balance(0.0, 0.0);
    }
    terms.charge(sums.unused);
    AuditBound out;
    out.loosest = terms.loosest();
    terms.refine(stated, context);
    out.least = terms.bound();
    return out;
}

}  // namespace mercer
