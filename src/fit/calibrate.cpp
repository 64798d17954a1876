// SPDX-License-Identifier: Apache-2.0
//
// src/fit/calibrate.cpp - a sigmoid by Newton's method with a backtracking line search; marks of
// the density of a one-class machine.
//
// Method   Platt's probabilities in the formulation of Lin, Lu and Weng (Machine Learning 68,
// 2007):
//          the objective is written so that nothing overflows or cancels; Hessian + 1e-12 I.
// Stops    when the gradient is below 1e-10 of the total weight, or no step makes progress.
// Notation t  target of a row, p = 1 / (1 + exp(a f + b)), q = 1 - p
#include "fit/calibrate.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "mercer/models/model.hpp"

namespace mercer::fit {

namespace {

constexpr int kMostSteps = 100;
constexpr double kRidge = 1e-12;
constexpr double kLeastStep = 1e-10;
constexpr double kGradientTolerance = 1e-10;  // LIBSVM stops at 1e-5, not relative to the weight

/// The likelihood of one set of decision values.
class Likelihood {
public:
    Likelihood(std::span<const double> f, std::span<const double> targets,
               std::span<const double> weights)
        : f_(f), weights_(weights) {
        double positive = 0.0;
        double negative = 0.0;
        for (std::size_t i = 0; i < f.size(); ++i) {
            (targets[i] > 0.0 ? positive : negative) += weight(i);
        }
        const double high = (positive + 1.0) / (positive + 2.0);
        const double low = 1.0 / (negative + 2.0);
        for (const double target : targets) {
            t_.push_back(target > 0.0 ? high : low);
        }
        total_ = positive + negative;
        start_ = {0.0, std::log((negative + 1.0) / (positive + 1.0))};
    }

    [[nodiscard]] Sigmoid start() const { return start_; }
    [[nodiscard]] double total() const { return total_; }

    /// -sum t log p + (1 - t) log q.
    [[nodiscard]] double value(const Sigmoid& s) const {
        double sum = 0.0;
        for (std::size_t i = 0; i < f_.size(); ++i) {
            const double z = f_[i] * s.a + s.b;
            sum += weight(i) * (z >= 0.0 ? t_[i] * z + std::log1p(std::exp(-z))
                                         : (t_[i] - 1.0) * z + std::log1p(std::exp(z)));
        }
        return sum;
    }

    struct Slope {
        double ga = 0.0;
        double gb = 0.0;
        double haa = kRidge;
        double hab = 0.0;
        double hbb = kRidge;
    };

    [[nodiscard]] Slope slope(const Sigmoid& s) const {
        Slope out;
        for (std::size_t i = 0; i < f_.size(); ++i) {
            const double z = f_[i] * s.a + s.b;
            const double e = std::exp(-std::abs(z));
            const double p = (z >= 0.0 ? e : 1.0) / (1.0 + e);
            const double q = (z >= 0.0 ? 1.0 : e) / (1.0 + e);
            const double curvature = weight(i) * p * q;
            const double d = weight(i) * (t_[i] - p);
            out.haa += f_[i] * f_[i] * curvature;
            out.hab += f_[i] * curvature;
            out.hbb += curvature;
            out.ga += f_[i] * d;
            out.gb += d;
        }
        return out;
    }

private:
    [[nodiscard]] double weight(std::size_t i) const {
        return weights_.empty() ? 1.0 : weights_[i];
    }

    std::span<const double> f_;
    std::span<const double> weights_;
    std::vector<double> t_;
    double total_ = 0.0;
    Sigmoid start_;
};

}  // namespace

Sigmoid fit_sigmoid(std::span<const double> f, std::span<const double> targets,
                    std::span<const double> weights) {
    const Likelihood likelihood(f, targets, weights);
    Sigmoid best = likelihood.start();
    double value = likelihood.value(best);
    for (int step = 0; step < kMostSteps; ++step) {
        const Likelihood::Slope g = likelihood.slope(best);
        if (std::max(std::abs(g.ga), std::abs(g.gb)) < kGradientTolerance * likelihood.total()) {
            break;
        }
        const double determinant = g.haa * g.hbb - g.hab * g.hab;
        const double da = -(g.hbb * g.ga - g.hab * g.gb) / determinant;
        const double db = -(g.haa * g.gb - g.hab * g.ga) / determinant;
        const double descent = g.ga * da + g.gb * db;
        double length = 1.0;
        Sigmoid next = best;
        double next_value = value;
        for (; length >= kLeastStep; length *= 0.5) {
            next = {best.a + length * da, best.b + length * db};
            next_value = likelihood.value(next);
            if (next_value < value + 1e-4 * length * descent) {
                break;
            }
        }
        if (length < kLeastStep) {
            break;  // the best that double precision allows
        }
        best = next;
        value = next_value;
    }
    return best;
}

namespace {

/// Values in ascending order, each repeated according to its weight.
class Ordered {
public:
    Ordered(std::span<const double> f, std::span<const double> weights, bool inside) {
        for (std::size_t i = 0; i < f.size(); ++i) {
            const double weight = weights.empty() ? 1.0 : weights[i];
            if ((f[i] >= 0.0) == inside && weight > 0.0) {
                values_.emplace_back(f[i], weight);
                total_ += weight;
            }
        }
        std::sort(values_.begin(), values_.end());
    }

    [[nodiscard]] double total() const { return total_; }

    /// The value with that rank, counted from 0.
    [[nodiscard]] double at(double place) const {
        double sum = 0.0;
        for (const auto& [value, weight] : values_) {
            sum += weight;
            if (sum > place) {
                return value;
            }
        }
        return values_.back().first;
    }

private:
    std::vector<std::pair<double, double>> values_;
    double total_ = 0.0;
};

}  // namespace

std::vector<double> density_marks(std::span<const double> f, std::span<const double> weights) {
    constexpr index_t kSide = kDensityMarks / 2;
    const Ordered outside(f, weights, false);
    const Ordered inside(f, weights, true);
    const auto side = static_cast<double>(kSide);
    if (outside.total() < side || inside.total() < side) {
        return {};
    }
    std::vector<double> cuts;
    for (index_t i = 0; i < kSide; ++i) {
        cuts.push_back(outside.at(static_cast<double>(i) * outside.total() / side));
    }
    cuts.push_back(0.0);
    for (index_t i = 1; i <= kSide; ++i) {
        cuts.push_back(inside.at(std::floor(static_cast<double>(i) * inside.total() / side) - 1.0));
    }
    std::vector<double> marks;
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
        marks.push_back(0.5 * (cuts[i] + cuts[i + 1]));
    }
    return marks;
}

std::vector<index_t> deal_parts(std::span<const double> targets, index_t parts, Random& random) {
    std::vector<index_t> part(targets.size(), 0);
    index_t next = 0;  // across classes: parts differ by at most one row
    for (const double sign : {1.0, -1.0}) {
        std::vector<std::size_t> rows;
        for (std::size_t i = 0; i < targets.size(); ++i) {
            if (targets[i] == sign) {
                rows.push_back(i);
            }
        }
        for (const index_t place : random.permutation(static_cast<index_t>(rows.size()))) {
            part[rows[static_cast<std::size_t>(place)]] = next;
            next = (next + 1) % parts;
        }
    }
    return part;
}

}  // namespace mercer::fit
