// SPDX-License-Identifier: Apache-2.0
//
// src/problems/certificate.cpp - primal, dual and gap, term by term.
//
// With sum(beta) = 0 the two halves of beta' K beta meet the rows' own terms:
//     primal - dual = sum_i [ c_i loss(y_i, z_i) + c_i conjugate(y_i, u_i) - c_i u_i z_i ],
// z_i = f_i + b, u_i = -beta_i / c_i, and each bracket is >= 0 by Fenchel and Young.
#include "mercer/problems/certificate.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/compensated_sum.hpp"
#include "mercer/base/error.hpp"
#include "mercer/problems/problem.hpp"
#include "mercer/runtime/context.hpp"
#include "problems/fenchel_term.hpp"

namespace mercer {

namespace {

/// The rows' intervals for b: z in the conjugate's subgradient at u means b in it minus f. They
/// all meet at the optimum; the violation is how far they are from doing so.
class InterceptIntervals {
public:
    void add(const Interval& z, double f) {
        lowest_upper_ = std::min(lowest_upper_, z.upper - f);
        highest_lower_ = std::max(highest_lower_, z.lower - f);
    }
    [[nodiscard]] double violation(bool intercept) const {
        const double worst =
            intercept ? highest_lower_ - lowest_upper_ : std::max(highest_lower_, -lowest_upper_);
        return std::isnan(worst) ? worst : std::max(0.0, worst);
    }

private:
    double lowest_upper_ = kInfinity;
    double highest_lower_ = -kInfinity;
};

// A coefficient this near an end of its box, or zero, counts as there when violations are measured:
// what is left of rounding is no free coefficient. It stays as it is in every value and in the gap.
constexpr double kAtEnd = 1e-9;

double at_end(double u, const Interval& domain) {
    if (!std::isfinite(domain.lower) || !std::isfinite(domain.upper)) {
        return u;
    }
    const double near = kAtEnd * (domain.upper - domain.lower);
    for (const double end : {domain.lower, domain.upper, 0.0}) {
        if (std::abs(u - end) <= near) {
            return end;
        }
    }
    return u;
}

/// True when the coefficients have the sums that a free width asks for. A closed tube may leave some of
/// the mass unused.
bool carries_mass(const Problem& problem, std::span<const double> beta, double width) {
    constexpr double kRounding = 1e-9;
    CompensatedSum above;
    CompensatedSum below;
    for (const double value : beta) {
        (value > 0.0 ? above : below).add(value);
    }
    const double share = problem.intercept ? 0.5 * problem.mass : problem.mass;
    const auto reaches = [&](double sum) {
        const bool closed = width == 0.0 && width_kind(problem.loss) == Width::tube;
        return (closed || sum >= share * (1.0 - kRounding)) && sum <= share * (1.0 + kRounding);
    };
    return problem.intercept ? reaches(above.value()) && reaches(-below.value())
                             : reaches(above.value() - below.value());
}

}  // namespace

Certificate certify_values(const Problem& problem, std::span<const double> beta,
                           std::span<const double> f) {
    Certificate out;
    const Loss best = best_loss(problem, f, out.intercepts);
    out.intercept = choose_intercept(out.intercepts);
    out.dual_infeasibility = 0.0;
    CompensatedSum norm;
    CompensatedSum losses;
    CompensatedSum conjugates;
    CompensatedSum gap;
    InterceptIntervals intervals;
    double worst = -1.0;
    std::visit(
        [&](const auto& loss) {
            for (std::size_t i = 0; i < f.size(); ++i) {
                const double c = problem.costs[i];
                norm.add(beta[i] * f[i]);
                if (c == 0.0) {
                    continue;
                }
                const double y = problem.targets[i];
                const double z = f[i] + out.intercept;
                const FenchelTerm term = fenchel_term(loss, y, z, c, beta[i]);
                losses.add(term.value);
                conjugates.add(term.conjugate);
                gap.add(nonnegative(term.gap));
                if (term.gap > worst) {
                    worst = term.gap;
                    out.worst_sample = static_cast<index_t>(i);
                }
                const double end = at_end(term.u, loss.conjugate_domain(y));
                intervals.add(loss.conjugate_subgradient(y, end), f[i]);
            }
        },
        best);
    double price = 0.0;  // of a free width; the same in both values
    if (problem.has_mass()) {
        out.width = width_of(best);
        price = problem.mass * (width_kind(best) == Width::margin ? -out.width : out.width);
    }
    out.squared_norm = nonnegative(norm.value());
    out.primal = 0.5 * out.squared_norm + losses.value() + price;
    out.dual = -0.5 * out.squared_norm - conjugates.value() + price;
    out.gap = gap.value();
    if (problem.has_mass() && !carries_mass(problem, beta, out.width)) {
        out.gap = kInfinity;  // no point of the dual: it proves nothing
    }
    out.kkt_violation = intervals.violation(problem.intercept);
    out.exact = proves(*problem.gram);
    return out;
}

Certificate certify(const Problem& problem, std::span<double> beta, Context& context) {
    if (static_cast<index_t>(beta.size()) != problem.size()) {
        throw InvalidArgument(
            fmt::format("beta: got {} coefficients, must be {}", beta.size(), problem.size()));
    }
    if (!std::all_of(beta.begin(), beta.end(), [](double b) { return std::isfinite(b); })) {
        return {};
    }
    const Context::Uncounted judging(context);
    const double moved = project_onto_dual(problem, beta);
    Certificate out = certify_values(problem, beta, decision_values(problem, beta, context));
    out.dual_infeasibility = moved;
    return out;
}

}  // namespace mercer
