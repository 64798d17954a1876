// SPDX-License-Identifier: Apache-2.0
//
// src/problems/sparse.cpp - the dual point of a problem with few coefficients, and the gap.
//
// Notation   a  multipliers -c loss'(z), projected onto the dual set     r = K (a - rho beta)
//            s  the factor by which the dual point scales r, or a where rho = 0
#include "mercer/problems/sparse.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <variant>

#include "mercer/base/compensated_sum.hpp"
#include "mercer/base/error.hpp"
#include "mercer/losses/loss.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/options.hpp"
#include "problems/fenchel_term.hpp"

namespace mercer {

namespace {

/// r, and the products of it that a certificate needs.
struct Product {
    std::vector<double> r;
    double greatest = 0.0;
    double slope = 0.0;  ///< a'r
    double norm = 0.0;   ///< (a - rho beta)'r
};

Product product_of(const SparseProblem& problem, std::span<const double> a,
                   std::span<const double> beta, std::span<const double> f, Context& context) {
    Product out;
    out.r = decision_values(problem.risk, a, context);
    CompensatedSum slope;
    CompensatedSum norm;
    for (std::size_t j = 0; j < out.r.size(); ++j) {
        out.r[j] -= problem.rkhs ? f[j] : 0.0;
        out.greatest = std::max(out.greatest, std::abs(out.r[j]));
        slope.add(a[j] * out.r[j]);
        norm.add((a[j] - (problem.rkhs ? beta[j] : 0.0)) * out.r[j]);
    }
    out.slope = slope.value();
    out.norm = norm.value();
    return out;
}

/// How far a coefficient is from its condition.
double violation_of(double l1, double beta, double r) {
    if (beta == 0.0) {
        return std::max(0.0, std::abs(r) - l1);
    }
    return std::abs(r - (beta > 0.0 ? l1 : -l1));
}

}  // namespace

void require_well_formed(const SparseProblem& problem) {
    require_well_formed(problem.risk);
    require_in_range("l1", problem.l1, problem.rkhs ? Range::non_negative() : Range::positive());
    const bool hinge = std::holds_alternative<HingeLoss>(problem.risk.loss) && !problem.rkhs;
    if (problem.risk.has_mass() || !(hinge || has_slope(problem.risk.loss))) {
        throw InvalidArgument(fmt::format(
            "loss: '{}' does not have a slope everywhere, which a penalty on the coefficients "
            "needs",
            name_of(problem.risk.loss)));
    }
}

double dual_share(const SparseProblem& problem, double greatest, double slope,
                  double norm) noexcept {
    const double most = greatest > 0.0 ? problem.l1 / greatest : kInfinity;
    if (!problem.rkhs) {
        return std::min(1.0, most);
    }
    // 1/2 v'Kv of v = a - s (a - beta) is least at s = slope / norm.
    const double best = norm > 0.0 ? std::max(0.0, slope / norm) : 1.0;
    return std::min(best, most);
}

Certificate certify(const SparseProblem& problem, std::span<const double> beta, Context& context) {
    if (!has_slope(problem.risk.loss)) {
        throw InvalidArgument(fmt::format("loss: '{}' has no slope, so there are no multipliers",
                                          name_of(problem.risk.loss)));
    }
    return certify(problem, beta, {}, context);
}

Certificate certify(const SparseProblem& problem, std::span<const double> beta,
                    std::span<double> given, Context& context) {
    const Context::Uncounted judging(context);
    const Problem& risk = problem.risk;
    if (static_cast<index_t>(beta.size()) != risk.size()) {
        throw InvalidArgument(
            fmt::format("beta: got {} coefficients, must be {}", beta.size(), risk.size()));
    }
    if (!std::all_of(beta.begin(), beta.end(), [](double b) { return std::isfinite(b); })) {
        return {};
    }
    const std::vector<double> f = decision_values(risk, beta, context);
    if (!std::all_of(f.begin(), f.end(), [](double value) { return std::isfinite(value); })) {
        return {};
    }
    Certificate out;
    out.intercepts = best_intercepts(risk, f);
    out.intercept = choose_intercept(out.intercepts);
    std::vector<double> a;
    if (given.empty()) {
        a = multipliers_of(risk, f, out.intercept);
    } else {
        if (given.size() != beta.size()) {
            throw InvalidArgument(
                fmt::format("multipliers: got {}, must be {}", given.size(), beta.size()));
        }
        project_onto_dual(risk, given);
        a.assign(given.begin(), given.end());
    }
    const Product product = product_of(problem, a, beta, f, context);
    const double s = dual_share(problem, product.greatest, product.slope, product.norm);
    const double t = problem.rkhs ? 1.0 : s;  // factor of the multipliers
    CompensatedSum norm;
    CompensatedSum absolute;
    CompensatedSum losses;
    CompensatedSum conjugates;
    CompensatedSum gap;
    double worst = -1.0;
    out.kkt_violation = 0.0;
    std::visit(
        [&](const auto& loss) {
            for (std::size_t i = 0; i < a.size(); ++i) {
                const double r = product.r[i];
                norm.add(beta[i] * f[i]);
                absolute.add(std::abs(beta[i]));
                double term = nonnegative(problem.l1 * std::abs(beta[i]) - s * r * beta[i]);
                const double violation = violation_of(problem.l1, beta[i], r);
                out.kkt_violation = violation > out.kkt_violation || std::isnan(violation)
                                        ? violation
                                        : out.kkt_violation;
                if (const double c = risk.costs[i]; c > 0.0) {
                    const double y = risk.targets[i];
                    const double z = f[i] + out.intercept;
                    const FenchelTerm own = fenchel_term(loss, y, z, c, t * a[i]);
                    losses.add(own.value);
                    conjugates.add(own.conjugate);
                    term += nonnegative(own.gap);
                }
                gap.add(term);
                if (term > worst) {
                    worst = term;
                    out.worst_sample = static_cast<index_t>(i);
                }
            }
        },
        risk.loss);
    out.squared_norm = nonnegative(norm.value());
    out.primal = problem.l1 * absolute.value() + losses.value();
    out.dual = -conjugates.value();
    if (problem.rkhs) {
        const double moved = nonnegative(product.norm) * (1.0 - s) * (1.0 - s);
        gap.add(0.5 * moved);
        out.primal += 0.5 * out.squared_norm;
        // v = beta + (1 - s) (a - beta)
        CompensatedSum cross;
        for (std::size_t j = 0; j < a.size(); ++j) {
            cross.add(beta[j] * product.r[j]);
        }
        out.dual -= 0.5 * (out.squared_norm + 2.0 * (1.0 - s) * cross.value() + moved);
    }
    out.gap = gap.value();
    out.dual_infeasibility = std::max(0.0, product.greatest - problem.l1);
    out.exact = !problem.rkhs || proves(*risk.gram);
    return out;
}

}  // namespace mercer
