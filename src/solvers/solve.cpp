// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/solve.cpp - the driver: run, certify, tighten, continue.
//
// A solver stops by its own rule on float32 rows. The certificate is computed in float64 from the
// coefficients. When it does not yet prove what was asked for, the solver is given the exact
// values, which is iterative refinement: its float32 updates then only move what is left to move.
#include "mercer/solvers/solve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "mercer/base/error.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/options.hpp"
#include "mercer/solvers/smo.hpp"

namespace mercer {

namespace {

constexpr double kFirstTolerance = 1e-3;
constexpr int kMaxRounds = 500;
constexpr int kPatience = 20;  // rounds without a better gap
constexpr index_t kLargestCache = index_t{1} << 30;

struct Goal {
    double gap = kNaN;
    double violation = kNaN;

    [[nodiscard]] bool met(const Certificate& certificate) const {
        return (std::isnan(gap) || relative_gap(certificate) <= gap) &&
               (std::isnan(violation) || certificate.kkt_violation <= violation);
    }
};

Goal goal_of(const SolveOptions& options) {
    for (const auto& [name, value] : {std::pair{"gap_tolerance", options.gap_tolerance},
                                      std::pair{"tolerance", options.tolerance}}) {
        if (!std::isnan(value)) {
            require_in_range(name, value, Range::positive());
        }
    }
    Goal goal{options.gap_tolerance, options.tolerance};
    if (std::isnan(goal.gap) && std::isnan(goal.violation)) {
        goal.gap = kDefaultGapTolerance;
    }
    return goal;
}

index_t cache_bytes(const SolveOptions& options, const Context& context) {
    if (options.cache_bytes > 0) {
        return options.cache_bytes;
    }
    return std::clamp<index_t>(context.memory()->left() / 2, 0, kLargestCache);
}

/// The next tolerance for the solver: tighter by what the certificate still lacks.
double tighten(double tolerance, const Goal& goal, const Certificate& certificate) {
    double factor = 0.9;
    if (!std::isnan(goal.gap) && relative_gap(certificate) > goal.gap) {
        factor = std::clamp(0.5 * goal.gap / relative_gap(certificate), 0.01, 0.5);
    }
    if (!std::isnan(goal.violation) && certificate.kkt_violation > goal.violation) {
        factor = std::min(factor, 0.9 * goal.violation / tolerance);
    }
    return tolerance * std::clamp(factor, 0.01, 0.9);
}

Solution solve_with_smo(const Problem& problem, const SolveOptions& options, Context& context) {
    const Goal goal = goal_of(options);
    const std::unique_ptr<Context> patient = Context::unstoppable(context);
    Solution out;
    out.solver = "smo";
    out.beta.assign(static_cast<std::size_t>(problem.size()), 0.0);
    SmoSolver smo(
        problem,
        {.max_iterations = options.max_iterations, .cache_bytes = cache_bytes(options, context)},
        *patient);
    if (!options.start.empty()) {
        out.beta.assign(options.start.begin(), options.start.end());
        project_onto_dual(problem, out.beta);
        smo.warm_start(out.beta, *patient);
    }
    double tolerance = std::isnan(goal.violation) ? kFirstTolerance : goal.violation;
    double best_gap = kInfinity;
    int stalled = 0;
    for (int round = 0; round < kMaxRounds; ++round) {
        const SolveStatus ended = smo.run(tolerance, context);
        out.iterations = smo.iterations();
        std::vector<double> beta(smo.beta().begin(), smo.beta().end());
        const double certify_start = context.elapsed();
        const double moved = project_onto_dual(problem, beta);
        const std::vector<double> f = decision_values(problem, beta, *patient);
        Certificate certificate = certify_values(problem, beta, f);
        certificate.dual_infeasibility = moved;
        out.certify_seconds += context.elapsed() - certify_start;
        const bool better = certificate.gap < best_gap;
        const bool met = goal.met(certificate);
        if (met || better || round == 0) {
            best_gap = certificate.gap;
            out.beta = std::move(beta);
            out.certificate = certificate;
            out.intercept = certificate.intercept;
        }
        if (met) {
            out.status = SolveStatus::converged;
            return out;
        }
        if (ended == SolveStatus::interrupted || ended == SolveStatus::iteration_limit) {
            out.status = ended;
            return out;
        }
        stalled = better ? 0 : stalled + 1;
        if (stalled >= kPatience) {
            break;
        }
        smo.reset_values(f);
        if (ended == SolveStatus::converged) {
            tolerance = tighten(tolerance, goal, certificate);
        }
    }
    out.status = SolveStatus::reduced;
    return out;
}

}  // namespace

Solution solve(const Problem& problem, const SolveOptions& options, Context& context) {
    require_well_formed(problem);
    if (!options.start.empty() && static_cast<index_t>(options.start.size()) != problem.size()) {
        throw InvalidArgument(fmt::format("start: got {} coefficients, must be {}",
                                          options.start.size(), problem.size()));
    }
    const bool box = std::holds_alternative<HingeLoss>(problem.loss);
    if (!box) {
        throw InvalidArgument(fmt::format("loss: no solver here fits '{}'", name_of(problem.loss)));
    }
    if (options.solver != "auto" && options.solver != "smo") {
        throw InvalidArgument(
            fmt::format("solver: got '{}', this machine is solved by: smo", options.solver));
    }
    return solve_with_smo(problem, options, context);
}

}  // namespace mercer
