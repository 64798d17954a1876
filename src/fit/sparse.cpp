// SPDX-License-Identifier: Apache-2.0
//
// src/fit/sparse.cpp - machines with an l1 penalty on the coefficients, alone or with 1/2 |f|^2.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "fit/smooth.hpp"
#include "mercer/base/error.hpp"
#include "mercer/fit/column_model.hpp"
#include "mercer/fit/machines.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/l1_descent.hpp"
#include "mercer/solvers/smooth.hpp"

namespace mercer::fit {

namespace {

void require_sense(const TrainOptions& options) {
    for (const auto& [name, given] : {std::pair{"start", options.run.start != nullptr},
                                      std::pair{"checkpoint", options.run.checkpoint != nullptr},
                                      std::pair{"leave_one_out", options.outputs.leave_one_out}}) {
        if (given) {
            throw InvalidArgument(
                std::string(name), "",
                fmt::format("not together with the penalty {}", options.objective.penalty));
        }
    }
    if (options.run.precision != "float64") {
        throw InvalidArgument(
            "precision", "",
            fmt::format("the penalty {} takes float64 only", options.objective.penalty));
    }
    if (is_precomputed(options.kernel)) {
        throw InvalidArgument("kernel", "",
                              fmt::format("the penalty {} keeps some rows only, and precomputed "
                                          "values know theirs by their place",
                                          options.objective.penalty));
    }
}

SolveOptions with_usual_gap(SolveOptions options, const std::string& model) {
    if (!options.gap_tolerance && !options.tolerance) {
        options.gap_tolerance = machine_of(model).gap_tolerance;
    }
    return options;
}

/// A solver of a problem with the options' penalty.
auto sparse_solver(const TrainOptions& options) {
    return [weight = l1_weight(options), rkhs = options.objective.penalty == kL1AndRkhs,
            name = options.model](const Problem& problem, const SolveOptions& asked,
                                  Context& context) {
        return solve_sparse({problem, weight, rkhs}, with_usual_gap(asked, name), context);
    };
}

/// logistic and least-squares: the penalty is on the weights of the columns.
TrainResult train_columns(const Dataset& data, const TrainOptions& options, Context& context) {
    require_no_kernel(options);
    PosedMachine posed = pose_machine(data, options);
    TrainResult result = std::move(posed.result);
    const SparseColumnProblem problem{std::move(posed.problem), l1_weight(options),
                                      options.objective.penalty == kL1AndRkhs};
    const double start = context.elapsed();
    const Solution solution = solve_sparse_columns(
        problem, with_usual_gap(solve_options(options), options.model), context);
    keep_outcome(posed.prepared, solution, result);
    keep_columns(solution.beta, result.model);
    if (is_classification(problem.risk.loss)) {
        result.model.link = log_odds();
    }
    result.weights = solution.beta;
    result.fit_seconds = context.elapsed() - start - result.certify_seconds;
    return result;
}

}  // namespace

PosedMachine pose_machine(const Dataset& data, const TrainOptions& options) {
    PosedMachine out{prepare(data, options), {}, {}};
    const Prepared& prepared = out.prepared;
    TrainResult& result = out.result;
    Loss loss = SquaredLoss{};
    double cost = kNaN;
    if (is_machine(options.model, MachineId::krr)) {
        require_finite_squares(prepared);
        const double alpha = ridge_alpha(options, prepared.total_weight);
        require_in_range("alpha", alpha, Range::positive());
        cost = 1.0 / (2.0 * alpha);
    } else if (machine_of(options.model).takes.epsilon) {
        result.tube = options.objective.epsilon.value_or(0.1);
        require_in_range("epsilon", result.tube, Range::non_negative());
        loss = SquaredEpsilonLoss{result.tube};
        cost = svc_cost(options, prepared.total_weight);
    } else {
        loss = machine_of(options.model).loss;
        if (!is_classification(loss)) {
            require_finite_squares(prepared);
        }
        cost = svc_cost(options, prepared.total_weight);
    }
    result.model = describe_smooth(data, options, prepared, loss, cost);
    result.model.epsilon = width_of(loss);
    out.problem = smooth_problem(prepared, result.model, loss);
    return out;
}

double l1_weight(const TrainOptions& options) {
    const double weight = options.objective.l1.value_or(1.0);
    require_in_range("l1", weight,
                     options.objective.penalty == kL1 ? Range::positive() : Range::non_negative());
    return weight;
}

TrainResult train_sparse(const Dataset& data, const TrainOptions& options, Context& context) {
    require_sense(options);
    TrainResult result;
    if (is_linear_machine(options.model)) {
        result = train_columns(data, options, context);
    } else if (is_classifier(options.model)) {
        result =
            train_classes(data, options, class_machine(options, sparse_solver(options)), context);
    } else {
        PosedMachine posed = pose_machine(data, options);
        result = std::move(posed.result);
        const double start = context.elapsed();
        keep_solution(posed.prepared,
                      sparse_solver(options)(posed.problem, solve_options(options), context),
                      result);
        result.fit_seconds = context.elapsed() - start - result.certify_seconds;
    }
    Model& model = result.model;
    model.penalty = options.objective.penalty;
    model.l1 = l1_weight(options);
    if (!options.run.gap_tolerance && !options.run.tolerance) {
        model.gap_tolerance = machine_of(options.model).gap_tolerance;
    }
    return result;
}

}  // namespace mercer::fit
