// SPDX-License-Identifier: Apache-2.0
//
// src/audit/recompute.cpp - every kernel value, loss and conjugate computed again.
//
// Notation   f  value without the intercept b     z = f + b       c  cost of a row
//            beta  coefficient, 0 off the support    u = -beta / c  argument of the conjugate
#include "audit/recompute.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <span>
#include <variant>

#include "audit/gap_bound.hpp"
#include "mercer/base/roundoff.hpp"
#include "mercer/losses/loss.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/parallel.hpp"

namespace mercer {

namespace {

constexpr index_t kRowsAtOnce = 16;  // training rows that share one copy of each support row
constexpr std::size_t kShownRows = 3;

/// Working memory of a thread: two dense rows.
class RowScratch {
public:
    RowScratch(index_t columns, Context& context)
        : columns_(columns),
          values_(context.allocate<double>(columns * (kRowsAtOnce + 1), "rows to verify")) {}

    [[nodiscard]] std::span<double> row(index_t place) {
        return values_.span().subspan(static_cast<std::size_t>(place * columns_),
                                      static_cast<std::size_t>(columns_));
    }

private:
    index_t columns_;
    Buffer<double> values_;
};

/// Maps a coefficient of a support row to a value of a training row. In a model with several
/// outputs both have the same columns; with pairs of classes the column depends on both classes.
class Places {
public:
    Places(const Model& model, const TrainingRows& training)
        : training_(training),
          pairs_(model.multiclass == "ovo"),
          width_(model.coefficient_columns()) {
        for (std::size_t c = 0; c < model.class_support.size(); ++c) {
            classes_.insert(classes_.end(), static_cast<std::size_t>(model.class_support[c]),
                            static_cast<index_t>(c));
        }
    }

    [[nodiscard]] index_t width() const noexcept { return width_; }

    /// Calls use(value column of training row i, coefficient column of support row j) for every
    /// machine that involves both rows.
    template <typename Use>
    void each(index_t i, index_t j, const Use& use) const {
        if (!pairs_) {
            for (index_t t = 0; t < width_; ++t) {
                use(t, t);
            }
            return;
        }
        const auto own = static_cast<index_t>(training_.targets[static_cast<std::size_t>(i)]);
        const index_t support = classes_[static_cast<std::size_t>(j)];
        if (own != support) {  // the rows share one machine, that of their classes
            use(column_against(own, support), column_against(support, own));
            return;
        }
        for (index_t t = 0; t < width_; ++t) {
            use(t, t);
        }
    }

private:
    const TrainingRows& training_;
    bool pairs_;
    index_t width_;
    std::vector<index_t> classes_;
};

void evaluate_rows(const Model& model, const TrainingRows& training, const Places& places,
                   index_t begin, RowScratch& scratch, TrainingValues& out) {
    const index_t width = places.width();
    const index_t count = std::min(kRowsAtOnce, training.rows.rows() - begin);
    for (index_t i = 0; i < count; ++i) {
        training.rows.copy_row(begin + i, scratch.row(i));
    }
    std::vector<TwoDoubleSum> sums(static_cast<std::size_t>(count * width));
    for (index_t j = 0; j < model.support.rows(); ++j) {
        const std::span<double> support = scratch.row(kRowsAtOnce);
        model.support.copy_row(j, support);
        for (index_t i = 0; i < count; ++i) {
            const double k = model.kernel(support, scratch.row(i));
            places.each(begin + i, j, [&](index_t value, index_t coefficient) {
                const double beta =
                    model.coefficients[static_cast<std::size_t>(j * width + coefficient)];
                sums[static_cast<std::size_t>(i * width + value)].add_product(beta, k);
                out.magnitudes[static_cast<std::size_t>((begin + i) * width + value)] +=
                    std::abs(beta * k);
            });
        }
    }
    for (std::size_t k = 0; k < sums.size(); ++k) {
        out.f[static_cast<std::size_t>(begin * width) + k] = sums[k].value();
    }
}

/// The contribution of one row to the sums.
struct RowTerms {
    double y;
    double c;
    double beta;
    double f;
    double magnitude;  ///< of f: its rounding is relative to this
};

/// Rounds a coefficient to zero or to the end of the box if it is that close; otherwise unchanged.
double nearest_end(double u, const Interval& box) {
    constexpr double kShare = 1e-9;
    const double span = box.upper - box.lower;
    double out = u;
    if (std::isfinite(span)) {
        out = std::abs(u) <= kShare * span ? 0.0 : out;
        out = u - box.lower <= kShare * span ? box.lower : out;
        out = box.upper - u <= kShare * span ? box.upper : out;
    }
    return out;
}

/// The sums from which one certificate is computed.
class CertificateSums {
public:
    explicit CertificateSums(double intercept) : intercept_(intercept) {}

    template <typename LossType>
    void add(const LossType& loss, index_t row, const RowTerms& terms) {
        const auto& [y, c, beta, f, magnitude] = terms;
        const double z = f + intercept_;
        const double error = kValueRounding * magnitude + 2.0 * kRoundoff * std::abs(z);
        out_.rounding += std::abs(beta) * error;
        sum_.add(beta);
        absolute_sum_.add(std::abs(beta));
        norm_.add_product(beta, f);
        if (c == 0.0) {  // a row of weight zero must have coefficient zero
            out_.outside.offer(row, std::abs(beta));
            return;
        }
        if (std::isinf(c)) {  // squared loss as the constraint z = y, with multiplier beta
            conjugates_.add(-beta * y);
            gap_.add_product(beta, z - y);
            out_.contributors.offer(row, std::abs(beta * (z - y)));
            lowest_upper_ = std::min(lowest_upper_, y - f);
            highest_lower_ = std::max(highest_lower_, y - f);
            return;
        }
        const Interval box = loss.conjugate_domain(y);
        const double u = -beta / c;
        out_.outside.offer(row, std::max(box.lower - u, u - box.upper));
        const double inside = std::min(std::max(u, box.lower), box.upper);
        const double value = c * loss.value(y, z);
        const double conjugate = c * loss.conjugate(y, inside);
        out_.rounding += c * error *
                         std::max(std::abs(loss.derivative(y, z - error)),
                                  std::abs(loss.derivative(y, z + error)));
        losses_.add(value);
        conjugates_.add(conjugate);
        gap_.add(value);
        gap_.add(conjugate);
        gap_.add_product(beta, z);
        out_.contributors.offer(row, value + conjugate + beta * z);
        const Interval best = loss.conjugate_subgradient(y, nearest_end(inside, box));
        lowest_upper_ = std::min(lowest_upper_, best.upper - f);
        highest_lower_ = std::max(highest_lower_, best.lower - f);
    }

    [[nodiscard]] Recomputed release(bool has_intercept, double largest_cost) && {
        Certificate& certificate = out_.certificate;
        certificate.squared_norm = norm_.value();
        certificate.primal = 0.5 * norm_.value() + losses_.value();
        certificate.dual = -0.5 * norm_.value() - conjugates_.value();
        certificate.gap = gap_.value();
        certificate.intercept = intercept_;
        certificate.intercepts = {intercept_, intercept_};
        const double apart = has_intercept ? highest_lower_ - lowest_upper_
                                           : std::max(highest_lower_, -lowest_upper_);
        certificate.kkt_violation = std::max(0.0, apart);
        certificate.dual_infeasibility =
            out_.outside.empty() ? 0.0 : out_.outside.largest() * largest_cost;
        certificate.worst_sample = out_.contributors.first();
        out_.sum = sum_.value();
        out_.absolute_sum = absolute_sum_.value();
        return std::move(out_);
    }

private:
    double intercept_;
    Recomputed out_;
    TwoDoubleSum sum_;
    TwoDoubleSum absolute_sum_;
    TwoDoubleSum norm_;
    TwoDoubleSum losses_;
    TwoDoubleSum conjugates_;
    TwoDoubleSum gap_;
    double lowest_upper_ = kInfinity;
    double highest_lower_ = -kInfinity;
};

/// The loss with the width that a nu-machine found. For a one-class machine it is in the intercept.
Loss loss_of(const Model& model, index_t output) {
    const double width = model.certificates[static_cast<std::size_t>(output)].width;
    if (model.machine == kOneClass) {
        return HingeLoss{0.0};
    }
    if (!std::isnan(model.nu)) {
        return model.loss == name_of(Loss(HingeLoss{})) ? Loss(HingeLoss{width})
                                                        : Loss(EpsilonInsensitiveLoss{width});
    }
    return loss_by_name(model.loss, model.epsilon).value();
}

/// True when a tube may leave mass unused: if it is open, a sum that is off by rounding alone is
/// made exact instead.
bool leaves_mass(const Model& model, const Recomputed& again) {
    constexpr double kRounding = 1e-9;
    return has_tube(model) &&
           (again.certificate.width == 0.0 || again.absolute_sum <= (1.0 - kRounding) * again.mass);
}

/// Adds the cost of a free width: that of the mass to the primal, that of the used part of it to
/// the dual; for a one-class machine to the primal only.
void add_price(const Model& model, index_t output, double mass, Recomputed& out) {
    const double width = model.certificates[static_cast<std::size_t>(output)].width;
    out.mass = mass;
    out.certificate.width = width;
    if (model.machine == kOneClass) {
        out.certificate.primal += mass * model.intercepts[static_cast<std::size_t>(output)];
        return;
    }
    const double price = model.loss == name_of(Loss(HingeLoss{})) ? -mass * width : mass * width;
    out.certificate.primal += price;
    out.certificate.dual += leaves_mass(model, out) ? width * out.absolute_sum : price;
}

/// The sum constraints of the dual point. A tube may leave a part of the mass unused, at the price
/// of its width.
AuditSums sums_of(const Model& model, const Recomputed& again) {
    if (model.machine == kOneClass) {
        return {.all = false, .mass = again.mass};
    }
    if (std::isnan(again.mass) || !leaves_mass(model, again)) {
        return {.all = model.has_intercept, .mass = again.mass};
    }
    const double rounding =
        rounding_of(static_cast<double>(model.fingerprint.rows) + 8.0) * again.mass;
    const double most = again.mass - again.absolute_sum + std::abs(again.sum) + rounding;
    return {.all = model.has_intercept, .unused = again.certificate.width * most};
}

}  // namespace

void WorstRows::offer(index_t row, double amount) {
    if (!(amount > 0.0)) {
        return;
    }
    const auto place = std::find_if(worst_.begin(), worst_.end(),
                                    [&](const Entry& entry) { return entry.amount < amount; });
    worst_.insert(place, {row, amount});
    if (worst_.size() > kShownRows) {
        worst_.pop_back();
    }
}

std::string WorstRows::text() const {
    std::string text = worst_.size() == 1 ? "row " : "rows ";
    for (std::size_t i = 0; i < worst_.size(); ++i) {
        const char* before = i == 0 ? "" : i + 1 == worst_.size() ? " and " : ", ";
        text += fmt::format("{}{} ({:.3g})", before, worst_[i].row + 1, worst_[i].amount);
    }
    return text;
}

std::vector<index_t> support_places(const Model& model) {
    std::vector<index_t> places(static_cast<std::size_t>(model.fingerprint.rows), -1);
    for (std::size_t j = 0; j < model.support_rows.size(); ++j) {
        places[static_cast<std::size_t>(model.support_rows[j])] = static_cast<index_t>(j);
    }
    return places;
}

TrainingValues training_values(const Model& model, const TrainingRows& training, Context& context) {
    const Dataset& rows = training.rows;
    const Places places(model, training);
    TrainingValues out;
    out.f.assign(static_cast<std::size_t>(checked_multiply(rows.rows(), places.width())), 0.0);
    out.magnitudes = out.f;
    std::vector<std::unique_ptr<RowScratch>> scratch(static_cast<std::size_t>(context.threads()));
    const index_t tiles = (rows.rows() + kRowsAtOnce - 1) / kRowsAtOnce;
    parallel_for(context, tiles, [&](index_t tile, int worker) {
        std::unique_ptr<RowScratch>& mine = scratch[static_cast<std::size_t>(worker)];
        if (mine == nullptr) {
            mine = std::make_unique<RowScratch>(model.columns, context);
        }
        evaluate_rows(model, training, places, tile * kRowsAtOnce, *mine, out);
        context.report({.stage = "verify", .done = tile, .total = tiles});
    });
    return out;
}

Recomputed recompute(const Model& model, const TrainingRows& training, const TrainingValues& values,
                     index_t output, Context& context) {
    const std::vector<index_t> places = support_places(model);
    const OutputRows machine(model, output);
    const auto width = static_cast<std::size_t>(model.coefficient_columns());
    const double intercept = model.intercepts[static_cast<std::size_t>(output)];
    CertificateSums sums(intercept);
    double largest_cost = 0.0;
    double total_cost = 0.0;
    const Loss own = loss_of(model, output);
    std::vector<AuditRow> audited;
    std::visit(
        [&](const auto& loss) {
            machine.for_each(training, places, [&](std::size_t i, const auto& row, double beta) {
                const std::size_t at = i * width + static_cast<std::size_t>(row.column);
                largest_cost = std::max(largest_cost, training.costs[i]);
                total_cost += training.costs[i];
                const RowTerms terms{row.target, training.costs[i], beta, values.f[at],
                                     values.magnitudes[at]};
                sums.add(loss, static_cast<index_t>(i), terms);
                audited.push_back({static_cast<index_t>(i), terms.y, terms.c, terms.beta, terms.f,
                                   terms.magnitude});
            });
        },
        own);
    Recomputed out = std::move(sums).release(model.has_intercept, largest_cost);
    if (!std::isnan(model.nu)) {
        add_price(model, output, model.nu * total_cost, out);
    }
    if (std::isfinite(largest_cost)) {
        const double stated = model.certificates[static_cast<std::size_t>(output)].gap;
        const AuditBound gap =
            bound_gap(model, training, {own, intercept, std::move(audited), sums_of(model, out)},
                      stated, context);
        out.bound = gap.least;
        out.loosest = gap.loosest;
    }
    return out;
}

}  // namespace mercer
