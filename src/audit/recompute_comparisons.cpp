// SPDX-License-Identifier: Apache-2.0
//
// src/audit/recompute_comparisons.cpp - recomputation of the proof of ordinal and ranking machines.
//
// The comparisons are enumerated again from the data; the model states which of them have a
// multiplier.
//
// Notation   z  values of f at the rows, then the thresholds    c  cost of a comparison
//            alpha  its multiplier, 0 unless the model states it    d = z(upper) - z(lower)
#include <algorithm>
#include <map>
#include <utility>

#include "audit/comparison_bound.hpp"
#include "audit/recompute.hpp"
#include "mercer/losses/hinge.hpp"

namespace mercer {

namespace {

/// Calls use(upper, lower) for every comparison that the data define.
template <typename Use>
void each_comparison(const Model& model, const TrainingRows& training, const Use& use) {
    const auto n = static_cast<index_t>(training.targets.size());
    if (model.is_ordinal()) {
        for (index_t i = 0; i < n; ++i) {
            const auto own = static_cast<index_t>(training.targets[static_cast<std::size_t>(i)]);
            for (index_t k = 0; k + 1 < static_cast<index_t>(model.labels.size()); ++k) {
                own > k ? use(i, n + k) : use(n + k, i);
            }
        }
        return;
    }
    std::map<index_t, std::vector<index_t>> queries;
    for (index_t i = 0; i < n; ++i) {
        const auto at = static_cast<std::size_t>(i);
        queries[training.queries.empty() ? 0 : training.queries[at]].push_back(i);
    }
    for (const auto& [query, rows] : queries) {
        for (const index_t i : rows) {
            for (const index_t j : rows) {
                if (training.targets[static_cast<std::size_t>(i)] >
                    training.targets[static_cast<std::size_t>(j)]) {
                    use(i, j);
                }
            }
        }
    }
}

/// The multipliers of comparisons as the model states them.
class Stated {
public:
    explicit Stated(const ComparedPlaces& pairs) : pairs_(pairs) {}

    [[nodiscard]] double multiplier(index_t upper, index_t lower) const {
        std::size_t low = 0;
        std::size_t high = pairs_.multipliers.size();
        while (low < high) {
            const std::size_t middle = (low + high) / 2;
            const bool before =
                std::pair(pairs_.uppers[middle], pairs_.lowers[middle]) < std::pair(upper, lower);
            (before ? low : high) = before ? middle + 1 : middle;
        }
        const bool found = low < pairs_.multipliers.size() && pairs_.uppers[low] == upper &&
                           pairs_.lowers[low] == lower;
        return found ? pairs_.multipliers[low] : 0.0;
    }

private:
    const ComparedPlaces& pairs_;
};

/// The range of derivatives along which the multipliers of a threshold could still move.
struct Reach {
    double highest = -kInfinity;
    double lowest = kInfinity;
};

class ComparisonSums {
public:
    ComparisonSums(const Model& model, const TrainingRows& training, const TrainingValues& values)
        : model_(model),
          training_(training),
          stated_(model.compared),
          n_(static_cast<index_t>(training.targets.size())),
          z_(values.f),
          errors_(values.magnitudes),
          flows_(z_.size() + model.thresholds.size()),
          sizes_(flows_.size(), 0.0),
          reach_(std::max<std::size_t>(1, model.thresholds.size())) {
        z_.insert(z_.end(), model.thresholds.begin(), model.thresholds.end());
        for (double& error : errors_) {
            error *= kValueRounding;
        }
        errors_.resize(z_.size(), 0.0);
    }

    [[nodiscard]] double cost(index_t upper, index_t lower) const {
        return model_.cost * weight(upper) * weight(lower);
    }
    [[nodiscard]] double multiplier(index_t upper, index_t lower) const {
        return stated_.multiplier(upper, lower);
    }

    void add(index_t upper, index_t lower) {
        const auto u = static_cast<std::size_t>(upper);
        const auto l = static_cast<std::size_t>(lower);
        const double c = cost(upper, lower);
        if (c == 0.0) {  // comparisons with rows of weight zero do not count
            return;
        }
        const double alpha = multiplier(upper, lower);
        const double d = z_[u] - z_[l];
        const double value = c * HingeLoss{}.value(1.0, d);
        const double error = errors_[u] + errors_[l];
        out_.rounding += d - error < 1.0 ? c * error : 0.0;
        matched_ += alpha > 0.0;
        out_.outside.offer(row_of(upper, lower), alpha / c - 1.0);
        losses_.add(value);
        gap_.add(value);
        gap_.add(-alpha);
        gap_.add_product(alpha, d);
        out_.contributors.offer(row_of(upper, lower), value - alpha + alpha * d);
        move(u, alpha);
        move(l, -alpha);
        look(upper, lower, alpha / c);
    }

    [[nodiscard]] Recomputed release() && {
        TwoDoubleSum norm;
        TwoDoubleSum multipliers;
        const std::vector<index_t> places = support_places(model_);
        double worst = -1.0;
        for (std::size_t i = 0; i < flows_.size(); ++i) {
            double beta = 0.0;
            if (i < places.size()) {
                beta =
                    places[i] < 0 ? 0.0 : model_.coefficients[static_cast<std::size_t>(places[i])];
                norm.add_product(beta, z_[i]);
                out_.rounding += std::abs(beta) * errors_[i];
            }
            flows_[i].add(-beta);
            const double apart = std::abs(flows_[i].value());
            const double relative =
                sizes_[i] > 0.0 ? apart / sizes_[i] : (apart > 0.0 ? kInfinity : 0.0);
            if (relative > worst) {
                worst = relative;
                out_.sum = apart;
                out_.absolute_sum = sizes_[i];
            }
        }
        for (const double alpha : model_.compared.multipliers) {
            multipliers.add(alpha);
        }
        Certificate& certificate = out_.certificate;
        certificate.squared_norm = norm.value();
        certificate.primal = 0.5 * norm.value() + losses_.value();
        certificate.dual = multipliers.value() - 0.5 * norm.value();
        certificate.gap = gap_.value();
        certificate.kkt_violation = violation();
        certificate.dual_infeasibility = out_.outside.largest() * model_.cost;
        certificate.worst_sample = out_.contributors.first();
        out_.strangers = model_.compared.size() - matched_;
        return std::move(out_);
    }

private:
    [[nodiscard]] double weight(index_t place) const {
        return place < n_ ? training_.costs[static_cast<std::size_t>(place)] : 1.0;
    }
    [[nodiscard]] index_t row_of(index_t upper, index_t lower) const {
        return upper < n_ ? upper : lower;
    }
    void move(std::size_t place, double amount) {
        flows_[place].add(amount);
        sizes_[place] += std::abs(amount);
    }

    /// Updates the range of the comparison's threshold, or of 0 for ranking.
    void look(index_t upper, index_t lower, double share) {
        constexpr double kEnd = 1e-9;
        const bool thresholds = model_.is_ordinal();
        const bool row_above = upper < n_;
        Reach& own =
            reach_[thresholds ? static_cast<std::size_t>((row_above ? lower : upper) - n_) : 0];
        const double slope =
            !thresholds
                ? 1.0 - (z_[static_cast<std::size_t>(upper)] - z_[static_cast<std::size_t>(lower)])
                : (row_above ? 1.0 : -1.0) - z_[static_cast<std::size_t>(row_of(upper, lower))];
        const bool below_cost = share < 1.0 - kEnd;
        const bool above_zero = share > kEnd;
        if (row_above ? below_cost : above_zero) {
            own.highest = std::max(own.highest, slope);
        }
        if (row_above ? above_zero : below_cost) {
            own.lowest = std::min(own.lowest, slope);
        }
    }

    [[nodiscard]] double violation() const {
        double worst = 0.0;
        for (const Reach& own : reach_) {
            worst = std::max(worst, model_.is_ordinal() ? own.highest - own.lowest
                                                        : std::max(own.highest, -own.lowest));
        }
        return worst;
    }

    const Model& model_;
    const TrainingRows& training_;
    Stated stated_;
    index_t n_;
    std::vector<double> z_;
    std::vector<double> errors_;
    std::vector<TwoDoubleSum> flows_;  ///< sum of multipliers at each place, minus its coefficient
    std::vector<double> sizes_;
    std::vector<Reach> reach_;
    index_t matched_ = 0;
    Recomputed out_;
    TwoDoubleSum losses_;
    TwoDoubleSum gap_;
};

}  // namespace

Recomputed recompute_comparisons(const Model& model, const TrainingRows& training,
                                 const TrainingValues& values, Context& context) {
    ComparisonSums sums(model, training, values);
    each_comparison(model, training,
                    [&sums](index_t upper, index_t lower) { sums.add(upper, lower); });
    const EachComparison each = [&](const std::function<void(const AuditComparison&)>& use) {
        each_comparison(model, training, [&](index_t upper, index_t lower) {
            if (const double c = sums.cost(upper, lower); c > 0.0) {
                use({static_cast<std::size_t>(upper), static_cast<std::size_t>(lower), c,
                     sums.multiplier(upper, lower)});
            }
        });
    };
    const AuditBound gap = bound_comparisons(model, training, values, each, context);
    Recomputed out = std::move(sums).release();
    out.bound = gap.least;
    out.loosest = gap.loosest;
    return out;
}

}  // namespace mercer
