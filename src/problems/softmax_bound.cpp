// SPDX-License-Identifier: Apache-2.0
//
// src/problems/softmax_bound.cpp - divergences of the rows at the worst values that rounding allows.
//
// The dual point is beta with two repairs. In every row the coefficient of the own class becomes the
// exact sum of the others; then all rows are mixed with probabilities that are the same for every
// row, such that the columns sum to 0. With f' from the dual point and q from the values z
//     P(f, b) - D(beta') = 1/2 sum_k |f_k - f'_k|^2 + sum_i c_i sum_k p_ik log(p_ik / q_ik).
// The divergence of a row is convex in z, with the gradient q - p and a second derivative of at most
// e^2 along a step of at most e: so it grows by at most e |q - p|_1 + e^2 / 2.
//
// Notation   p  probabilities of the dual point   q  those at z   e  error of z   u  unit roundoff
#include "problems/softmax_bound.hpp"

#include <algorithm>
#include <cmath>

#include "mercer/base/roundoff.hpp"
#include "mercer/losses/softmax.hpp"

namespace mercer {

namespace {

// Relative rounding of a divergence as it is evaluated, and of the factors around it.
constexpr double kDivergenceOperations = 256.0;
// No cost times a probability below this is represented: it is added instead.
constexpr double kUnderflow = 0x1p-1000;

/// Bound on exp(x) - 1 for x >= 0; tight where it matters.
double growth_of(double x) {
    constexpr double kSmall = 0.1;
    return x < kSmall ? 1.06 * x : std::expm1(x) * (1.0 + 8.0 * kRoundoff);
}

/// Bound on the error of log q, from the exponentials of a row of values and their sum.
double rounding_of_logarithms(double classes, double sizes) {
    return kRoundoff * (4.0 * classes + 64.0 + 16.0 * sizes);
}

}  // namespace

SoftmaxBound::SoftmaxBound(const SoftmaxProblem& problem, std::span<const double> beta,
                           std::span<const double> z, std::span<const double> intercepts)
    : problem_(problem),
      beta_(beta),
      z_(z),
      intercepts_(intercepts),
      k_(static_cast<std::size_t>(problem.class_count)),
      errors_(*problem.gram, beta, k_),
      shares_(k_),
      columns_(k_),
      sizes_(k_, 0.0),
      moved_(k_, 0.0) {
    for (std::size_t i = 0; i < problem.costs.size(); ++i) {
        if (problem.costs[i] > 0.0) {
            add_row(i);
        }
    }
    sum_up();
}

void SoftmaxBound::add_row(std::size_t row) {
    const double c = problem_.costs[row];
    const auto own = static_cast<std::size_t>(problem_.classes[row]);
    const std::span<const double> z = z_.subspan(row * k_, k_);
    const RowSums sums = sums_of(row);
    repair_row(row, sums);
    set_shares(row, sums);
    const double loss = SoftmaxLoss::value(problem_.classes[row], z);
    const Divergence found = divergence_of(row, loss);
    double size = 0.0;
    double least = z[own];
    for (const double value : z) {
        size = std::max(size, std::abs(value));
        least = std::min(least, value);
    }
    const double error = errors_.at(row) + 2.0 * kRoundoff * size;  // of f + b
    const double growth = std::min(2.0 * error, error * found.apart + 0.5 * error * error);
    computed_ += c * found.computed;
    most_ += c * (found.most + growth) + kUnderflow * static_cast<double>(k_) * (1.0 + c);
    farthest_ += c * (loss + (z[own] - least) + 2.0 * error);
    reach_ += c * errors_.norm_of(row);
    if (c * found.computed > worst_) {
        worst_ = c * found.computed;
        worst_row_ = static_cast<index_t>(row);
    }
}

SoftmaxBound::RowSums SoftmaxBound::sums_of(std::size_t row) const {
    const auto own = static_cast<std::size_t>(problem_.classes[row]);
    const std::span<const double> beta = beta_.subspan(row * k_, k_);
    CompensatedSum all;
    CompensatedSum rest;
    double size = problem_.costs[row];
    rest.add(size);
    for (std::size_t k = 0; k < k_; ++k) {
        all.add(beta[k]);
        rest.add(k == own ? 0.0 : beta[k]);
        size += std::abs(beta[k]);
    }
    const double slack = compensated_rounding(static_cast<double>(k_) + 1.0) * size;
    return {all.value(), rest.value(), slack};
}

void SoftmaxBound::repair_row(std::size_t row, const RowSums& sums) {
    const auto own = static_cast<std::size_t>(problem_.classes[row]);
    const double above = 1.0 + 4.0 * kRoundoff;
    // The others may add up to more than the cost; they are then scaled down to it.
    const double over = std::max(0.0, sums.slack - sums.rest) * above;
    for (std::size_t k = 0; k < k_; ++k) {
        const double value = beta_[row * k_ + k];
        columns_[k].add(value);
        sizes_[k] += std::abs(value) + over;
        moved_[k] += over * errors_.norm_of(row);
    }
    columns_[own].add(-sums.excess);
    const double moved = std::abs(sums.excess) * above + sums.slack;
    sizes_[own] += moved;
    moved_[own] += moved * errors_.norm_of(row);
    slack_ += 2.0 * kRoundoff * std::abs(sums.excess) + sums.slack + over;
}

void SoftmaxBound::set_shares(std::size_t row, const RowSums& sums) {
    const double c = problem_.costs[row];
    const auto own = static_cast<std::size_t>(problem_.classes[row]);
    const double over = std::max(0.0, sums.slack - sums.rest) / c;
    for (std::size_t k = 0; k < k_; ++k) {
        const double p = k == own ? std::max(0.0, sums.rest) / c : -beta_[row * k_ + k] / c;
        shares_[k] = {p, 8.0 * kRoundoff + 2.0 * over};
    }
    Share& rest = shares_[own];
    const double unsure = 2.0 * sums.slack / c;
    rest.error = rest.p > 4.0 * unsure ? 8.0 * kRoundoff + 2.0 * unsure / rest.p : kInfinity;
    if (std::isinf(rest.error)) {
        rest.p = 8.0 * unsure;  // no less than the exact one
    }
}

SoftmaxBound::Divergence SoftmaxBound::divergence_of(std::size_t row, double loss) const {
    const auto own = static_cast<std::size_t>(problem_.classes[row]);
    const std::span<const double> z = z_.subspan(row * k_, k_);
    Divergence out;
    for (std::size_t k = 0; k < k_; ++k) {
        const auto& [p, unsure] = shares_[k];
        const double odds = k == own ? 0.0 : z[k] - z[own];
        const double log_q = odds - loss;
        const bool vanishes = p == 0.0 || std::isinf(unsure);
        const double log_p = vanishes ? 0.0 : std::log(p);
        const double error = rounding_of_logarithms(static_cast<double>(k_),
                                                    std::abs(log_p) + std::abs(odds) + loss);
        const double highest = std::min(0.0, log_q + error);
        if (vanishes) {  // at a p between 0 and this one the term is at most q + p log(1 / q)
            out.computed += std::exp(log_q);
            out.most += std::exp(highest) + p * (std::abs(log_q) + error);
            out.apart += std::min(1.0, std::exp(highest) + p);
            continue;
        }
        const double here = SoftmaxLoss::divergence(p, log_p, log_q);
        // It is convex in log q and least at log p: towards that end it only falls.
        const double reach = error + unsure;
        const double s = log_p - log_q;
        const double below = s < -reach ? here : SoftmaxLoss::divergence(p, log_p, log_q - reach);
        const double above =
            s > reach ? here : SoftmaxLoss::divergence(p, log_p, std::min(0.0, highest + unsure));
        out.computed += here;
        out.most += (1.0 + 4.0 * unsure) * std::max(below, above);
        // |q - p| <= p (exp |log p / q| - 1), never more than 1, nor than p if that is larger.
        const double growth = growth_of(std::abs(s) + reach);
        out.apart +=
            std::min(1.0, p * (1.0 + 4.0 * unsure) * (s > reach ? std::min(1.0, growth) : growth));
    }
    return out;
}

double SoftmaxBound::price_of_columns() const {
    // Let R be the sums of the columns, C_k the cost of class k and C that of all. Mixing a share m
    // of the probabilities C_k / C + (1 - m) R_k / (m C) into those of every row makes all columns
    // sum to 0, and these probabilities are not negative if m >= |R_k| / C_k for every k. As the
    // divergence is convex in p, that costs at most m c_i max_k log(1 / q_ik) per row.
    std::vector<double> costs(k_, 0.0);
    for (std::size_t i = 0; i < problem_.costs.size(); ++i) {
        costs[static_cast<std::size_t>(problem_.classes[i])] += problem_.costs[i];
    }
    const double terms = 2.0 * static_cast<double>(problem_.costs.size());
    double share = 0.0;
    double unmixed = 0.0;  // in the dual value of the coefficients whose columns are off
    double shift = 0.0;
    for (std::size_t k = 0; k < k_; ++k) {
        const double sum = std::abs(columns_[k].value()) * (1.0 + kEpsilon) + slack_ +
                           compensated_rounding(terms) * sizes_[k];
        share = std::max(share, sum == 0.0 ? 0.0 : sum / costs[k] * (1.0 + rounding_of(terms)));
        unmixed += sum * std::abs(intercepts_[k]);
    }
    for (const double moved : moved_) {
        const double all = moved + share * reach_;
        shift += all * all;
    }
    return share < 1.0 ? 0.5 * shift + std::max(share * farthest_, unmixed) : kInfinity;
}

void SoftmaxBound::sum_up() {
    double repairs = 0.0;
    if (problem_.intercept) {
        repairs = price_of_columns();
    } else {
        for (const double moved : moved_) {
            repairs += 0.5 * moved * moved;
        }
    }
    const double terms =
        4.0 * static_cast<double>(problem_.costs.size() + k_) + kDivergenceOperations;
    bound_ = (most_ + repairs) * (1.0 + rounding_of(terms));
}

}  // namespace mercer
