// SPDX-License-Identifier: Apache-2.0
//
// src/fit/smooth.hpp - what the recipes of smooth machines share.
#pragma once

#include <algorithm>
#include <string>

#include "fit/recipe.hpp"
#include "mercer/fit/machine_problem.hpp"
#include "mercer/fit/machines.hpp"
#include "mercer/problems/problem.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/ridge.hpp"
#include "mercer/solvers/solve.hpp"

namespace mercer::fit {

/// Says that the residuals of rows left out, which were asked for, are not there, and why not.
void miss_leave_one_out(const RidgeSolution& solution, TrainResult& result);

/// What the model of any machine is told of its rows and options, before loss and cost.
[[nodiscard]] Model describe_rows(const Dataset& data, const TrainOptions& options,
                                  const Prepared& prepared);

/// The machine of two classes that the options name, solved by `solve`.
template <typename Solve>
[[nodiscard]] ClassMachine class_machine(const TrainOptions& options, const Solve& solve) {
    const Machine& machine = machine_of(options.model);
    return {options.model, machine.loss, machine.gap_tolerance, solve, {}};
}

/// The loss of the machine.
[[nodiscard]] Loss smooth_loss(const std::string& model);

/// The certified gap that is asked for, or the machine's own when neither tolerance is given.
[[nodiscard]] double asked_gap(const TrainOptions& options);

/// What a solver of one joint problem says beside the coefficients, since `start`.
template <typename JointSolution>
void keep_joint_outcome(const JointSolution& solution, const Prepared& prepared, double start,
                        const Context& context, TrainResult& result) {
    Model& model = result.model;
    model.certificates = {with_original_row(solution.certificate, prepared)};
    model.status = to_string(solution.status);
    model.solver = solution.solver;
    model.iterations = solution.iterations;
    result.certify_seconds = solution.certify_seconds;
    result.fit_seconds = std::max(0.0, context.elapsed() - start - result.certify_seconds);
}

/// A machine with one problem, before it is solved.
struct PosedMachine {
    Prepared prepared;
    TrainResult result;  ///< its model is described, without a solution
    Problem problem;
};

/// The model of a machine with that loss and the cost that is asked for, and its problem.
[[nodiscard]] PosedMachine pose_smooth(const Dataset& data, const TrainOptions& options,
                                       const Loss& loss);

/// Regressions (l2-svr, krr) and classifiers of two classes that take a penalty on coefficients.
[[nodiscard]] PosedMachine pose_machine(const Dataset& data, const TrainOptions& options);

/// Solvers of the primal, then those of the dual where it is a box.
[[nodiscard]] std::vector<std::string> primal_and_dual_solvers(const Problem& problem);

/// solve() in the dual where that is a box, unless a solver of the primal is asked for by name or
/// the machine is solved in the columns; solve_smooth() else.
[[nodiscard]] Solution solve_primal_or_dual(const Problem& problem, const SolveOptions& options,
                                            Context& context);

/// The rows as a dense matrix of doubles the caller keeps.
[[nodiscard]] Buffer<double> dense_rows(const Dataset& rows, Context& context);

/// f as the log of the odds.
[[nodiscard]] Link log_odds();

/// What a solver says of its solution, without the coefficients.
void keep_outcome(const Prepared& prepared, const Solution& solution, TrainResult& result);

/// Moves a solution into the model.
void keep_solution(const Prepared& prepared, const Solution& solution, TrainResult& result);

}  // namespace mercer::fit
