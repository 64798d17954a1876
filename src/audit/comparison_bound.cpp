// SPDX-License-Identifier: Apache-2.0
//
// src/audit/comparison_bound.cpp - the terms of comparisons at the worst values within rounding.
//
// docs/methods/certificate.md has the theorem. Values, differences and sums of multipliers are of
// 113 bits; what may be off are the values of f, unless the stated gap depends on them.
//
// Notation   z  values of f at the rows, then the thresholds   d = z(upper) - z(lower)
#include "audit/comparison_bound.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "audit/coefficient_sum.hpp"
#include "mercer/base/quad.hpp"
#include "mercer/base/roundoff.hpp"
#include "mercer/losses/hinge.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {

namespace {

std::vector<index_t> all_numbers(std::size_t count) {
    std::vector<index_t> out(count);
    std::iota(out.begin(), out.end(), index_t{0});
    return out;
}

std::vector<double> all_coefficients(const Model& model) {
    std::vector<double> out;
    for (const index_t place : support_places(model)) {
        out.push_back(place < 0 ? 0.0 : model.coefficients[static_cast<std::size_t>(place)]);
    }
    return out;
}

class ComparedTerms {
public:
    ComparedTerms(const Model& model, const TrainingRows& training, const TrainingValues& values,
                  const EachComparison& each)
        : each_(each),
          rows_(values.f.size()),
          bounds_(model, training, all_numbers(rows_)),
          f_(bounds_, all_coefficients(model)),
          z_(values.f.begin(), values.f.end()),
          errors_(rows_ + model.thresholds.size(), 0.0),
          exact_(rows_, 0) {
        z_.insert(z_.end(), model.thresholds.begin(), model.thresholds.end());
        for (std::size_t i = 0; i < rows_; ++i) {
            errors_[i] = f_.error_of(i) + 8.0 * kRoundoff * values.magnitudes[i];
        }
        balance(all_coefficients(model));
    }

    [[nodiscard]] double bound() const {
        double sum = 0.0;
        double count = 64.0;
        each_([&](const AuditComparison& comparison) {
            sum += most(comparison, errors_[comparison.upper] + errors_[comparison.lower]);
            count += 1.0;
        });
        return (sum + repairs()) * (1.0 + rounding_of(count));
    }

    /// The bound with twice the error of plain float64 sums.
    [[nodiscard]] double loosest() const {
        double sum = 0.0;
        each_([&](const AuditComparison& comparison) {
            const double off =
                2.0 * f_.plain_error() + errors_[comparison.upper] + errors_[comparison.lower];
            sum += most(comparison, 2.0 * off);
        });
        return 2.0 * (sum + 2.0 * repairs());
    }

    /// Computes exact values for the rows that dominate the bound, until it is `wanted` or less.
    void refine(double wanted, Context& context) {
        for (bool more = bounds_.is_precise(); more && bound() > wanted;) {
            const std::vector<std::size_t> chosen = worst();
            more = !chosen.empty();
            f_.at_rows(chosen, context, [&](std::size_t i, Quad value, double error) {
                z_[i] = value;
                errors_[i] = error;
                exact_[i] = 1;
            });
        }
    }

private:
    /// The largest term of a comparison whose difference may be off by `error`.
    [[nodiscard]] double most(const AuditComparison& comparison, double error) const {
        const Quad d = z_[comparison.upper] - z_[comparison.lower];
        const auto at = [&](Quad value) {
            return static_cast<double>(
                HingeLoss{}.young_gap(1.0, value, comparison.c, Quad(comparison.alpha)));
        };
        return std::max(at(d - error), at(d + error)) * (1.0 + 4.0 * kRoundoff);
    }

    /// Compares the multipliers with the coefficients and, at every threshold, with each other.
    void balance(const std::vector<double>& beta) {
        std::vector<Quad> flows(z_.size(), Quad(0.0));
        each_([&](const AuditComparison& comparison) {
            flows[comparison.upper] += comparison.alpha;
            flows[comparison.lower] -= comparison.alpha;
        });
        double largest = 0.0;
        for (std::size_t i = 0; i < rows_; ++i) {
            const double off = std::abs(static_cast<double>(flows[i] - beta[i]));
            apart_ += (off + 0x1p-100 * std::abs(beta[i])) * bounds_.scale(i);
            largest = std::max(largest, bounds_.scale(i));
        }
        std::vector<double> prices(z_.size(), kInfinity);
        each_([&](const AuditComparison& comparison) {
            for (const std::size_t place : {comparison.upper, comparison.lower}) {
                if (place >= rows_ && flows[place] != 0.0) {
                    prices[place] = std::min(prices[place], price(comparison, place, flows[place]));
                }
            }
        });
        for (std::size_t k = rows_; k < z_.size(); ++k) {
            const double off = std::abs(static_cast<double>(flows[k]));
            moves_ += off == 0.0 ? 0.0 : prices[k];
            moved_ += off * largest;
            unbalanced_ += off * std::abs(static_cast<double>(z_[k]));
        }
    }

    /// What it costs to move this multiplier until the sum at the threshold is 0; infinite when its
    /// box has no room for that.
    [[nodiscard]] double price(const AuditComparison& comparison, std::size_t threshold,
                               Quad sum) const {
        const Quad after = Quad(comparison.alpha) + (threshold == comparison.upper ? -sum : sum);
        if (!(after >= 0.0 && after <= comparison.c)) {
            return kInfinity;
        }
        const double slope = std::abs(
            static_cast<double>(Quad(1.0) - (z_[comparison.upper] - z_[comparison.lower])));
        const double error = errors_[comparison.upper] + errors_[comparison.lower];
        return std::abs(static_cast<double>(sum)) * (slope + error) * (1.0 + 8.0 * kRoundoff);
    }

    /// What the sums of the multipliers add to the gap.
    [[nodiscard]] double repairs() const {
        const double all = apart_ + moved_;
        return std::max(0.5 * all * all + moves_, 0.5 * apart_ * apart_ + unbalanced_);
    }

    [[nodiscard]] std::vector<std::size_t> worst() const {
        std::vector<double> excess(rows_, 0.0);
        each_([&](const AuditComparison& comparison) {
            const double own =
                most(comparison, errors_[comparison.upper] + errors_[comparison.lower]) -
                most(comparison, 0.0);
            for (const std::size_t place : {comparison.upper, comparison.lower}) {
                if (place < rows_ && exact_[place] == 0) {
                    excess[place] += own;
                }
            }
        });
        return worst_half(excess);
    }

    const EachComparison& each_;
    std::size_t rows_;
    KernelBounds bounds_;
    CoefficientSum f_;
    std::vector<Quad> z_;
    std::vector<double> errors_;
    std::vector<char> exact_;
    double apart_ = 0.0;       ///< RKHS distance of f from the function of the multipliers
    double moved_ = 0.0;       ///< how far balancing the thresholds moves the latter
    double moves_ = 0.0;       ///< what that costs
    double unbalanced_ = 0.0;  ///< what the sums add at the multipliers as they are
};

}  // namespace

AuditBound bound_comparisons(const Model& model, const TrainingRows& training,
                             const TrainingValues& values, const EachComparison& each,
                             Context& context) {
    ComparedTerms terms(model, training, values, each);
    AuditBound out;
    out.loosest = terms.loosest();
    terms.refine(model.certificates.front().gap, context);
    out.least = terms.bound();
    return out;
}

}  // namespace mercer
