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
#include <map>
#include <numeric>
#include <variant>

#include "mercer/base/roundoff.hpp"
#include "mercer/data/entries.hpp"
#include "mercer/data/equal_rows.hpp"
#include "mercer/kernels/linear_form.hpp"
#include "mercer/kernels/precise.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/parallel.hpp"

namespace mercer {

namespace {

RowSizes sizes_of(const Dataset& rows) {
    RowSizesGatherer gatherer(rows.columns());
    data::for_each_entry(rows, [&](index_t i, index_t, double value) { gatherer.add(i, value); });
    return gatherer.sizes();
}

/// The gap terms of one output.
class AuditTerms {
public:
    AuditTerms(const Model& model, const TrainingRows& training, const Loss& loss, double intercept,
               std::vector<AuditRow> audited)
        : model_(model),
          data_(training.rows),
          looked_up_(training.looked_up),
          loss_(loss),
          intercept_(intercept),
          rows_(std::move(audited)),
          coefficients_(rows_.size()),
          exact_(rows_.size(), false),
          computed_(rows_.size(), 0.0),
          most_(rows_.size(), 0.0) {
        double sum = 0.0;
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            coefficients_[i] = rows_[i].beta;
            sum += std::abs(rows_[i].beta);
        }
        l1_ = sum * (1.0 + rounding_of(static_cast<double>(rows_.size())));
        measure_scales();
        values_ = rounding_of_values();
        for (std::size_t i = 0; i < rows_.size(); ++i) {
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
        moved_ += std::abs(static_cast<double>(excess)) *
                  std::sqrt(diagonal(best) + values_.error) * (1.0 + 8.0 * kRoundoff);
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
        const double steps =
            static_cast<double>(rows_.size()) + static_cast<double>(data_.columns());
        const double error =
            2.0 * (values_.error + rounding_of(steps + 8.0) * (values_.largest + values_.error)) *
            l1_;
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
        const bool precise = looked_up_ ? is_plain() : has_precise_values(model_.kernel);
        while (precise && bound() > wanted) {
            const std::vector<std::size_t> chosen = worst();
            if (chosen.empty()) {
                return;
            }
            constexpr double kOperations = 256.0;  // per kernel value, in addition to one per
                                                   // column
            const double lost =
                0x1p-111 * (support_ + static_cast<double>(data_.columns()) + kOperations);
            const bool scaled = std::isfinite(values_.relative);
            gather_equal_rows();
            double l1 = 0.0;
            double weight = 0.0;
            for (std::size_t j = 0; j < gathered_.size(); ++j) {
                const double size =
                    std::abs(static_cast<double>(gathered_[j])) + rounded_off_[j] / lost;
                l1 += size * (1.0 + 8.0 * kRoundoff);
                weight += size * scales_[j] * (1.0 + 8.0 * kRoundoff);
            }
            sum_columns();
            parallel_for(context, static_cast<index_t>(chosen.size()), [&](index_t k, int) {
                const std::size_t i = chosen[static_cast<std::size_t>(k)];
                const double whole = lost * values_.largest * l1;
                const double error = scaled ? std::min(whole, lost * scales_[i] * weight) : whole;
                measure(i, precise_value(i), error);
                exact_[i] = 1;
            });
        }
    }

private:
    [[nodiscard]] double error_of(std::size_t i) const {
        const double z = rows_[i].f + intercept_;
        const double of_values =
            std::min(values_.error * l1_, values_.relative * scales_[i] * weight_);
        return of_values +
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
                    const double moved = moved_ + std::abs(excess) * scales_[i];
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

    /// k(x, x) of a row; a row of kernel values has it in the column of its own number.
    [[nodiscard]] double diagonal(std::size_t i) const {
        std::vector<double> x(static_cast<std::size_t>(data_.columns()));
        data_.copy_row(rows_[i].number, x);
        if (!looked_up_) {
            return std::max(0.0, model_.kernel(x, x));
        }
        std::vector<double> unit(x.size(), 0.0);
        unit[static_cast<std::size_t>(rows_[i].number)] = 1.0;
        return std::max(0.0, model_.kernel(unit, x));
    }

    /// Square roots of the diagonal, rounded up a little, and their sum weighted by the
    /// coefficients:
    /// k(x, z)| is at most the product of two roots (Cauchy-Schwarz).
    void measure_scales() {
        constexpr double kOfDiagonal = 1.001;
        scales_.reserve(rows_.size());
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            scales_.push_back(kOfDiagonal * std::sqrt(diagonal(i)));
            weight_ += std::abs(rows_[i].beta) * scales_.back();
            support_ += rows_[i].beta != 0.0 ? 1.0 : 0.0;
        }
    }

    /// True if the kernel is a table, with no expression around it.
    [[nodiscard]] bool is_plain() const { return model_.kernel.node().children.empty(); }

    /// A table of values is the problem itself and not rounded; an expression around it is.
    [[nodiscard]] KernelRounding rounding_of_values() const {
        double most = 0.0;
        for (const double scale : scales_) {
            most = std::max(most, scale * scale);
        }
        if (looked_up_) {
            constexpr double kOperations = 16.0;
            return {is_plain() ? 0.0 : rounding_of(kOperations) * most, most};
        }
        KernelRounding out = kernel_rounding(model_.kernel, sizes_of(data_));
        out.largest = std::min(out.largest, most + out.error);
        out.error = std::min(out.error, out.relative * out.largest);  // for the rows of this output
        if (!std::isfinite(out.error)) {
            out.largest = most;
            out.error = kAssumedRounding * most;
        }
        return out;
    }

    /// Adds the coefficients of equal rows, whose kernel values have the same errors. Rows of
    /// kernel values stay apart.
    void gather_equal_rows() {
        if (!gathered_.empty()) {
            return;
        }
        gathered_.assign(rows_.size(), Quad(0.0));
        rounded_off_.assign(rows_.size(), 0.0);
        const std::vector<index_t> first =
            looked_up_ ? std::vector<index_t>() : first_equal_rows(data_);
        std::map<index_t, std::size_t> places;
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            const index_t number = rows_[i].number;
            const index_t kind = looked_up_ ? number : first[static_cast<std::size_t>(number)];
            const std::size_t at = places.emplace(kind, i).first->second;
            const Quad a = gathered_[at];
            const Quad b = rows_[i].beta;
            gathered_[at] = a + b;
            const Quad larger = fabs(a) < fabs(b) ? b : a;
            const Quad smaller = fabs(a) < fabs(b) ? a : b;
            const Quad off = smaller - (gathered_[at] - larger);  // exact
            rounded_off_[at] += std::abs(static_cast<double>(off));
        }
    }

    /// With a linear kernel the weights of the columns determine every value.
    void sum_columns() {
        if (looked_up_ || !columns_.empty() || data_.columns() == 0 ||
            linear_factor(model_.kernel) == 0.0) {
            return;
        }
        std::vector<double> z(static_cast<std::size_t>(data_.columns()), 0.0);
        z.front() = 1.0;
        const Quad factor = evaluate_precisely(model_.kernel, z, z);
        columns_.assign(z.size(), Quad(0.0));
        for (std::size_t j = 0; j < rows_.size(); ++j) {
            if (gathered_[j] != 0.0) {
                data_.copy_row(rows_[j].number, z);
                for (std::size_t k = 0; k < z.size(); ++k) {
                    columns_[k] += z[k] != 0.0 ? factor * gathered_[j] * z[k] : Quad(0.0);
                }
            }
        }
    }

    [[nodiscard]] Quad precise_value(std::size_t i) const {
        std::vector<double> x(static_cast<std::size_t>(data_.columns()));
        std::vector<double> z(x.size());
        data_.copy_row(rows_[i].number, x);
        Quad sum = 0.0;
        for (std::size_t k = 0; k < columns_.size(); ++k) {
            sum += columns_[k] * x[k];
        }
        if (!columns_.empty()) {
            return sum;
        }
        for (std::size_t j = 0; j < rows_.size(); ++j) {
            const auto number = static_cast<std::size_t>(rows_[j].number);
            if (gathered_[j] != 0.0 && looked_up_) {
                sum += gathered_[j] * x[number];
            } else if (gathered_[j] != 0.0) {
                data_.copy_row(rows_[j].number, z);
                sum += gathered_[j] * evaluate_precisely(model_.kernel, z, x);
            }
        }
        return sum;
    }

    [[nodiscard]] std::vector<std::size_t> worst() const {
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            if (exact_[i] == 0 && most_[i] > computed_[i]) {
                order.push_back(i);
            }
        }
        std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return most_[a] - computed_[a] > most_[b] - computed_[b];
        });
        order.resize((order.size() + 1) / 2);
        return order;
    }

    const Model& model_;
    const Dataset& data_;
    bool looked_up_;
    const Loss& loss_;
    double intercept_;
    std::vector<AuditRow> rows_;
    std::vector<Quad> coefficients_;   ///< of the dual point: those of the rows, balanced
    std::vector<Quad> gathered_;       ///< sums of equal rows, at the first of them; others 0
    std::vector<double> rounded_off_;  ///< by these sums
    std::vector<Quad> columns_;        ///< column weights, for a linear kernel only
    std::vector<char> exact_;
    std::vector<double> computed_;
    std::vector<double> most_;
    KernelRounding values_;
    std::vector<double> scales_;  ///< sqrt(k(x, x)) of the rows
    double weight_ = 0.0;         ///< sum |beta| sqrt(k(x, x))
    double support_ = 0.0;        ///< number of nonzero coefficients
    double l1_ = 0.0;             ///< sum of |beta|
    double unbalanced_ = 0.0;     ///< contribution of the unbalanced sums to the gap
    double charged_ = 0.0;        ///< contribution of unused mass
    double moved_ = 0.0;          ///< RKHS distance between f and the f of the dual point
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
