// SPDX-License-Identifier: Apache-2.0
//
// src/models/recompute.cpp - every kernel value, loss and conjugate once more.
//
// Notation   f  value without the intercept b     z = f + b       c  cost of a row
//            beta  coefficient, 0 off the support    u = -beta / c  argument of the conjugate
#include "models/recompute.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <variant>

#include "mercer/losses/loss.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/parallel.hpp"

namespace mercer {

namespace {

constexpr index_t kRowsAtOnce = 16;  // training rows that share one copy of each support row
constexpr std::size_t kShownRows = 3;

// How far two float64 ways to a kernel value differ, relative to it: some 50 roundings.
constexpr double kValueRounding = 1e-14;

/// The two dense rows' worth of memory a thread works in.
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

void evaluate_rows(const Model& model, const Dataset& rows, index_t begin, RowScratch& scratch,
                   TrainingValues& out) {
    const index_t outputs = model.outputs();
    const index_t count = std::min(kRowsAtOnce, rows.rows() - begin);
    for (index_t i = 0; i < count; ++i) {
        rows.copy_row(begin + i, scratch.row(i));
    }
    std::vector<TwoDoubleSum> sums(static_cast<std::size_t>(count * outputs));
    for (index_t j = 0; j < model.support.rows(); ++j) {
        const std::span<double> support = scratch.row(kRowsAtOnce);
        model.support.copy_row(j, support);
        for (index_t i = 0; i < count; ++i) {
            const double k = model.kernel(support, scratch.row(i));
            for (index_t t = 0; t < outputs; ++t) {
                const double beta = model.coefficients[static_cast<std::size_t>(j * outputs + t)];
                sums[static_cast<std::size_t>(i * outputs + t)].add_product(beta, k);
                out.magnitudes[static_cast<std::size_t>((begin + i) * outputs + t)] +=
                    std::abs(beta * k);
            }
        }
    }
    for (std::size_t k = 0; k < sums.size(); ++k) {
        out.f[static_cast<std::size_t>(begin * outputs) + k] = sums[k].value();
    }
}

/// One output's coefficients, spread over all training rows.
std::vector<double> spread(const Model& model, index_t output) {
    std::vector<double> beta(static_cast<std::size_t>(model.fingerprint.rows), 0.0);
    for (std::size_t j = 0; j < model.support_rows.size(); ++j) {
        beta[static_cast<std::size_t>(model.support_rows[j])] =
            model.coefficients[j * static_cast<std::size_t>(model.outputs()) +
                               static_cast<std::size_t>(output)];
    }
    return beta;
}

/// What one row brings to the sums.
struct RowTerms {
    double y;
    double c;
    double beta;
    double f;
    double magnitude;  ///< of f: what its rounding is relative to
};

/// The sums behind one certificate.
class CertificateSums {
public:
    explicit CertificateSums(double intercept) : intercept_(intercept) {}

    template <typename LossType>
    void add(const LossType& loss, index_t row, const RowTerms& terms) {
        const auto& [y, c, beta, f, magnitude] = terms;
        const double error = kValueRounding * magnitude;
        out_.rounding += std::abs(beta) * error;
        sum_.add(beta);
        absolute_sum_.add(std::abs(beta));
        norm_.add_product(beta, f);
        if (c == 0.0) {  // a row that costs nothing has no say
            out_.outside.offer(row, std::abs(beta));
            return;
        }
        const double z = f + intercept_;
        if (std::isinf(c)) {  // squared loss as a constraint z = y, with multiplier beta
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
        const Interval best = loss.conjugate_subgradient(y, inside);
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

TrainingValues training_values(const Model& model, const Dataset& rows, Context& context) {
    TrainingValues out;
    out.f.assign(static_cast<std::size_t>(checked_multiply(rows.rows(), model.outputs())), 0.0);
    out.magnitudes = out.f;
    std::vector<std::unique_ptr<RowScratch>> scratch(static_cast<std::size_t>(context.threads()));
    const index_t tiles = (rows.rows() + kRowsAtOnce - 1) / kRowsAtOnce;
    parallel_for(context, tiles, [&](index_t tile, int worker) {
        std::unique_ptr<RowScratch>& mine = scratch[static_cast<std::size_t>(worker)];
        if (mine == nullptr) {
            mine = std::make_unique<RowScratch>(model.columns, context);
        }
        evaluate_rows(model, rows, tile * kRowsAtOnce, *mine, out);
        context.report({.stage = "verify", .done = tile, .total = tiles});
    });
    return out;
}

Recomputed recompute(const Model& model, const TrainingRows& training, const TrainingValues& values,
                     index_t output) {
    const std::vector<double> beta = spread(model, output);
    CertificateSums sums(model.intercepts[static_cast<std::size_t>(output)]);
    double largest_cost = 0.0;
    std::visit(
        [&](const auto& loss) {
            for (std::size_t i = 0; i < beta.size(); ++i) {
                const std::size_t place = i * static_cast<std::size_t>(model.outputs()) +
                                          static_cast<std::size_t>(output);
                largest_cost = std::max(largest_cost, training.costs[i]);
                sums.add(loss, static_cast<index_t>(i),
                         {training.targets[place], training.costs[i], beta[i], values.f[place],
                          values.magnitudes[place]});
            }
        },
        loss_by_name(model.loss, model.epsilon).value());
    return std::move(sums).release(model.has_intercept, largest_cost);
}

}  // namespace mercer
