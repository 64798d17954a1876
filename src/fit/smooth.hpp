// SPDX-License-Identifier: Apache-2.0
//
// src/fit/smooth.hpp - common parts of the recipes of smooth machines.
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

/// Records that the requested leave-one-out residuals are missing, and why.
void miss_leave_one_out(const RidgeSolution& solution, TrainResult& result);

/// The fields of any model that describe its rows and options, before loss and cost.
[[nodiscard]] Model describe_rows(const Dataset& data, const TrainOptions& options,
                                  const Prepared& prepared);

/// The two-class machine that the options name, solved by `solve`.
template <typename Solve>
[[nodiscard]] ClassMachine class_machine(const TrainOptions& options, const Solve& solve) {
    const Machine& machine = machine_of(options.model);
    return {options.model, machine.loss, machine.gap_tolerance, solve, {}};
}

/// The loss of the machine.
[[nodiscard]] Loss smooth_loss(const std::string& model);

/// The requested relative gap, or the machine's default if no tolerance is given.
[[nodiscard]] double asked_gap(const TrainOptions& options);

/// Copies the results of a joint solver other than the coefficients; `start` is when it began.
void keep_joint_outcome(const Solution& solution, const Prepared& prepared, double start,
                        const Context& context, TrainResult& result);

/// A machine with one problem, before it is solved.
struct PosedMachine {
    Prepared prepared;
    TrainResult result;  ///< its model is described, without a solution
    Problem problem;
};

/// The model of a machine with that loss and the requested cost, and its problem.
[[nodiscard]] PosedMachine pose_smooth(const Dataset& data, const TrainOptions& options,
                                       const Loss& loss);

/// Regressions (l2-svr, krr) and two-class classifiers that take a penalty on the coefficients.
[[nodiscard]] PosedMachine pose_machine(const Dataset& data, const TrainOptions& options);

/// Primal solvers, then those of the dual if it has a box.
[[nodiscard]] std::vector<std::string> primal_and_dual_solvers(const Problem& problem);

/// Uses solve() if the dual has a box, unless a primal solver is requested by name or the machine
/// is solved in the columns; otherwise solve_smooth().
[[nodiscard]] Solution solve_primal_or_dual(const Problem& problem, const SolveOptions& options,
                                            Context& context);

/// The rows as a dense matrix of doubles, owned by the caller.
[[nodiscard]] Buffer<double> dense_rows(const Dataset& rows, Context& context);

/// The coefficients of `run.start` for a two-class problem of all prepared rows; empty: start at zero.
[[nodiscard]] std::vector<double> smooth_start(const Prepared& prepared,
                                               const TrainOptions& options, const Model& model,
                                               const Problem& problem, Context& context);

/// The start itself as a solution after no step: the given coefficients with their best intercept,
/// or f = 0 and b = 0.
[[nodiscard]] Solution certified_start(const Problem& problem, std::vector<double> start,
                                       const Goal& goal, Context& context);

inline constexpr const char* kStartOnly = "none";  ///< the solver of a start

/// f as the log odds.
[[nodiscard]] Link log_odds();

/// Stores a solution in the result, without the coefficients.
void keep_outcome(const Prepared& prepared, const Solution& solution, TrainResult& result);

/// Stores a solution in the model.
void keep_solution(const Prepared& prepared, const Solution& solution, TrainResult& result);

}  // namespace mercer::fit
