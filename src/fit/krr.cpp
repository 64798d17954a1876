// SPDX-License-Identifier: Apache-2.0
//
// src/fit/krr.cpp - kernel ridge regression: loss (f - y)^2, K + alpha on the diagonal.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "fit/smooth.hpp"
#include "mercer/base/error.hpp"
#include "mercer/data/fingerprint.hpp"
#include "mercer/fit/machines.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/models/kernel_values.hpp"
#include "mercer/problems/problem.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/ridge.hpp"
#include "mercer/solvers/solve.hpp"

namespace mercer::fit {

namespace {

/// The model's fields that are known before the solver runs.
Model describe_machine(const Dataset& data, const TrainOptions& options, const Prepared& prepared,
                       double alpha) {
    Model model;
    model.machine = machine_of(MachineId::krr).name;
    model.kernel = prepared.kernel;
    model.columns = data.columns();
    model.scaling = prepared.scaling;
    model.has_intercept = options.objective.intercept;
    model.loss = name_of(Loss(SquaredLoss{}));
    model.cost = 1.0 / (2.0 * alpha);
    model.row_weights = !data.weights.empty();
    model.tolerance = options.run.tolerance.value_or(kNaN);
    model.gap_tolerance = asked_gap(options);
    model.solver = ridge_table().front().facts.name;
    return model;
}

/// True if the certificates meet every requested tolerance.
bool tolerances_hold(const Model& model) {
    return std::all_of(
        model.certificates.begin(), model.certificates.end(),
        [goal = goal_of(model)](const Certificate& proof) { return goal.met(proof); });
}

/// Solves, and records the status and the missing results.
void solve_into(TrainResult& result, const Prepared& prepared, const RidgeProblem& problem,
                const RidgeOptions& options, Context& context) {
    Model& model = result.model;
    RidgeSolution solution = solve_ridge(problem, options, context);
    keep_support(prepared, solution.beta, problem.target_count, model);
    model.intercepts = solution.intercepts;
    for (const Certificate& proof : solution.certificates) {
        model.certificates.push_back(with_original_row(proof, prepared));
    }
    // With alpha = 0 there is no cost to certify; the solver's own test decides.
    const bool converged =
        problem.alpha > 0.0 ? tolerances_hold(model) : solution.status == SolveStatus::converged;
    const SolveStatus ended =
        solution.status == SolveStatus::converged ? SolveStatus::reduced : solution.status;
    model.status = to_string(converged ? SolveStatus::converged : ended);
    model.solver = solution.solver;
    model.iterations = solution.iterations;
    result.iteration_bound = solution.iteration_bound;
    result.rank = solution.rank;
    result.certify_seconds = solution.certify_seconds;
    if (options.leave_one_out) {
        if (problem.alpha > 0.0) {
            miss_leave_one_out(solution, result);
        }
        result.leave_one_out = std::move(solution.leave_one_out);
    }
}

}  // namespace

/// The objective contains squares of the targets.
void require_finite_squares(const Prepared& prepared) {
    double sum = 0.0;
    for (std::size_t i = 0; i < prepared.rows.targets.size(); ++i) {
        const double target = prepared.rows.targets[i];
        sum += target * target;
        if (!std::isfinite(sum)) {
            throw DataError(fmt::format(
                "row {}: the sum of squared targets leaves double precision at {}; divide the "
                "targets",
                prepared.original(static_cast<index_t>(i)) + 1, target));
        }
    }
}

TrainResult train_krr(const Dataset& data, const TrainOptions& options, Context& context) {
    require_solver_of(options);
    require_choice("precision", options.run.precision, {"float64", "float32"});
    const Prepared prepared = prepare(data, options);
    if (is_precomputed(prepared.kernel)) {
        require_kernel_values(data, context);
    }
    require_finite_squares(prepared);
    RidgeProblem problem;
    problem.gram = make_gram(prepared.kernel, prepared.rows);
    problem.targets = prepared.rows.targets;
    problem.weights = prepared.rows.weights;
    problem.alpha = ridge_alpha(options, prepared.total_weight);
    problem.intercept = options.objective.intercept;

    TrainResult result;
    result.model = describe_machine(data, options, prepared, problem.alpha);
    result.model.fingerprint = fingerprint_of(data);
    const double start = context.elapsed();
    RidgeOptions wanted;
    wanted.solver = equation_solver(prepared, options, context);
    wanted.precision = options.run.precision == "float32" ? Precision::float32 : Precision::float64;
    wanted.leave_one_out = options.outputs.leave_one_out;
    wanted.max_iterations = options.run.max_iterations;
    wanted.proof = {.relative = result.model.gap_tolerance};
    solve_into(result, prepared, problem, wanted, context);
    result.fit_seconds = context.elapsed() - start - result.certify_seconds;
    return result;
}

}  // namespace mercer::fit
