// SPDX-License-Identifier: Apache-2.0
//
// src/problems/comparisons.cpp - the dual set of compared values, and its gap.
//
// The values are what float64 gives; the gap is a bound on the exact one (comparison_bound.hpp).
//
// The comparisons with one threshold are a two-class problem with the free intercept -theta: that
// problem's projection and its best intercept are used for it.
#include "mercer/problems/comparisons.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/compensated_sum.hpp"
#include "mercer/base/error.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/options.hpp"
#include "problems/comparison_bound.hpp"
#include "problems/fenchel_term.hpp"

namespace mercer {

namespace {

// A multiplier this close to an end of its box, relative to the box, counts as being at that end
// when violations are measured.
constexpr double kAtBoxEnd = 1e-9;

/// For each threshold the numbers of the comparisons with it.
std::vector<std::vector<index_t>> by_threshold(const ComparisonProblem& problem) {
    std::vector<std::vector<index_t>> out(static_cast<std::size_t>(problem.thresholds));
    for (std::size_t e = 0; e < problem.comparisons.size() && !out.empty(); ++e) {
        const index_t k = term_of(problem, problem.comparisons[e]).threshold;
        if (k >= 0) {
            out[static_cast<std::size_t>(k)].push_back(static_cast<index_t>(e));
        }
    }
    return out;
}

/// The comparisons with one threshold as a two-class problem: above it or below it.
Problem two_classes(const ComparisonProblem& problem, const std::vector<index_t>& members) {
    Problem out;
    for (const index_t e : members) {
        const Comparison& comparison = problem.comparisons[static_cast<std::size_t>(e)];
        out.targets.push_back(term_of(problem, comparison).sign);
        out.costs.push_back(problem.cost_of(comparison));
    }
    return out;
}

std::vector<double> best_thresholds(const ComparisonProblem& problem, std::span<const double> f) {
    std::vector<double> thresholds;
    for (const std::vector<index_t>& members : by_threshold(problem)) {
        std::vector<double> values;
        for (const index_t e : members) {
            const ComparisonTerm term =
                term_of(problem, problem.comparisons[static_cast<std::size_t>(e)]);
            values.push_back(f[static_cast<std::size_t>(term.row)]);
        }
        const double theta =
            -choose_intercept(best_intercepts(two_classes(problem, members), values));
        // For any f the optimal intervals of the thresholds ascend; rounding must not change that.
        thresholds.push_back(thresholds.empty() ? theta : std::max(thresholds.back(), theta));
    }
    return thresholds;
}

struct Bounds {
    double highest = -kInfinity;  ///< slope of the variables that may grow
    double lowest = kInfinity;    ///< slope of the variables that may shrink
};

}  // namespace

ComparisonTerm term_of(const ComparisonProblem& problem, const Comparison& comparison) {
    const index_t n = problem.size();
    if (comparison.lower >= n) {
        return {comparison.upper, -1, comparison.lower - n, 1.0};
    }
    if (comparison.upper >= n) {
        return {comparison.lower, -1, comparison.upper - n, -1.0};
    }
    return {comparison.upper, comparison.lower, -1, 1.0};
}

void require_well_formed(const ComparisonProblem& problem) {
    const index_t n = problem.size();
    require_in_range("cost", problem.cost, Range::positive());
    if (static_cast<index_t>(problem.weights.size()) != n) {
        throw InvalidArgument(
            fmt::format("weights: got {} for {} rows", problem.weights.size(), n));
    }
    for (std::size_t i = 0; i < problem.weights.size(); ++i) {
        require_in_range(fmt::format("weight of row {}", i + 1), problem.weights[i],
                         Range::positive());
    }
    std::vector<bool> above(static_cast<std::size_t>(problem.thresholds), false);
    std::vector<bool> below = above;
    for (std::size_t e = 0; e < problem.comparisons.size(); ++e) {
        const auto& [upper, lower] = problem.comparisons[e];
        const index_t places = n + problem.thresholds;
        if (upper < 0 || lower < 0 || upper >= places || lower >= places || upper == lower ||
            (upper >= n && lower >= n)) {
            throw InvalidArgument(
                fmt::format("comparisons: number {} is between places {} and {}, must be two of {} "
                            "rows, or a row and one of {} thresholds",
                            e + 1, upper, lower, n, problem.thresholds));
        }
        if (!std::isfinite(problem.cost_of(problem.comparisons[e]))) {
            throw InvalidArgument(
                fmt::format("weights: the cost of comparison {} overflows", e + 1));
        }
        const ComparisonTerm term = term_of(problem, problem.comparisons[e]);
        if (term.threshold >= 0) {
            (term.sign > 0.0 ? above : below)[static_cast<std::size_t>(term.threshold)] = true;
        }
    }
    for (std::size_t k = 0; k < above.size(); ++k) {
        if (!above[k] || !below[k]) {
            throw InvalidArgument(fmt::format("comparisons: threshold {} has no row {} it", k + 1,
                                              above[k] ? "below" : "above"));
        }
    }
}

std::vector<double> coefficients_of(const ComparisonProblem& problem,
                                    std::span<const double> alpha) {
    std::vector<CompensatedSum> sums(static_cast<std::size_t>(problem.size()));
    for (std::size_t e = 0; e < alpha.size(); ++e) {
        if (alpha[e] == 0.0) {
            continue;
        }
        for (const auto& [place, value] : {std::pair{problem.comparisons[e].upper, alpha[e]},
                                           std::pair{problem.comparisons[e].lower, -alpha[e]}}) {
            if (place < problem.size()) {
                sums[static_cast<std::size_t>(place)].add(value);
            }
        }
    }
    std::vector<double> beta;
    beta.reserve(sums.size());
    for (const CompensatedSum& sum : sums) {
        beta.push_back(sum.value());
    }
    return beta;
}

double project_onto_dual(const ComparisonProblem& problem, std::span<double> alpha) {
    double moved = 0.0;
    for (std::size_t e = 0; e < alpha.size(); ++e) {
        const double inside = std::clamp(alpha[e], 0.0, problem.cost_of(problem.comparisons[e]));
        moved = std::max(moved, std::abs(inside - alpha[e]));
        alpha[e] = inside;
    }
    for (const std::vector<index_t>& members : by_threshold(problem)) {
        const Problem classes = two_classes(problem, members);
        std::vector<double> signed_alpha;
        for (std::size_t i = 0; i < members.size(); ++i) {
            signed_alpha.push_back(classes.targets[i] *
                                   alpha[static_cast<std::size_t>(members[i])]);
        }
        moved = std::max(moved, project_onto_dual(classes, signed_alpha));
        for (std::size_t i = 0; i < members.size(); ++i) {
            alpha[static_cast<std::size_t>(members[i])] =
                std::max(0.0, classes.targets[i] * signed_alpha[i]);  // no negative zero
        }
    }
    return moved;
}

double comparison_violation(const ComparisonProblem& problem, std::span<const double> alpha,
                            std::span<const double> f, std::vector<double>* centres) {
    const bool free = problem.thresholds > 0;
    std::vector<Bounds> bounds(static_cast<std::size_t>(std::max<index_t>(1, problem.thresholds)));
    for (std::size_t e = 0; e < alpha.size(); ++e) {
        const ComparisonTerm term = term_of(problem, problem.comparisons[e]);
        const double c = problem.cost_of(problem.comparisons[e]);
        const double slope = term.slope(f);
        Bounds& own = bounds[static_cast<std::size_t>(std::max<index_t>(0, term.threshold))];
        const bool may_rise = alpha[e] < c - kAtBoxEnd * c;  // the multiplier
        const bool may_fall = alpha[e] > kAtBoxEnd * c;
        if (term.sign > 0.0 ? may_rise : may_fall) {
            own.highest = std::max(own.highest, slope);
        }
        if (term.sign > 0.0 ? may_fall : may_rise) {
            own.lowest = std::min(own.lowest, slope);
        }
    }
    double worst = 0.0;
    for (const Bounds& own : bounds) {
        worst =
            std::max(worst, free ? own.highest - own.lowest : std::max(own.highest, -own.lowest));
        if (centres != nullptr) {
            centres->push_back(free ? 0.5 * (own.highest + own.lowest) : 0.0);
        }
    }
    return worst;
}

ComparisonCertificate certify(const ComparisonProblem& problem, std::span<double> alpha,
                              Context& context, const WantedGap& wanted) {
    const Context::Uncounted judging(context);
    if (alpha.size() != problem.comparisons.size()) {
        throw InvalidArgument(fmt::format("alpha: got {} multipliers, must be {}", alpha.size(),
                                          problem.comparisons.size()));
    }
    ComparisonCertificate out;
    if (!std::all_of(alpha.begin(), alpha.end(), [](double a) { return std::isfinite(a); })) {
        return out;
    }
    Certificate& proof = out.certificate;
    proof.dual_infeasibility = project_onto_dual(problem, alpha);
    const std::vector<double> beta = coefficients_of(problem, alpha);
    std::vector<double> z = problem.gram->multiply(beta, context);
    out.values = z;
    CompensatedSum norm;
    for (std::size_t i = 0; i < beta.size(); ++i) {
        norm.add(beta[i] * z[i]);
    }
    out.thresholds = best_thresholds(problem, z);
    z.insert(z.end(), out.thresholds.begin(), out.thresholds.end());
    CompensatedSum losses;
    CompensatedSum multipliers;
    for (std::size_t e = 0; e < alpha.size(); ++e) {
        const auto& [upper, lower] = problem.comparisons[e];
        const double apart =
            z[static_cast<std::size_t>(upper)] - z[static_cast<std::size_t>(lower)];
        losses.add(problem.cost_of(problem.comparisons[e]) * HingeLoss{}.value(1.0, apart));
        multipliers.add(alpha[e]);
    }
    proof.squared_norm = std::isnan(norm.value()) ? kNaN : std::max(0.0, norm.value());
    proof.primal = 0.5 * proof.squared_norm + losses.value();
    proof.dual = multipliers.value() - 0.5 * proof.squared_norm;
    ComparisonBound gap(problem, alpha, beta, z);
    if (gap.refine(wanted.relative * std::max(wanted.unit, std::abs(proof.primal)), context)) {
        proof.primal = proof.dual + gap.computed();  // the summed losses were inaccurate
    }
    proof.worst_sample = gap.worst_row();
    proof.gap = std::isnan(gap.computed()) ? kNaN : gap.bound();
    proof.rounding = proof.gap - gap.computed();
    proof.kkt_violation = comparison_violation(problem, alpha, out.values);
    proof.exact = proves(*problem.gram);
    return out;
}

}  // namespace mercer
