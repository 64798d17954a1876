// SPDX-License-Identifier: Apache-2.0
//
// src/audit/recompute_softmax.cpp - recomputation of the proof of a joint multiclass problem.
//
// Notation   f  values without the intercepts b     z = f + b       c  cost of a row
//            beta  coefficients, 0 off the support    u = -beta / c  argument of the conjugate
#include <algorithm>
#include <span>

#include "audit/joint_bound.hpp"
#include "audit/recompute.hpp"
#include "mercer/losses/softmax.hpp"

namespace mercer {

namespace {

/// The sums over the rows.
class JointSums {
public:
    JointSums(const Model& model)
        : model_(model),
          width_(model.labels.size()),
          columns_(width_),
          sizes_(width_, 0.0),
          u_(width_),
          z_(width_) {}

    void add(index_t row, index_t y, double c, std::span<const double> beta,
             std::span<const double> f, std::span<const double> magnitudes) {
        double largest = 0.0;
        for (std::size_t k = 0; k < width_; ++k) {
            const double error = kValueRounding * magnitudes[k];
            largest = std::max(largest, error);
            out_.rounding += std::abs(beta[k]) * error;
            columns_[k].add(beta[k]);
            sizes_[k] += std::abs(beta[k]);
            norm_.add_product(beta[k], f[k]);
            z_[k] = f[k] + model_.intercepts[k];
        }
        if (c == 0.0) {  // rows of weight zero do not count
            for (const double b : beta) {
                out_.outside.offer(row, std::abs(b));
            }
            return;
        }
        out_.rounding += 2.0 * c * largest;  // the gradient of the loss has 1-norm at most 2
        out_.outside.offer(row, enter_domain(static_cast<std::size_t>(y), c, beta));
        const double value = c * SoftmaxLoss::value(y, z_);
        const double conjugate = c * SoftmaxLoss::conjugate(y, u_);
        losses_.add(value);
        conjugates_.add(conjugate);
        gap_.add(value);
        gap_.add(conjugate);
        double product = 0.0;
        for (std::size_t k = 0; k < width_; ++k) {
            gap_.add_product(beta[k], z_[k]);
            product += beta[k] * z_[k];
        }
        out_.contributors.offer(row, value + conjugate + product);
        violation_ = std::max(violation_, odds_apart(static_cast<std::size_t>(y)));
    }

    [[nodiscard]] Recomputed release(double largest_cost) && {
        Certificate& certificate = out_.certificate;
        certificate.squared_norm = norm_.value();
        certificate.primal = 0.5 * norm_.value() + losses_.value();
        certificate.dual = -0.5 * norm_.value() - conjugates_.value();
        certificate.gap = gap_.value();
        certificate.kkt_violation = violation_;
        certificate.dual_infeasibility = out_.outside.largest() * largest_cost;
        certificate.worst_sample = out_.contributors.first();
        double worst = -1.0;
        for (std::size_t k = 0; k < width_; ++k) {
            const double sum = columns_[k].value();
            const double relative = sizes_[k] > 0.0 ? std::abs(sum) / sizes_[k] : 0.0;
            if (relative > worst) {
                worst = relative;
                out_.sum = sum;
                out_.absolute_sum = sizes_[k];
            }
        }
        return std::move(out_);
    }

private:
    /// Projects u of the row onto the domain of the conjugate; returns the distance.
    double enter_domain(std::size_t own, double c, std::span<const double> beta) {
        double moved = 0.0;
        TwoDoubleSum sum;
        for (std::size_t k = 0; k < width_; ++k) {
            const double u = beta[k] == 0.0 ? 0.0 : -beta[k] / c;
            u_[k] = k == own ? std::min(0.0, std::max(-1.0, u)) : std::max(0.0, u);
            moved = std::max(moved, std::abs(u_[k] - u));
            sum.add(u);
        }
        return std::max(moved, std::abs(sum.value()));
    }

    /// The largest difference between log odds of two classes from the coefficients and from the
    /// values.
    [[nodiscard]] double odds_apart(std::size_t own) const {
        constexpr double kLogUnderflow = -745.0;
        const double loss = SoftmaxLoss::value(static_cast<index_t>(own), z_);
        double low = kInfinity;
        double high = -kInfinity;
        for (std::size_t k = 0; k < width_; ++k) {
            const double by_value = z_[k] - z_[own] - loss;
            const double by_beta = k == own ? std::log1p(u_[k]) : std::log(u_[k]);
            if (!(u_[k] == 0.0 && k != own && by_value <= kLogUnderflow)) {
                low = std::min(low, by_beta - by_value);
                high = std::max(high, by_beta - by_value);
            }
        }
        return std::max(0.0, high - low);
    }

    const Model& model_;
    std::size_t width_;
    Recomputed out_;
    std::vector<TwoDoubleSum> columns_;
    std::vector<double> sizes_;
    std::vector<double> u_;
    std::vector<double> z_;
    TwoDoubleSum norm_;
    TwoDoubleSum losses_;
    TwoDoubleSum conjugates_;
    TwoDoubleSum gap_;
    double violation_ = 0.0;
};

}  // namespace

Recomputed recompute_joint(const Model& model, const TrainingRows& training,
                           const TrainingValues& values, Context& context) {
    const std::vector<index_t> places = support_places(model);
    const std::size_t width = model.labels.size();
    const std::vector<double> none(width, 0.0);
    JointSums sums(model);
    double largest_cost = 0.0;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const std::span<const double> beta =
            places[i] < 0 ? std::span<const double>(none)
                          : std::span<const double>(model.coefficients)
                                .subspan(static_cast<std::size_t>(places[i]) * width, width);
        largest_cost = std::max(largest_cost, training.costs[i]);
        sums.add(static_cast<index_t>(i), static_cast<index_t>(training.targets[i]),
                 training.costs[i], beta, std::span(values.f).subspan(i * width, width),
                 std::span(values.magnitudes).subspan(i * width, width));
    }
    Recomputed out = std::move(sums).release(largest_cost);
    const AuditBound gap =
        bound_joint_gap(model, training, values, model.certificates.front().gap, context);
    out.bound = gap.least;
    out.loosest = gap.loosest;
    return out;
}

}  // namespace mercer
