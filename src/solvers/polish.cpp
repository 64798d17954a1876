// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/polish.cpp - polishing by the active set method.
#include "solvers/polish.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/goal.hpp"
#include "mercer/solvers/solver_id.hpp"
#include "solvers/active_set_solver.hpp"

namespace mercer {

namespace {

// The relative gap of an answer that is exact up to rounding.
constexpr double kPolishedGap = 1e-12;

/// Bytes of the columns of K of the free rows and of their factor, including their spare capacity.
double bytes_of_free(const Problem& problem, std::span<const double> beta) {
    double free = 0.0;
    for (index_t i = 0; i < problem.size(); ++i) {
        const Interval box = dual_box(problem, i);
        const double b = beta[static_cast<std::size_t>(i)];
        free += b > box.lower && b < box.upper && b != 0.0 ? 1.0 : 0.0;
    }
    return 16.0 * free * (static_cast<double>(problem.size()) + free);
}

/// Runs the active set from `out`; true when it settled, was stopped or met the goal.
bool go_on(const Problem& problem, const SolveOptions& options, double work, Solution& out,
           Context& context) {
    SolveOptions wanted = options;
    wanted.start = out.beta;
    wanted.max_iterations = 0;
    ActiveSetRun run = run_active_set(problem, wanted, work, context);
    out.certify_seconds += run.solution.certify_seconds;
    out.iterations += run.solution.iterations;
    const Goal goal = goal_of(options, kDefaultGapTolerance);
    if (goal.prefers(run.solution.certificate(), out.certificate())) {
        out.adopt(std::move(run.solution.beta), run.solution.certificate());
    }
    const bool stopped = run.solution.status == SolveStatus::interrupted;
    const SolveStatus ended = stopped       ? SolveStatus::interrupted
                              : run.settled ? SolveStatus::reduced
                                            : out.status;
    out.status = goal.status(out.certificate(), ended);
    return run.settled || stopped || out.status == SolveStatus::converged;
}

}  // namespace

bool polish(const Problem& problem, const SolveOptions& options, double work, Solution& out,
            Context& context) {
    if (out.status == SolveStatus::interrupted || !has_box_dual(problem.loss) ||
        bytes_of_free(problem, out.beta) > static_cast<double>(context.memory()->left())) {
        return false;
    }
    const double before = computed_gap(out.certificate());
    try {
        return go_on(problem, options, work, out, context) &&
               computed_gap(out.certificate()) < before;
    } catch (const ResourceError&) {  // the solver's answer remains
        return false;
    }
}

void polish_as_asked(const Problem& problem, const SolveOptions& options, Solution& out,
                     Context& context) {
    if (!options.active_set.polish || out.status == SolveStatus::interrupted) {
        return;
    }
    if (problem.has_mass() && out.certificate().width == 0.0) {
        return;  // the tube width is 0: a different problem, without the mass
    }
    if (!has_box_dual(problem.loss)) {
        throw InvalidArgument(
            fmt::format("polish: the dual of the {} loss has no box, so there is no active set",
                        name_of(problem.loss)));
    }
    const Goal goal = goal_of(options, kDefaultGapTolerance);
    const SolveStatus before = out.status;
    if (out.solver != name_of(SolverId::active_set) &&
        go_on(problem, options, kInfinity, out, context) && before == SolveStatus::converged &&
        out.status == SolveStatus::reduced) {
        out.status = before;  // only the solver's point meets the KKT tolerance
    }
    prove_closely(problem, goal.unit, out, context);
}

void prove_closely(const Problem& problem, double unit, Solution& out, Context& context) {
    if (out.certificate().gap <=
        kPolishedGap * std::max(unit, std::abs(out.certificate().primal))) {
        return;
    }
    const double start = context.elapsed();
    std::vector<double> beta = out.beta;
    Certificate closer = certify(problem, beta, *Context::unstoppable(context),
                                 {.relative = kPolishedGap, .unit = unit});
    if (closer.gap < out.certificate().gap) {
        closer.dual_infeasibility = out.certificate().dual_infeasibility;
        out.adopt(std::move(beta), closer);
    }
    out.certify_seconds += context.elapsed() - start;
}

}  // namespace mercer
