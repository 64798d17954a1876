// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/active_set_solver.cpp - run the active set, project, certify.
#include "solvers/active_set_solver.hpp"

#include <fmt/core.h>

#include "mercer/runtime/context.hpp"
#include "mercer/solvers/goal.hpp"
#include "solvers/active_set.hpp"

namespace mercer {

namespace {

// How far rows are placed inside the flat side of their loss, in units of the noise of f. Inside, a
// row adds its coefficient times the distance to the gap. Outside, it would add its cost times the
// error of f, which includes the rounding of kernel values and exceeds the noise of the sum.
constexpr double kSpares[] = {0.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0};

/// Certifies the coefficients of the set and stores them in `out` if their certificate is better.
void take(const Problem& problem, const ActiveSet& set, const Goal& goal, Solution& out,
          Context& context) {
    std::vector<double> beta = set.beta();
    const double start = context.elapsed();
    const double moved = project_onto_dual(problem, beta);
    Certificate certificate = certify(problem, beta, context, goal.wanted());
    certificate.dual_infeasibility = moved;
    out.certify_seconds += context.elapsed() - start;
    if (goal.prefers(certificate, out.certificate())) {
        out.adopt(std::move(beta), certificate);
    }
}

/// The start: the caller's coefficients projected onto the dual set, or zero.
std::vector<double> starting_point(const Problem& problem, const SolveOptions& options) {
    if (options.start.empty()) {
        return std::vector<double>(static_cast<std::size_t>(problem.size()), 0.0);
    }
    std::vector<double> beta(options.start.begin(), options.start.end());
    project_onto_dual(problem, beta);
    return beta;
}

/// Whether rows can be placed inside a flat side of the loss.
bool has_flat_side(const Problem& problem) {
    return !problem.has_mass() &&
           std::visit([](const auto& loss) { return loss.kFlatSide; }, problem.loss);
}

/// The status of a run that did not meet its goal.
SolveStatus status_of(ActiveSet::Ending ending, const SolveOptions& options) {
    if (ending == ActiveSet::Ending::stopped) {
        return SolveStatus::interrupted;
    }
    const bool limited = ending == ActiveSet::Ending::out_of_steps && options.max_iterations > 0;
    return limited ? SolveStatus::iteration_limit : SolveStatus::reduced;
}

}  // namespace

ActiveSetRun run_active_set(const Problem& problem, const SolveOptions& options, double work,
                            Context& context) {
    const std::unique_ptr<Context> unstoppable = Context::unstoppable(context);
    const Goal goal = goal_of(options, kDefaultGapTolerance);
    ActiveSetRun run;
    Solution& out = run.solution;
    out.solver = name_of(SolverId::active_set);
    out.beta = starting_point(problem, options);
    const MovingDual dual = fixed_dual(problem);
    ActiveSet set(dual, out.beta, 0.0, *unstoppable);
    ActiveSet::Ending ending = ActiveSet::Ending::optimal;
    const bool flat_side = has_flat_side(problem);
    for (const double spare : kSpares) {
        if (spare > 0.0 &&
            (!flat_side || ending != ActiveSet::Ending::optimal || goal.met(out.certificate()))) {
            break;
        }
        set.aim_inside(spare);
        ending = set.settle(context, options.active_set.pricing,
                            {.steps = options.max_iterations, .work = work});
        take(problem, set, goal, out, *unstoppable);
    }
    context.note(fmt::format("active set: {} steps, {} free rows, {} exchanges, {} kernel rows",
                             set.steps(), set.free_rows().size(), set.exchanges(),
                             set.columns_computed()));
    out.iterations = set.steps();
    run.settled = ending == ActiveSet::Ending::optimal;
    out.status = goal.status(out.certificate(), status_of(ending, options));
    return run;
}

Solution solve_by_active_set(const Problem& problem, const SolveOptions& options,
                             Context& context) {
    return run_active_set(problem, options, kInfinity, context).solution;
}

}  // namespace mercer
