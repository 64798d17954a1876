// SPDX-License-Identifier: Apache-2.0
//
// src/fit/klr.cpp - two classes and a smooth loss: logistic, squared hinge, modified Huber,
// squares.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fit/smooth.hpp"
#include "mercer/base/checked.hpp"
#include "mercer/base/error.hpp"
#include "mercer/fit/machines.hpp"
#include "mercer/losses/logistic.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/state_keeper.hpp"
#include "mercer/solvers/kernel_newton.hpp"
#include "mercer/solvers/registry.hpp"
#include "mercer/solvers/ridge.hpp"
#include "mercer/solvers/smooth.hpp"

namespace mercer::fit {

Loss smooth_loss(const std::string& model) { return machine_of(model).loss; }

std::vector<std::string> primal_and_dual_solvers(const Problem& problem) {
    std::vector<std::string> names = smooth_solvers(problem.loss);
    if (has_box_dual(problem.loss)) {
        const std::vector<std::string> dual = solvers_for(problem);
        names.insert(names.end(), dual.begin(), dual.end());
    }
    return names;
}

namespace {

std::span<const KernelSolver> registered(const SolveOptions& options) {
    return options.registry == nullptr ? std::span<const KernelSolver>{}
                                       : options.registry->solvers();
}

}  // namespace

Solution solve_primal_or_dual(const Problem& problem, const SolveOptions& options,
                              Context& context) {
    const std::vector<std::string> smooth = smooth_solvers(problem.loss);
    const bool named =
        std::find(smooth.begin(), smooth.end(), options.solver.name()) != smooth.end();
    const bool goes_on = options.keeper != nullptr && !options.keeper->saved().empty();
    const bool columns =
        options.solver.is_automatic() && !goes_on && solved_in_columns(problem, context);
    if (named || columns || !has_box_dual(problem.loss)) {
        Solution out = solve_smooth(problem, options, context);
        if (columns) {  // by default the column solver aims higher than the dual
            out.status = mercer::goal_of(options, kDefaultGapTolerance)
                             .status(out.certificate(), out.status);
        }
        return out;
    }
    std::vector<std::string> known = primal_and_dual_solvers(problem);
    for (const KernelSolver& own : registered(options)) {
        known.push_back(own.facts.name);
    }
    if (!options.solver.is_automatic() &&
        std::find(known.begin(), known.end(), options.solver.name()) == known.end()) {
        throw InvalidArgument("solver", fmt::format("'{}'", options.solver.name()),
                              fmt::format("this machine is solved by: {}", fmt::join(known, ", ")));
    }
    return solve(problem, options, context);
}

namespace {

/// Multiclass problems and learned links are handled by the common classifier code.
bool goes_by_pairs(const Dataset& data, const TrainOptions& options) {
    const bool link = options.outputs.probability && !machine_of(options.model).has_own_link();
    if (data.label_names.size() <= 2 && !link) {
        return false;
    }
    if (options.outputs.leave_one_out) {
        throw InvalidArgument("leave_one_out", "",
                              "of classifiers with two classes and no link only");
    }
    return true;
}

/// 1/2 c (f - y)^2 adds 1/c to the diagonal: a ridge with alpha = 1/C and the rows' weights.
RidgeProblem ridge_of(const Problem& problem, double cost) {
    RidgeProblem ridge;
    ridge.gram = problem.gram;
    ridge.targets = problem.targets;
    ridge.alpha = 1.0 / cost;
    ridge.intercept = problem.intercept;
    for (const double c : problem.costs) {
        ridge.weights.push_back(c / cost);
    }
    return ridge;
}

Solution solution_of(const RidgeSolution& solved, const Goal& goal) {
    Solution solution = static_cast<const Solution&>(solved);
    solution.status = goal.status(solution.certificate(), solved.status == SolveStatus::interrupted
                                                              ? SolveStatus::interrupted
                                                              : SolveStatus::reduced);
    return solution;
}

/// Leave-one-out losses of the rows of a solution.
void leave_rows_out(const Problem& problem, const Solution& solution, TrainResult& result,
                    Context& context) {
    std::vector<double> z;
    try {
        z = approximate_leave_one_out(problem, solution.beta, solution.intercept(), context);
    } catch (const Interrupted&) {
        note_stopped(result, kNoLeaveOneOut);
        return;
    }
    if (z.empty()) {
        result.missing.emplace_back(kNoLeaveOneOutFactor);
    }
    for (std::size_t i = 0; i < z.size(); ++i) {
        result.leave_one_out_loss.push_back(std::visit(
            [&](const auto& kind) { return kind.value(problem.targets[i], z[i]); }, problem.loss));
        result.leave_one_out_wrong += (z[i] >= 0.0) != (problem.targets[i] > 0.0) ? 1 : 0;
    }
}

/// True if a factorisation of K fits into the remaining memory with some reserve, or none is
/// needed.
bool factor_fits(const Problem& problem, Context& context) {
    constexpr index_t kRoom = index_t{16} << 20;
    const index_t n = problem.size();
    Problem form;
    form.gram = problem.gram;
    form.loss = SquaredLoss{};
    return checked_multiply(9 * n, n) + kRoom <= context.memory()->left() ||
           solved_in_columns(form, context);
}

/// Solves a two-class ls-svc for a multiclass model.
Solution solve_squares(const Problem& problem, const SolveOptions& wanted, Context& context) {
    const double cost = *std::max_element(problem.costs.begin(), problem.costs.end());
    const SolverId solver =
        factor_fits(problem, context) ? SolverId::automatic : SolverId::conjugate_gradient;
    const Goal goal = mercer::goal_of(wanted, kSmoothGapTolerance);
    return solution_of(
        solve_ridge(ridge_of(problem, cost), {.solver = solver, .proof = goal.wanted()}, context),
        goal);
}

}  // namespace

TrainResult train_smooth_classifier(const Dataset& data, const TrainOptions& options,
                                    Context& context) {
    if (goes_by_pairs(data, options)) {
        if (data.label_names.size() > 2 && chosen_multiclass(options) == kSoftmax) {
            return train_softmax(data, options, context);
        }
        return train_classes(data, options,
                             {options.model,
                              smooth_loss(options.model),
                              kSmoothGapTolerance,
                              solve_primal_or_dual,
                              {}},
                             context);
    }
    const Prepared prepared = prepare(data, options);
    const Loss loss = smooth_loss(options.model);
    TrainResult result;
    result.model =
        describe_smooth(data, options, prepared, loss, svc_cost(options, prepared.total_weight));
    const Problem problem = smooth_problem(prepared, result.model, loss);
    SolveOptions wanted = solve_options(options);
    wanted.gap_tolerance = given(result.model.gap_tolerance);
    const double start = context.elapsed();
    const std::vector<double> beta =
        smooth_start(prepared, options, result.model, problem, context);
    wanted.start = beta;
    const Solution solution = options.run.start_only
                                  ? certified_start(problem, beta, goal_of(result.model), context)
                                  : solve_primal_or_dual(problem, wanted, context);
    keep_solution(prepared, solution, result);
    if (machine_of(options.model).has_own_link()) {
        result.model.link = {"sigmoid", {-1.0}, {0.0}};  // f is the log odds
    }
    if (options.outputs.leave_one_out) {
        leave_rows_out(problem, solution, result, context);
    }
    result.fit_seconds = context.elapsed() - start - result.certify_seconds;
    return result;
}

TrainResult train_ls_svc(const Dataset& data, const TrainOptions& options, Context& context) {
    const Machine& machine = machine_of(MachineId::ls_svc);
    require_solver_of(options);
    if (goes_by_pairs(data, options)) {
        return train_classes(data, options,
                             {machine.name, machine.loss, machine.gap_tolerance, solve_squares, {}},
                             context);
    }
    auto [prepared, result, problem] = pose_smooth(data, options, HalfSquaredLoss{});
    Model& model = result.model;
    const double start = context.elapsed();
    const RidgeSolution solved = solve_ridge(ridge_of(problem, model.cost),
                                             {.solver = equation_solver(prepared, options, context),
                                              .leave_one_out = options.outputs.leave_one_out,
                                              .proof = goal_of(model).wanted()},
                                             context);
    const Solution solution = solution_of(solved, goal_of(model));
    keep_solution(prepared, solution, result);
    if (options.outputs.leave_one_out) {
        miss_leave_one_out(solved, result);
    }
    for (std::size_t i = 0; i < solved.leave_one_out.size(); ++i) {
        const double z = problem.targets[i] - solved.leave_one_out[i];
        result.leave_one_out_loss.push_back(HalfSquaredLoss().value(problem.targets[i], z));
        result.leave_one_out_wrong += (z >= 0.0) != (problem.targets[i] > 0.0) ? 1 : 0;
    }
    result.fit_seconds = context.elapsed() - start - result.certify_seconds;
    return result;
}

}  // namespace mercer::fit
