// SPDX-License-Identifier: Apache-2.0
//
// src/problems/certificate.cpp - primal and dual value, term by term, and a bound on their gap.
//
// The values are what float64 gives. The gap is a bound on the exact one (problems/gap_bound.hpp):
// a sum of Fenchel-Young terms, each at the worst value that rounding allows.
#include "mercer/problems/certificate.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "mercer/base/compensated_sum.hpp"
#include "mercer/base/error.hpp"
#include "mercer/problems/close_certificate.hpp"
#include "mercer/problems/mass.hpp"
#include "mercer/problems/problem.hpp"
#include "mercer/runtime/context.hpp"
#include "problems/fenchel_term.hpp"
#include "problems/gap_bound.hpp"

namespace mercer {

namespace {

/// The rows' intervals for b: the subgradient of the conjugate at u, minus f. At the optimum they
/// have a common point; the violation is how far they are from having one.
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

// A coefficient this close to an end of its box, or to zero, counts as being there when violations
// are measured: a remainder of rounding does not make a coefficient free. Values and gap use it as
// is.
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

/// True when the coefficients satisfy the sum constraints of a free width. With a tube the sum may
/// be smaller than the mass.
bool carries_mass(const Problem& problem, std::span<const double> beta) {
    constexpr double kRounding = 1e-9;
    CompensatedSum above;
    CompensatedSum below;
    for (const double value : beta) {
        (value > 0.0 ? above : below).add(value);
    }
    const double share = problem.intercept ? 0.5 * problem.mass : problem.mass;
    const auto reaches = [&](double sum) {
        const bool tube = width_kind(problem.loss) == Width::tube;
        return (tube || sum >= share * (1.0 - kRounding)) && sum <= share * (1.0 + kRounding);
    };
    return problem.intercept ? reaches(above.value()) && reaches(-below.value())
                             : reaches(above.value() - below.value());
}

/// Sums up the primal value, the dual value and the violation, term by term.
class ValueSums {
public:
    ValueSums(const Problem& problem, const Loss& loss) : problem_(problem), loss_(loss) {}

    void add_all(std::span<const double> beta, std::span<const double> f, double intercept) {
        std::visit(
            [&](const auto& loss) {
                for (std::size_t i = 0; i < f.size(); ++i) {
                    norm_.add(beta[i] * f[i]);
                    if (problem_.costs[i] > 0.0) {
                        add(loss, i, beta[i], f[i], intercept);
                    }
                }
            },
            loss_);
    }

    /// `squared_norm` replaces the sum of its terms where it is known more accurately.
    void write(Certificate& out, std::optional<double> squared_norm = std::nullopt) const {
        double price = 0.0;  // of a free width; equal in primal and dual if all mass is used
        if (problem_.has_mass()) {
            out.width = width_of(loss_);
            price = problem_.mass * (width_kind(loss_) == Width::margin ? -out.width : out.width);
        }
        out.squared_norm = nonnegative(squared_norm.value_or(norm_.value()));
        out.primal = 0.5 * out.squared_norm + losses_.value() + price;
        out.dual = -0.5 * out.squared_norm - conjugates_.value() + price;
        out.worst_sample = worst_sample_;
        out.kkt_violation = intervals_.violation(problem_.intercept);
    }

private:
    template <typename LossType>
    void add(const LossType& loss, std::size_t i, double beta, double f, double intercept) {
        const double y = problem_.targets[i];
        const FenchelTerm term = fenchel_term(loss, y, f + intercept, problem_.costs[i], beta);
        losses_.add(term.value);
        conjugates_.add(term.conjugate);
        if (term.gap > worst_) {
            worst_ = term.gap;
            worst_sample_ = static_cast<index_t>(i);
        }
        const double end = at_end(term.u, loss.conjugate_domain(y));
        intervals_.add(loss.conjugate_subgradient(y, end), f);
    }

    const Problem& problem_;
    const Loss& loss_;
    CompensatedSum norm_;
    CompensatedSum losses_;
    CompensatedSum conjugates_;
    InterceptIntervals intervals_;
    double worst_ = -1.0;
    index_t worst_sample_ = -1;
};

// Least gap relative to the primal value. It is not 0, because a check in fifty digits rounds as
// well.
constexpr double kLeastGap = 0x1p-150;

// An uncertainty above this share of the primal value is reduced in higher precision.
constexpr double kBlurred = 0.01;

/// The absolute gap that `wanted` stands for.
double absolute(const WantedGap& wanted, const Certificate& certificate) {
    return wanted.relative * std::max(wanted.unit, std::abs(certificate.primal));
}

/// The certificate at these values of K beta, with the bound on its gap.
class ValuesProof {
public:
    ValuesProof(const Problem& problem, std::span<const double> beta, std::span<const double> f)
        : problem_(problem), beta_(beta), loss_(best_loss(problem, f, out_.intercepts)) {
        out_.intercept = choose_intercept(out_.intercepts);
        out_.dual_infeasibility = 0.0;
        gap_.emplace(problem, loss_, beta, f, out_.intercept);
        sum(f);
    }
    ValuesProof(const ValuesProof&) = delete;
    ValuesProof& operator=(const ValuesProof&) = delete;

    /// Reduces the part of the bound that is due to rounding; true when the wanted gap is reached.
    bool refine(const WantedGap& wanted, Context& context) {
        if (gap_->blur() > kBlurred * std::max(wanted.unit, std::abs(out_.primal))) {
            // The gap is relative to the primal value, which is meaningless if it is mostly
            // rounding.
            if (const GapBound::PreciseRows closer = gap_->precise_rows(context);
                !closer.values.empty()) {
                sum(closer.values, closer.squared_norm);
            }
        }
        if (gap_->refine(absolute(wanted, out_), context)) {
            out_.primal = out_.dual + gap_->computed();  // the summed losses were inaccurate
        }
        return gap_->bound() <= absolute(wanted, out_);
    }

    [[nodiscard]] const GapBound& gap() const { return *gap_; }

    [[nodiscard]] Certificate certificate() const {
        Certificate out = out_;
        out.gap = std::max(gap_->bound(), kLeastGap * std::abs(out.primal));
        out.rounding = out.gap - gap_->computed();
        if (problem_.has_mass() && !carries_mass(problem_, beta_)) {
            out.gap = kInfinity;  // beta is not dual feasible: it proves nothing
            out.rounding = 0.0;
        }
        out.exact = proves(*problem_.gram);
        return out;
    }

private:
    void sum(std::span<const double> f, std::optional<double> squared_norm = std::nullopt) {
        ValueSums sums(problem_, loss_);
        sums.add_all(beta_, f, out_.intercept);
        sums.write(out_, squared_norm);
        out_.dual -= gap_->unused();
    }

    const Problem& problem_;
    std::span<const double> beta_;
    Certificate out_;
    Loss loss_;
    std::optional<GapBound> gap_;
};

Certificate certify_bounded(const Problem& problem, std::span<const double> beta,
                            std::span<const double> f, const WantedGap& wanted, Context* context) {
    ValuesProof proof(problem, beta, f);
    if (context != nullptr && !std::isnan(wanted.relative)) {
        static_cast<void>(proof.refine(wanted, *context));
    }
    return proof.certificate();
}

/// The same; if the wanted gap is missed, the intercept and the width are chosen again from values
/// computed in 113 bits.
Certificate certify_twice(const Problem& problem, std::span<const double> beta,
                          std::span<const double> f, const WantedGap& wanted, Context& context) {
    ValuesProof proof(problem, beta, f);
    if (proof.refine(wanted, context)) {
        return proof.certificate();
    }
    const Certificate out = proof.certificate();
    const std::vector<double> closer = proof.gap().precise_rows(context).values;
    if (closer.empty()) {
        return out;
    }
    ValuesProof again(problem, beta, closer);
    static_cast<void>(again.refine(wanted, context));
    const Certificate better = again.certificate();
    return better.gap < out.gap ? better : out;
}

/// Moves coefficients into the dual set; returns how far. Those of a tube that leave mass unused
/// are not scaled up to it.
double project_sparingly(const Problem& problem, std::span<double> beta) {
    const bool leaves = problem.has_mass() && width_kind(problem.loss) == Width::tube &&
                        side_sums(beta).balanced() <= problem.mass * kUsesMass;
    if (!leaves) {
        return project_onto_dual(problem, beta);
    }
    Problem free = problem;
    free.mass = kNaN;
    return project_onto_dual(free, beta);
}

using Projector = double (*)(const Problem&, std::span<double>);
using Certifier = Certificate (*)(const Problem&, std::span<const double>, std::span<const double>,
                                  const WantedGap&, Context&);

Certificate certify_projected(const Problem& problem, std::span<double> beta, Context& context,
                              const WantedGap& wanted, Projector projector, Certifier certifier) {
    if (static_cast<index_t>(beta.size()) != problem.size()) {
        throw InvalidArgument(
            fmt::format("beta: got {} coefficients, must be {}", beta.size(), problem.size()));
    }
    if (!std::all_of(beta.begin(), beta.end(), [](double b) { return std::isfinite(b); })) {
        return {};
    }
    const Context::Uncounted judging(context);
    const double moved = projector(problem, beta);
    Certificate out =
        certifier(problem, beta, decision_values(problem, beta, context), wanted, context);
    out.dual_infeasibility = moved;
    return out;
}

}  // namespace

Certificate certify_values(const Problem& problem, std::span<const double> beta,
                           std::span<const double> f) {
    return certify_bounded(problem, beta, f, {}, nullptr);
}

Certificate certify_values(const Problem& problem, std::span<const double> beta,
                           std::span<const double> f, const WantedGap& wanted, Context& context) {
    return certify_bounded(problem, beta, f, wanted, &context);
}

Certificate certify(const Problem& problem, std::span<double> beta, Context& context,
                    const WantedGap& wanted) {
    return certify_projected(problem, beta, context, wanted, project_onto_dual, certify_values);
}

Certificate certify_closely(const Problem& problem, std::span<double> beta, Context& context,
                            const WantedGap& wanted) {
    return certify_projected(problem, beta, context, wanted, project_sparingly, certify_twice);
}

}  // namespace mercer
