// SPDX-License-Identifier: Apache-2.0
//
// src/audit/recompute_likelihood.cpp - recomputation of the proof of a maximum likelihood fit.
//
// Notation   x_i  row, followed by a 1 if there is an intercept     c  weight of a row
//            a    multipliers -c loss'(z), moved onto sum_i a_i x_i = 0 by steps c loss'' <x_i, q>
#include <algorithm>
#include <cmath>
#include <span>

#include "audit/recompute.hpp"
#include "mercer/losses/logistic.hpp"

namespace mercer {

namespace {

constexpr int kMostSteps = 8;

/// The index of the largest remaining diagonal entry of H.
std::size_t next_pivot(const std::vector<double>& h, const std::vector<bool>& used) {
    const std::size_t m = used.size();
    std::size_t pivot = m;
    for (std::size_t j = 0; j < m; ++j) {
        if (!used[j] && (pivot == m || h[j * m + j] > h[pivot * m + pivot])) {
            pivot = j;
        }
    }
    return pivot;
}

/// q from H and r after elimination of the variables in the given order.
std::vector<double> back_substitute(const std::vector<double>& h, const std::vector<double>& r,
                                    const std::vector<std::size_t>& order) {
    const std::size_t m = r.size();
    std::vector<double> q(m, 0.0);
    for (std::size_t place = order.size(); place-- > 0;) {
        const std::size_t j = order[place];
        double sum = r[j];
        for (std::size_t later = place + 1; later < order.size(); ++later) {
            sum -= h[j * m + order[later]] * q[order[later]];
        }
        q[j] = sum / h[j * m + j];
    }
    return q;
}

/// Solves H q = r for a symmetric H >= 0 by elimination with the largest pivot first; variables
/// without a pivot stay at 0.
std::vector<double> solve_semidefinite(std::vector<double> h, std::vector<double> r) {
    const std::size_t m = r.size();
    double greatest = 0.0;
    for (std::size_t j = 0; j < m; ++j) {
        greatest = std::max(greatest, h[j * m + j]);
    }
    std::vector<std::size_t> order;
    std::vector<bool> used(m, false);
    while (order.size() < m) {
        const std::size_t pivot = next_pivot(h, used);
        if (!(h[pivot * m + pivot] > 1e-13 * greatest)) {
            break;
        }
        used[pivot] = true;
        order.push_back(pivot);
        for (std::size_t j = 0; j < m; ++j) {
            if (used[j]) {
                continue;
            }
            const double factor = h[j * m + pivot] / h[pivot * m + pivot];
            r[j] -= factor * r[pivot];
            for (std::size_t k = 0; k < m; ++k) {
                h[j * m + k] -= factor * h[pivot * m + k];
            }
        }
    }
    return back_substitute(h, r, order);
}

/// The score equations of the rows with positive weight.
class Score {
public:
    Score(const Model& model, const TrainingRows& training)
        : rows_(training.rows),
          width_(static_cast<std::size_t>(model.columns)),
          size_(width_ + (model.has_intercept ? 1 : 0)),
          x_(size_, 1.0) {}

    /// Computes sum_i a_i x_i, the size of its terms, and with `curvature` sum_i d_i x_i x_i'.
    void add_up(std::span<const double> a, std::span<const double> d, bool curvature) {
        std::vector<TwoDoubleSum> sums(size_);
        sizes_.assign(size_, 0.0);
        if (curvature) {
            h_.assign(size_ * size_, 0.0);
        }
        for (std::size_t i = 0; i < a.size(); ++i) {
            row(i);
            for (std::size_t j = 0; j < size_; ++j) {
                sums[j].add_product(a[i], x_[j]);
                sizes_[j] += std::abs(a[i] * x_[j]);
                for (std::size_t k = 0; curvature && k < size_; ++k) {
                    h_[j * size_ + k] += d[i] * x_[j] * x_[k];
                }
            }
        }
        score_.clear();
        for (const TwoDoubleSum& sum : sums) {
            score_.push_back(sum.value());
        }
    }

    /// a_i -= d_i <x_i, q> with H q = score.
    void move(std::span<double> a, std::span<const double> d) {
        const std::vector<double> q = solve_semidefinite(h_, score_);
        for (std::size_t i = 0; i < a.size(); ++i) {
            row(i);
            double product = 0.0;
            for (std::size_t j = 0; j < size_; ++j) {
                product += x_[j] * q[j];
            }
            a[i] -= d[i] * product;
        }
    }

    [[nodiscard]] double greatest() const {
        double most = 0.0;
        for (const double r : score_) {
            most = std::max(most, std::abs(r));
        }
        return most;
    }

    /// The entry that is largest relative to its terms.
    void worst(double& sum, double& size) const {
        double most = -1.0;
        for (std::size_t j = 0; j < size_; ++j) {
            const double share = sizes_[j] > 0.0 ? std::abs(score_[j]) / sizes_[j] : 0.0;
            if (share > most) {
                most = share;
                sum = score_[j];
                size = sizes_[j];
            }
        }
    }

private:
    void row(std::size_t i) {
        rows_.copy_row(static_cast<index_t>(i), std::span<double>(x_).first(width_));
    }

    const Dataset& rows_;
    std::size_t width_;
    std::size_t size_;
    std::vector<double> x_;
    std::vector<double> score_;
    std::vector<double> sizes_;
    std::vector<double> h_;
};

/// The rows' part of the dual problem.
struct DualPoint {
    std::vector<double> y;       ///< -1 or 1
    std::vector<double> before;  ///< the multipliers derived from the values
    std::vector<double> a;       ///< the multipliers of the certificate
    std::vector<double> d;       ///< c loss''(z)
};

/// The multipliers derived from the values; adds to the rounding of `out`.
DualPoint dual_point(const Model& model, const TrainingRows& training, const TrainingValues& values,
                     Recomputed& out) {
    const LogisticLoss loss;
    DualPoint point;
    for (std::size_t i = 0; i < training.targets.size(); ++i) {
        const double c = training.costs[i];
        const double z = values.f[i] + model.intercepts.front();
        const double y = training.targets[i] == 1.0 ? 1.0 : -1.0;
        point.y.push_back(y);
        point.before.push_back(-c * loss.derivative(y, z));
        point.d.push_back(c * loss.curvature(y, z));
        out.rounding += c * kValueRounding * values.magnitudes[i];
    }
    point.a = point.before;
    return point;
}

double squared_norm(const Model& model, const TrainingValues& values) {
    TwoDoubleSum norm;
    const std::vector<index_t> places = support_places(model);
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (places[i] >= 0) {
            norm.add_product(model.coefficients[static_cast<std::size_t>(places[i])], values.f[i]);
        }
    }
    return norm.value();
}

/// True if every multiplier has the sign of its class and an absolute value of at most c.
bool in_box(const TrainingRows& training, const DualPoint& point) {
    for (std::size_t i = 0; i < point.a.size(); ++i) {
        const double amount = point.a[i] * point.y[i];
        if (!(amount >= 0.0 && amount <= training.costs[i])) {
            return false;
        }
    }
    return true;
}

/// Moves the multipliers onto sum_i a_i x_i = 0; the score before the move is the KKT violation.
void solve_score(const Model& model, const TrainingRows& training, DualPoint& point,
                 Recomputed& out) {
    Score score(model, training);
    score.add_up(point.a, point.d, true);
    out.certificate.kkt_violation = score.greatest();
    double left = kInfinity;
    for (int step = 0; step < kMostSteps && score.greatest() < 0.5 * left; ++step) {
        left = score.greatest();
        score.move(point.a, point.d);
        score.add_up(point.a, point.d, false);
    }
    if (!in_box(training, point)) {  // a = 0 is always dual feasible, with value 0
        std::fill(point.a.begin(), point.a.end(), 0.0);
        score.add_up(point.a, point.d, false);
    }
    score.worst(out.sum, out.absolute_sum);
}

/// Computes primal, dual and gap from the losses at f + b and their conjugates at -a/c.
void sum_losses(const TrainingRows& training, const TrainingValues& values, const DualPoint& point,
                double b, Recomputed& out) {
    const LogisticLoss loss;
    TwoDoubleSum losses;
    TwoDoubleSum conjugates;
    TwoDoubleSum gap;
    Certificate& certificate = out.certificate;
    certificate.dual_infeasibility = 0.0;
    for (std::size_t i = 0; i < point.a.size(); ++i) {
        const double c = training.costs[i];
        if (c == 0.0) {  // rows of weight zero do not count
            continue;
        }
        const double z = values.f[i] + b;
        const double a = point.a[i];
        const double value = c * loss.value(point.y[i], z);
        const double conjugate = c * loss.conjugate(point.y[i], -a / c);
        losses.add(value);
        conjugates.add(conjugate);
        gap.add(value);
        gap.add(conjugate);
        gap.add_product(a, z);
        out.contributors.offer(static_cast<index_t>(i), value + conjugate + a * z);
        certificate.dual_infeasibility =
            std::max(certificate.dual_infeasibility, std::abs(a - point.before[i]));
    }
    certificate.primal = losses.value();
    certificate.dual = -conjugates.value();
    certificate.gap = gap.value();
}

}  // namespace

Recomputed recompute_likelihood(const Model& model, const TrainingRows& training,
                                const TrainingValues& values) {
    const double b = model.intercepts.front();
    Recomputed out;
    DualPoint point = dual_point(model, training, values, out);
    solve_score(model, training, point, out);
    sum_losses(training, values, point, b, out);
    out.certificate.squared_norm = squared_norm(model, values);
    out.certificate.intercept = b;
    out.certificate.intercepts = {b, b};
    out.certificate.worst_sample = out.contributors.first();
    return out;
}

}  // namespace mercer
