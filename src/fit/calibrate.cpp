// SPDX-License-Identifier: Apache-2.0
//
// src/fit/calibrate.cpp - a sigmoid by Newton's method with a backtracking line search.
//
// Method   Platt's probabilities as Lin, Lu and Weng's note fits them (Machine Learning 68, 2007):
//          the objective written so that nothing overflows or cancels, Hessian + 1e-12 I.
// Stops    when the gradient is below 1e-10 of the rows' weight, or no step makes progress.
// Notation t  target of a row, p = 1 / (1 + exp(a f + b)), q = 1 - p
#include "fit/calibrate.hpp"

#include <algorithm>
#include <cmath>

namespace mercer::fit {

namespace {

constexpr int kMostSteps = 100;
constexpr double kRidge = 1e-12;
constexpr double kLeastStep = 1e-10;
constexpr double kGradientTolerance = 1e-10;  // LIBSVM stops at 1e-5 in all

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
            break;  // as good as double precision allows
        }
        best = next;
        value = next_value;
    }
    return best;
}

std::vector<index_t> deal_parts(std::span<const double> targets, index_t parts, Random& random) {
    std::vector<index_t> part(targets.size(), 0);
    index_t next = 0;  // goes on from one class to the other: parts differ by one row at most
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
