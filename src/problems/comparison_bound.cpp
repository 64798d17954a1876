// SPDX-License-Identifier: Apache-2.0
//
// src/problems/comparison_bound.cpp - terms of comparisons at the worst values that rounding allows.
//
// Let alpha' be alpha with one multiplier per threshold moved so that the sums at the thresholds are
// exactly 0, and f' the function of its exact sums at the rows. With d = z_upper - z_lower
//     P(f, theta) - D(alpha') = 1/2 |f - f'|^2
//                               + sum_e [ c_e max(0, 1 - d_e) - alpha'_e (1 - d_e) ].
// A term is convex in d, and d is off by at most the errors of two values.
#include "problems/comparison_bound.hpp"

#include <algorithm>
#include <cmath>

#include "mercer/base/compensated_sum.hpp"
#include "mercer/base/quad.hpp"
#include "mercer/base/roundoff.hpp"
#include "mercer/losses/hinge.hpp"
#include "mercer/runtime/context.hpp"
#include "problems/value_refinement.hpp"

namespace mercer {

ComparisonBound::ComparisonBound(const ComparisonProblem& problem, std::span<const double> alpha,
                                 std::span<const double> beta, std::span<const double> z)
    : problem_(problem),
      alpha_(alpha),
      beta_(beta),
      z_(z),
      values_(*problem.gram, beta),
      errors_(z.size(), 0.0),
      low_(z.size(), 0.0),
      is_precise_(beta.size(), false) {
    for (std::size_t i = 0; i < beta.size(); ++i) {
        errors_[i] = values_.at(i);
    }
    repair_coefficients();
    repair_thresholds();
    sum_up();
}

ComparisonBound::Term ComparisonBound::term(std::size_t e) const {
    const Comparison& comparison = problem_.comparisons[e];
    const double c = problem_.cost_of(comparison);
    const auto u = static_cast<std::size_t>(comparison.upper);
    const auto l = static_cast<std::size_t>(comparison.lower);
    const auto of = [&](auto d, auto error) {
        using Real = decltype(d);
        const auto at = [&](Real value) {
            return static_cast<double>(HingeLoss{}.young_gap(1.0, value, c, Real(alpha_[e])));
        };
        return Term{at(d), std::max(at(d - error), at(d + error)) * (1.0 + 4.0 * kRoundoff)};
    };
    if (low_[u] == 0.0 && low_[l] == 0.0) {
        const double d = z_[u] - z_[l];
        return of(d, errors_[u] + errors_[l] + 2.0 * kEpsilon * (std::abs(d) + std::abs(1.0 - d)));
    }
    const Quad d = (Quad(z_[u]) + low_[u]) - (Quad(z_[l]) + low_[l]);
    return of(d, Quad(errors_[u]) + errors_[l]);
}

void ComparisonBound::repair_coefficients() {
    std::vector<double> sizes(beta_.size(), 0.0);
    std::vector<double> terms(beta_.size(), 0.0);
    for (std::size_t e = 0; e < alpha_.size(); ++e) {
        for (const index_t place : {problem_.comparisons[e].upper, problem_.comparisons[e].lower}) {
            if (alpha_[e] > 0.0 && place < problem_.size()) {
                sizes[static_cast<std::size_t>(place)] += alpha_[e];
                terms[static_cast<std::size_t>(place)] += 1.0;
            }
        }
    }
    for (std::size_t i = 0; i < beta_.size(); ++i) {
        const double off =
            kEpsilon * std::abs(beta_[i]) + compensated_rounding(terms[i]) * sizes[i];
        shift_ += off * values_.norm_of(i);
    }
}

std::vector<ComparisonBound::Balance> ComparisonBound::balances() const {
    const auto count = static_cast<std::size_t>(problem_.thresholds);
    std::vector<CompensatedSum> sums(count);
    std::vector<double> sizes(count, 0.0);
    std::vector<double> terms(count, 0.0);
    for (std::size_t e = 0; e < alpha_.size() && count > 0; ++e) {
        const ComparisonTerm own = term_of(problem_, problem_.comparisons[e]);
        if (own.threshold >= 0 && alpha_[e] > 0.0) {
            const auto k = static_cast<std::size_t>(own.threshold);
            sums[k].add(own.sign * alpha_[e]);
            sizes[k] += alpha_[e];
            terms[k] += 1.0;
        }
    }
    std::vector<Balance> out(count);
    for (std::size_t k = 0; k < count; ++k) {
        out[k].excess = sums[k].value();
        out[k].most =
            std::abs(out[k].excess) * (1.0 + kEpsilon) + compensated_rounding(terms[k]) * sizes[k];
    }
    return out;
}

void ComparisonBound::find_prices(std::vector<Balance>& balances) const {
    for (std::size_t e = 0; e < alpha_.size(); ++e) {
        const ComparisonTerm own = term_of(problem_, problem_.comparisons[e]);
        if (own.threshold < 0) {
            continue;
        }
        Balance& sum = balances[static_cast<std::size_t>(own.threshold)];
        const double room = 2.0 * sum.most;  // twice: the comparisons are rounded
        const bool may_fall = alpha_[e] >= room;
        const bool may_rise = problem_.cost_of(problem_.comparisons[e]) - alpha_[e] >= room;
        const auto row = static_cast<std::size_t>(own.row);
        const double slope =
            own.sign - (z_[row] - z_[beta_.size() + static_cast<std::size_t>(own.threshold)]);
        const double price = std::abs(slope) * (1.0 + 4.0 * kEpsilon) + 2.0 * errors_[row] +
                             4.0 * kEpsilon * std::abs(z_[row]);
        if (own.sign > 0.0 ? may_fall : may_rise) {
            sum.falls = std::min(sum.falls, price * sum.most);
        }
        if (own.sign > 0.0 ? may_rise : may_fall) {
            sum.rises = std::min(sum.rises, price * sum.most);
        }
    }
}

void ComparisonBound::repair_thresholds() {
    std::vector<Balance> sums = balances();
    if (std::all_of(sums.begin(), sums.end(), [](const Balance& b) { return b.most == 0.0; })) {
        return;
    }
    find_prices(sums);
    double largest = 0.0;
    for (std::size_t i = 0; i < beta_.size(); ++i) {
        largest = std::max(largest, values_.norm_of(i));
    }
    for (std::size_t k = 0; k < sums.size(); ++k) {
        const auto& [excess, most, falls, rises] = sums[k];
        // The sign is not known if the sum is within its own error.
        const bool sure = std::abs(excess) * 2.0 > most;
        price_ += most == 0.0 ? 0.0
                  : !sure     ? std::max(falls, rises)
                              : (excess > 0.0 ? falls : rises);
        moved_ += most * largest;
        unrepaired_ += most * std::abs(z_[beta_.size() + k]);
    }
}

void ComparisonBound::sum_up() {
    computed_ = 0.0;
    double most = 0.0;
    double worst = -1.0;
    for (std::size_t e = 0; e < alpha_.size(); ++e) {
        const Term own = term(e);
        computed_ += own.computed;
        most += own.most;
        if (own.computed > worst) {
            worst = own.computed;
            worst_row_ = term_of(problem_, problem_.comparisons[e]).row;
        }
    }
    constexpr double kOperations = 64.0;  // of a term, and of what is added to the terms
    const double all = shift_ + moved_;
    bound_ = (most + std::max(0.5 * all * all + price_, 0.5 * shift_ * shift_ + unrepaired_)) *
             (1.0 + rounding_of(static_cast<double>(alpha_.size() + beta_.size()) + kOperations));
}

std::vector<double> ComparisonBound::excesses() const {
    std::vector<double> out(beta_.size(), 0.0);
    for (std::size_t e = 0; e < alpha_.size(); ++e) {
        const Term own = term(e);
        for (const index_t place : {problem_.comparisons[e].upper, problem_.comparisons[e].lower}) {
            const auto i = static_cast<std::size_t>(place);
            if (place < problem_.size() && !is_precise_[i]) {
                out[i] += own.most - own.computed;
            }
        }
    }
    return out;
}

bool ComparisonBound::refine(double wanted, Context& context) {
    ValueRefinement values(*problem_.gram, beta_, values_);
    const auto take = [&](index_t row, Quad value, double error) {
        const auto i = static_cast<std::size_t>(row);
        low_[i] = static_cast<double>(value - z_[i]);
        errors_[i] = error + kEpsilon * std::abs(low_[i]);
        is_precise_[i] = true;
    };
    bool refined = false;
    while (bound_ > wanted && 2.0 * computed_ - bound_ <= wanted &&
           values.step(excesses(), wanted - computed_, context, take)) {
        refined = true;
        sum_up();
    }
    return refined;
}

}  // namespace mercer
