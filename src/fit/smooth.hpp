// SPDX-License-Identifier: Apache-2.0
//
// src/fit/smooth.hpp - what the recipes of smooth machines share.
#pragma once

#include <string>

#include "fit/recipe.hpp"
#include "mercer/fit/machine_problem.hpp"
#include "mercer/problems/problem.hpp"
#include "mercer/solvers/solve.hpp"

namespace mercer::fit {

/// The loss of the machine.
[[nodiscard]] Loss smooth_loss(const std::string& model);

/// The certified gap that is asked for, or the machine's own when neither tolerance is given.
[[nodiscard]] double asked_gap(const TrainOptions& options);

/// A machine with one problem, before it is solved.
struct PosedMachine {
    Prepared prepared;
    TrainResult result;  ///< its model is described, without a solution
    Problem problem;
};

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
