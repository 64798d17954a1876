// SPDX-License-Identifier: Apache-2.0
//
// src/audit/joint_bound.cpp - the divergences of a joint problem, evaluated in 113 bits.
//
// docs/methods/certificate.md has the theorem. Probabilities, logarithms and sums of coefficients
// are of 113 bits; only the values of f are not, unless the stated gap depends on them.
//
// Notation   p  probabilities of the dual point   q  those at z = f + b   e  error of z
#include "audit/joint_bound.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "audit/coefficient_sum.hpp"
#include "mercer/base/quad.hpp"
#include "mercer/base/roundoff.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/parallel.hpp"

namespace mercer {

namespace {

// Rounding of a divergence in 113 bits, in units of its cost and of the size of its logarithms.
constexpr double kPreciseRounding = 0x1p-100;

/// The rows that cost something, with their places in the training data.
struct JointRows {
    std::vector<index_t> numbers;
    std::vector<std::size_t> classes;
    std::vector<double> costs;
    std::vector<std::size_t> at;  ///< number of the first value of a row in TrainingValues
    std::vector<std::vector<double>> columns;  ///< coefficients by class
};

JointRows joint_rows(const Model& model, const TrainingRows& training) {
    const std::vector<index_t> places = support_places(model);
    const std::size_t width = model.labels.size();
    JointRows out;
    out.columns.resize(width);
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (!(training.costs[i] > 0.0)) {
            continue;
        }
        out.numbers.push_back(static_cast<index_t>(i));
        out.classes.push_back(static_cast<std::size_t>(training.targets[i]));
        out.costs.push_back(training.costs[i]);
        out.at.push_back(i * width);
        for (std::size_t k = 0; k < width; ++k) {
            const std::size_t place = static_cast<std::size_t>(std::max<index_t>(0, places[i]));
            out.columns[k].push_back(places[i] < 0 ? 0.0 : model.coefficients[place * width + k]);
        }
    }
    return out;
}

class JointTerms {
public:
    JointTerms(const Model& model, const TrainingRows& training, const TrainingValues& values)
        : model_(model),
          values_(values),
          rows_(joint_rows(model, training)),
          width_(model.labels.size()),
          bounds_(model, training, rows_.numbers),
          moved_(width_, 0.0),
          sums_(width_),
          exact_(rows_.costs.size(), 0),
          terms_(rows_.costs.size()) {
        for (std::size_t k = 0; k < width_; ++k) {
            f_.push_back(std::make_unique<CoefficientSum>(bounds_, rows_.columns[k]));
        }
        for (std::size_t i = 0; i < rows_.costs.size(); ++i) {
            probabilities_.push_back(repaired(i));
            measure(i);
        }
    }

    [[nodiscard]] double bound() const {
        double sum = price_of_sums();
        for (const Term& term : terms_) {
            sum += term.most;
        }
        return sum * (1.0 + rounding_of(static_cast<double>(terms_.size()) + 64.0));
    }

    /// The bound with twice the error of a plain float64 sum, and of logarithms in float64.
    [[nodiscard]] double loosest() const {
        double plain = 0.0;
        for (const auto& f : f_) {
            plain = std::max(plain, f->plain_error());
        }
        double sum = 2.0 * price_of_sums();
        for (std::size_t i = 0; i < terms_.size(); ++i) {
            const Term& term = terms_[i];
            const double logarithms =
                8.0 * kRoundoff * (4.0 * static_cast<double>(width_) + 128.0 + 16.0 * term.sizes);
            sum += term.most +
                   rows_.costs[i] * growth(2.0 * (plain + error_of(i)) + logarithms, term.apart);
        }
        return 2.0 * sum;
    }

    /// Computes exact values for the rows that dominate the bound, the worst half of them at a
    /// time.
    void refine(double wanted, Context& context) {
        while (bounds_.is_precise() && bound() > wanted) {
            const std::vector<std::size_t> chosen = worst();
            if (chosen.empty()) {
                return;
            }
            for (const auto& f : f_) {
                f->prepare();
            }
            parallel_for(context, static_cast<index_t>(chosen.size()), [&](index_t k, int) {
                exact_[chosen[static_cast<std::size_t>(k)]] = 1;
                measure(chosen[static_cast<std::size_t>(k)]);
            });
        }
    }

private:
    /// The term of a row: at the computed values, and the largest within their error.
    struct Term {
        double computed = 0.0;
        double most = 0.0;
        double apart = 0.0;     ///< 1-norm of q - p
        double farthest = 0.0;  ///< c max_k log(1 / q_k)
        double sizes = 0.0;     ///< of the logarithms
    };

    /// Largest change of log(1 / q) weighted by p, per unit of the cost, along a step of at most
    /// `error` in every value.
    static double growth(double error, double apart) {
        return std::min(2.0 * error, error * apart + 0.5 * error * error);
    }

    /// The probabilities of row i when its coefficients sum to 0. Adds what that moves f by.
    std::vector<Quad> repaired(std::size_t i) {
        const std::size_t own = rows_.classes[i];
        const Quad c = rows_.costs[i];
        Quad others = 0.0;
        for (std::size_t k = 0; k < width_; ++k) {
            others -= k == own ? 0.0 : std::min(0.0, rows_.columns[k][i]);
        }
        const Quad whole = others > c ? others : c;
        std::vector<Quad> p(width_);
        for (std::size_t k = 0; k < width_; ++k) {
            const Quad before = rows_.columns[k][i];
            p[k] = k == own ? (whole - others) / whole
                            : Quad(-std::min(0.0, rows_.columns[k][i])) / whole;
            const Quad after = k == own ? c - c * p[k] : -c * p[k];
            const double moved = std::abs(static_cast<double>(after - before));
            moved_[k] += (moved + 0x1p-108 * rows_.costs[i]) * bounds_.scale(i);
            sums_[k] += after;
        }
        return p;
    }

    void measure(std::size_t i) {
        const bool exact = exact_[i] != 0;
        std::vector<Quad> z(width_);
        double error = exact ? 0.0 : error_of(i);
        for (std::size_t k = 0; k < width_; ++k) {
            const Quad f = exact ? f_[k]->precise_value(i) : Quad(values_.f[rows_.at[i] + k]);
            z[k] = f + model_.intercepts[k];
            error = exact ? std::max(error, f_[k]->precise_error(i)) : error;
        }
        terms_[i] = term_at(i, z, error);
    }

    [[nodiscard]] Term term_at(std::size_t i, const std::vector<Quad>& z, double error) const {
        Quad top = z[0];
        Quad least = z[0];
        for (const Quad value : z) {
            top = value > top ? value : top;
            least = value < least ? value : least;
        }
        Quad total = 0.0;
        for (const Quad value : z) {
            total += exp(value - top);
        }
        const Quad log_total = log(total);
        Quad divergence = 0.0;
        Quad apart = 0.0;
        double sizes = 1.0 + static_cast<double>(top - least + log_total);
        for (std::size_t k = 0; k < width_; ++k) {
            const Quad p = probabilities_[i][k];
            const Quad log_q = (z[k] - top) - log_total;
            apart += fabs(exp(log_q) - p);
            if (p > 0.0) {
                const Quad log_p = log(p);
                sizes = std::max(sizes, std::abs(static_cast<double>(log_p)));
                divergence += p * (log_p - log_q);
            }
        }
        const double c = rows_.costs[i];
        Term out;
        out.sizes = sizes;
        out.computed = c * std::max(0.0, static_cast<double>(divergence));
        out.apart = static_cast<double>(apart) + kPreciseRounding * sizes;
        out.most = (out.computed + c * (kPreciseRounding * sizes * static_cast<double>(width_) +
                                        growth(error, out.apart))) *
                   (1.0 + 8.0 * kRoundoff);
        out.farthest = c * (static_cast<double>(top - least + log_total) + 2.0 * error);
        return out;
    }

    /// Bound on the error of every value of row i, apart from the intercepts.
    [[nodiscard]] double error_of(std::size_t i) const {
        double largest = 0.0;
        for (std::size_t k = 0; k < width_; ++k) {
            const double magnitude = values_.magnitudes[rows_.at[i] + k];
            largest = std::max(largest, f_[k]->error_of(i) + 8.0 * kRoundoff * magnitude);
        }
        return largest;
    }

    /// What coefficients that do not sum to 0 in rows and columns add to the gap.
    [[nodiscard]] double price_of_sums() const {
        double reach = 0.0;
        double farthest = 0.0;
        std::vector<double> costs(width_, 0.0);
        double size = 0.0;
        for (std::size_t i = 0; i < rows_.costs.size(); ++i) {
            costs[rows_.classes[i]] += rows_.costs[i];
            reach += rows_.costs[i] * bounds_.scale(i);
            farthest += terms_[i].farthest;
        }
        for (const auto& f : f_) {
            size += f->absolute_sum();
        }
        double share = 0.0;
        double unmixed = 0.0;
        for (std::size_t k = 0; k < width_ && model_.has_intercept; ++k) {
            const double sum = std::abs(static_cast<double>(sums_[k])) +
                               0x1p-108 * static_cast<double>(rows_.costs.size()) * size;
            const bool absent = costs[k] == 0.0 && sums_[k] == 0.0;
            share = std::max(share, sum == 0.0 || absent ? 0.0 : sum / costs[k]);
            unmixed += sum * std::abs(model_.intercepts[k]);
        }
        double shift = 0.0;
        for (const double moved : moved_) {
            shift += (moved + share * reach) * (moved + share * reach);
        }
        return share < 1.0 ? 0.5 * shift + std::max(share * farthest, unmixed) : kInfinity;
    }

    [[nodiscard]] std::vector<std::size_t> worst() const {
        std::vector<double> excess;
        excess.reserve(terms_.size());
        for (std::size_t i = 0; i < terms_.size(); ++i) {
            excess.push_back(exact_[i] != 0 ? 0.0 : terms_[i].most - terms_[i].computed);
        }
        return worst_half(excess);
    }

    const Model& model_;
    const TrainingValues& values_;
    JointRows rows_;
    std::size_t width_;
    KernelBounds bounds_;
    std::vector<std::unique_ptr<CoefficientSum>> f_;  ///< by class
    std::vector<std::vector<Quad>> probabilities_;    ///< of the dual point
    std::vector<double> moved_;                       ///< by class: RKHS distance of f from f'
    std::vector<Quad> sums_;                          ///< of the columns
    std::vector<char> exact_;
    std::vector<Term> terms_;
};

}  // namespace

AuditBound bound_joint_gap(const Model& model, const TrainingRows& training,
                           const TrainingValues& values, double stated, Context& context) {
    JointTerms terms(model, training, values);
    AuditBound out;
    out.loosest = terms.loosest();
    terms.refine(stated, context);
    out.least = terms.bound();
    return out;
}

}  // namespace mercer
