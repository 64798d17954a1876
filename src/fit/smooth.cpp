// SPDX-License-Identifier: Apache-2.0
//
// src/fit/smooth.cpp - from prepared rows to a problem, and from a solution to a model.
#include "fit/smooth.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "fit/start.hpp"
#include "mercer/base/checked.hpp"
#include "mercer/base/error.hpp"
#include "mercer/data/fingerprint.hpp"
#include "mercer/fit/machines.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/smooth.hpp"

namespace mercer::fit {

Model describe_rows(const Dataset& data, const TrainOptions& options, const Prepared& prepared) {
    Model model;
    model.machine = options.model;
    model.kernel = prepared.kernel;
    model.columns = data.columns();
    model.labels = data.label_names;
    model.scaling = prepared.scaling;
    model.has_intercept = options.objective.intercept;
    model.row_weights = !data.weights.empty();
    model.tolerance = options.run.tolerance.value_or(kNaN);
    model.fingerprint = fingerprint_of(data);
    return model;
}

Model describe_smooth(const Dataset& data, const TrainOptions& options, const Prepared& prepared,
                      const Loss& loss, double cost) {
    Model model = describe_rows(data, options, prepared);
    model.loss = name_of(loss);
    model.cost = cost;
    model.class_weights = named_class_weights(options, data.label_names);
    model.gap_tolerance = asked_gap(options);
    return model;
}

PosedMachine pose_smooth(const Dataset& data, const TrainOptions& options, const Loss& loss) {
    PosedMachine out{prepare(data, options), {}, {}};
    out.result.model = describe_smooth(data, options, out.prepared, loss,
                                       svc_cost(options, out.prepared.total_weight));
    out.problem = smooth_problem(out.prepared, out.result.model, loss);
    out.problem.gram = gram_of(out.prepared, options);
    return out;
}

double asked_gap(const TrainOptions& options) {
    return !options.run.gap_tolerance && !options.run.tolerance
               ? machine_of(options.model).gap_tolerance
               : options.run.gap_tolerance.value_or(kNaN);
}

Problem smooth_problem(const Prepared& prepared, const Model& model, const Loss& loss) {
    Problem problem;
    problem.gram = make_gram(prepared.kernel, prepared.rows);
    problem.intercept = model.has_intercept;
    problem.loss = loss;
    for (index_t i = 0; i < prepared.rows.rows(); ++i) {
        const double target = prepared.rows.targets[static_cast<std::size_t>(i)];
        double cost = model.cost * prepared.weight(i);
        if (model.labels.empty()) {
            problem.targets.push_back(target);
        } else {
            const std::string& label = model.labels[static_cast<std::size_t>(target)];
            const auto found = model.class_weights.find(label);
            cost *= found == model.class_weights.end() ? 1.0 : found->second;
            problem.targets.push_back(target == 1.0 ? 1.0 : -1.0);
        }
        if (!std::isfinite(cost)) {
            throw InvalidArgument("cost", "",
                                  fmt::format("row {} has C * weight = {}, must be finite",
                                              prepared.original(i) + 1, cost));
        }
        problem.costs.push_back(cost);
    }
    return problem;
}

Buffer<double> dense_rows(const Dataset& rows, Context& context) {
    Buffer<double> out = context.allocate<double>(checked_multiply(rows.rows(), rows.columns()),
                                                  "the rows as a matrix");
    const auto width = static_cast<std::size_t>(rows.columns());
    for (index_t i = 0; i < rows.rows(); ++i) {
        rows.copy_row(i, std::span<double>(out.data() + i * rows.columns(), width));
    }
    return out;
}

void note_stopped(TrainResult& result, std::string what) {
    result.missing.push_back(std::move(what));
    if (result.model.status == to_string(SolveStatus::converged)) {
        result.model.status = to_string(SolveStatus::interrupted);
    }
}

void miss_leave_one_out(const RidgeSolution& solution, TrainResult& result) {
    if (!solution.leave_one_out.empty()) {
        return;
    }
    if (solution.status == SolveStatus::interrupted) {
        note_stopped(result, kNoLeaveOneOut);
    } else {
        result.missing.emplace_back(kNoLeaveOneOutFactor);
    }
}

std::vector<double> smooth_start(const Prepared& prepared, const TrainOptions& options,
                                 const Model& model, const Problem& problem, Context& context) {
    if (options.run.start == nullptr) {
        return {};
    }
    return start_coefficients(*options.run.start, prepared, {model.labels[1], model.labels[0]},
                              {problem, {}}, context);
}

Solution certified_start(const Problem& problem, std::vector<double> start, const Goal& goal,
                         Context& context) {
    Problem judged = problem;
    if (start.empty()) {
        start.assign(problem.costs.size(), 0.0);
        judged.intercept = false;  // b = 0; beta = 0 is feasible with an intercept, too
    }
    Solution out;
    const Certificate proof = certify(judged, start, *Context::unstoppable(context), goal.wanted());
    out.adopt(std::move(start), proof);
    out.status = goal.status(proof, SolveStatus::iteration_limit);
    out.solver = kStartOnly;
    return out;
}

Link log_odds() { return {"sigmoid", {-1.0}, {0.0}}; }

void keep_joint_outcome(const Solution& solution, const Prepared& prepared, double start,
                        const Context& context, TrainResult& result) {
    Model& model = result.model;
    model.certificates = {with_original_row(solution.certificate(), prepared)};
    model.status = to_string(solution.status);
    model.solver = solution.solver;
    model.iterations = solution.iterations;
    result.certify_seconds = solution.certify_seconds;
    result.fit_seconds = std::max(0.0, context.elapsed() - start - result.certify_seconds);
}

void keep_solution(const Prepared& prepared, const Solution& solution, TrainResult& result) {
    keep_support(prepared, solution.beta, 1, result.model);
    keep_outcome(prepared, solution, result);
}

void keep_outcome(const Prepared& prepared, const Solution& solution, TrainResult& result) {
    Model& model = result.model;
    model.intercepts = {solution.intercept()};
    model.certificates = {with_original_row(solution.certificate(), prepared)};
    model.status = to_string(solution.status);
    model.solver = solution.solver;
    model.iterations = solution.iterations;
    result.certify_seconds = solution.certify_seconds;
}

}  // namespace mercer::fit
