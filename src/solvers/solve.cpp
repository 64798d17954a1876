// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/solve.cpp - chooses the solver of a kernel dual and, if needed, a rescue strategy.
#include "mercer/solvers/solve.hpp"

#include <fmt/format.h>

#include <utility>

#include "mercer/base/error.hpp"
#include "mercer/runtime/state_keeper.hpp"
#include "mercer/solvers/goal.hpp"
#include "solvers/choose.hpp"
#include "solvers/find_solver.hpp"
#include "solvers/kernel_solvers.hpp"
#include "solvers/polish.hpp"
#include "solvers/precise_interior_point.hpp"
#include "solvers/rescue.hpp"

namespace mercer {

namespace {

/// A solver, and why it was chosen.
struct Chosen {
    const KernelSolver* row = nullptr;
    bool registered = false;  ///< added by the caller
    std::string reason = "asked for";
};

/// The reason for the choice of `auto`.
std::string reason_for(const Problem& problem, const std::vector<ExpectedTime>& times) {
    if (times.size() == 1) {
        return fmt::format("auto: the only solver for the {} loss{}", name_of(problem.loss),
                           problem.has_mass() ? " with a free width" : "");
    }
    std::string text = "auto: expected times for typical data of this size:";
    for (std::size_t k = 0; k < times.size(); ++k) {
        text += fmt::format("{} {} {:.2g} s", k == 0 ? "" : ",", times[k].solver, times[k].seconds);
    }
    return text;
}

/// The solvers that have the capabilities that the options need.
std::vector<const KernelSolver*> able(const std::vector<const KernelSolver*>& rows,
                                      const SolveOptions& options) {
    std::vector<const KernelSolver*> out;
    for (const KernelSolver* row : rows) {
        if ((options.keeper == nullptr || row->facts.can.checkpoint) &&
            (options.start.empty() || row->facts.can.warm_start)) {
            out.push_back(row);
        }
    }
    return out;
}

Chosen choose(const Problem& problem, const SolveOptions& options) {
    if (const KernelSolver* own = registered_solver(problem, options)) {
        return {.row = own, .registered = true};
    }
    const std::vector<const KernelSolver*> rows = kernel_solvers(problem, SolverForm::box_dual);
    if (rows.empty()) {
        throw InvalidArgument(fmt::format("loss: no solver fits '{}'", name_of(problem.loss)));
    }
    if (options.solver.is_automatic()) {
        const std::vector<ExpectedTime> times =
            expected_times(able(rows, options), size_of(problem, options.coordinates.working_set));
        return {.row = find_solver(rows, times[cheapest(times)].solver),
                .reason = reason_for(problem, times)};
    }
    if (const KernelSolver* row = find_solver(rows, options.solver)) {
        return {.row = row};
    }
    std::vector<std::string> known = names_of(rows);
    for (std::string& name : registered_names(problem, options)) {
        known.push_back(std::move(name));
    }
    refuse_solver(options.solver, known);
}

Solution run(const Chosen& chosen, const Problem& problem, const SolveOptions& options,
             Context& context) {
    if (chosen.row->make) {
        return solve_in_stages(*chosen.row, problem, options, chosen.reason, context);
    }
    return chosen.registered ? solve_registered(*chosen.row, problem, options, context)
                             : chosen.row->solve(problem, options, context);
}

}  // namespace

void require_start(const SolveOptions& options, index_t size) {
    if (!options.start.empty() && static_cast<index_t>(options.start.size()) != size) {
        throw InvalidArgument(
            fmt::format("start: got {} coefficients, must be {}", options.start.size(), size));
    }
}

Solution solve_in_doubles(const Problem& problem, const SolveOptions& options, Context& context) {
    if (const std::optional<double> divisor = divisor_for(problem)) {
        return solve_divided(problem, options, *divisor, context);
    }
    require_start(options, problem.size());
    const Chosen chosen = choose(problem, options);
    SolveOptions wanted = options;
    std::vector<double> start;
    const bool goes_on = options.keeper != nullptr && !options.keeper->saved().empty();
    if (problem.has_mass() && options.start.empty() && !goes_on) {
        start = feasible_start(problem);
        if (start.empty()) {
            // The solution for tube width 0 tells on which side each row is. If its sum |beta| is
            // within the mass, it solves the problem; otherwise its coefficients are scaled to the
            // mass.
            Solution closed = solve_closed(problem, options, context);
            if (carries_less(closed, problem)) {
                return closed;
            }
            start = scaled_to_sum(std::move(closed.beta), problem.mass);
        }
        wanted.start = start;
    }
    Solution out = run(chosen, problem, wanted, context);
    const bool stuck = out.status == SolveStatus::reduced ||
                       (out.status == SolveStatus::iteration_limit && options.max_iterations == 0);
    if (stuck && may_close(problem) && out.certificate().width != 0.0) {
        // If the targets need less than the mass (constant targets), no optimum satisfies the
        // constraint.
        Solution closed = solve_closed(problem, options, context);
        if (carries_less(closed, problem) &&
            goal_of(options, kDefaultGapTolerance)
                .prefers(closed.certificate(), out.certificate())) {
            return closed;
        }
    }
    polish_as_asked(problem, options, out, context);
    return out;
}

Solution solve(const Problem& problem, const SolveOptions& options, Context& context) {
    require_well_formed(problem);
    Solution out = solve_in_doubles(problem, options, context);
    finish_precisely(problem, options, kDefaultGapTolerance, out, context);
    return out;
}

std::vector<std::string> solvers_for(const Problem& problem) {
    return names_of(kernel_solvers(problem, SolverForm::box_dual));
}

}  // namespace mercer
