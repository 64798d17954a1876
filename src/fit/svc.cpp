// SPDX-License-Identifier: Apache-2.0
//
// src/fit/svc.cpp - the support vector classifier: hinge loss, two classes, costs C w_class w_row.
#include <fmt/format.h>

#include <cmath>

#include "fit/recipe.hpp"
#include "mercer/base/error.hpp"
#include "mercer/models/model_file.hpp"
#include "mercer/problems/problem.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/solve.hpp"

namespace mercer::fit {

namespace {

/// Targets -1 for the first class and +1 for the second, and each row's cost.
Problem make_problem(const Prepared& prepared, const Model& model) {
    Problem problem;
    problem.kernel = prepared.kernel;
    problem.rows = prepared.rows;
    problem.intercept = model.has_intercept;
    double class_weight[2] = {1.0, 1.0};
    for (std::size_t k = 0; k < 2; ++k) {
        const auto found = model.class_weights.find(model.labels[k]);
        class_weight[k] = found == model.class_weights.end() ? 1.0 : found->second;
    }
    for (index_t i = 0; i < prepared.rows.rows(); ++i) {
        const std::size_t k = prepared.rows.targets[static_cast<std::size_t>(i)] == 1.0 ? 1 : 0;
        const double cost = model.cost * class_weight[k] * prepared.weight(i);
        if (!std::isfinite(cost)) {
            throw InvalidArgument(fmt::format("cost: row {} has C * weight = {}, must be finite",
                                              prepared.original(i) + 1, cost));
        }
        problem.targets.push_back(k == 1 ? 1.0 : -1.0);
        problem.costs.push_back(cost);
    }
    return problem;
}

index_t count_bounded(const Problem& problem, std::span<const double> beta) {
    index_t bounded = 0;
    for (index_t i = 0; i < problem.size(); ++i) {
        const double value = beta[static_cast<std::size_t>(i)];
        const Interval box = dual_box(problem, i);
        bounded += static_cast<index_t>(value != 0.0 && (value <= box.lower || value >= box.upper));
    }
    return bounded;
}

/// What the model is told before the solver runs.
Model describe_machine(const Dataset& data, const TrainOptions& options, const Prepared& prepared) {
    Model model;
    model.machine = "svc";
    model.kernel = prepared.kernel;
    model.columns = data.columns();
    model.labels = data.label_names;
    model.scaling = prepared.scaling;
    model.has_intercept = options.intercept;
    model.loss = name_of(Loss(HingeLoss{}));
    model.cost = svc_cost(options, prepared.total_weight);
    model.class_weights = named_class_weights(options, data.label_names);
    model.row_weights = !data.weights.empty();
    model.tolerance = options.tolerance;
    model.gap_tolerance = std::isnan(options.gap_tolerance) && std::isnan(options.tolerance)
                              ? kDefaultGapTolerance
                              : options.gap_tolerance;
    return model;
}

}  // namespace

TrainResult train_svc(const Dataset& data, const TrainOptions& options, Context& context) {
    const Prepared prepared = prepare(data, options);
    TrainResult result;
    Model& model = result.model;
    model = describe_machine(data, options, prepared);
    model.fingerprint = fingerprint_of(data);
    const Problem problem = make_problem(prepared, model);

    SolveOptions wanted;
    wanted.gap_tolerance = options.gap_tolerance;
    wanted.tolerance = options.tolerance;
    wanted.max_iterations = options.max_iterations;
    wanted.solver = options.solver;
    const double start = context.elapsed();
    const Solution solution = solve(problem, wanted, context);
    result.fit_seconds = context.elapsed() - start - solution.certify_seconds;
    result.certify_seconds = solution.certify_seconds;

    keep_support(prepared, solution.beta, 1, model);
    model.intercepts = {solution.intercept};
    model.certificates = {with_original_row(solution.certificate, prepared)};
    model.status = to_string(solution.status);
    model.solver = solution.solver;
    model.iterations = solution.iterations;
    result.bounded_support = count_bounded(problem, solution.beta);
    return result;
}

}  // namespace mercer::fit
