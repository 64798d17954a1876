// SPDX-License-Identifier: Apache-2.0
//
// src/fit/perceptron.cpp - the perceptron as a machine, with its mistakes and their bound.
#include "mercer/solvers/perceptron.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "fit/recipe.hpp"
#include "fit/smooth.hpp"
#include "mercer/base/error.hpp"
#include "mercer/data/fingerprint.hpp"
#include "mercer/fit/machines.hpp"
#include "mercer/losses/disagreement.hpp"
#include "mercer/operators/gram_kinds.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer::fit {

namespace {

// For up to this many rows the hard margin is computed after a run that separated them. 8,000 rows
// of two moons, noise 0.05, rbf(gamma=4): 0.02 s for the run, 0.11 s with the margin.
constexpr index_t kBoundRows = 10'000;
constexpr double kBoundGap = 1e-8;
constexpr double kLargestGap = 1e-6;  // B is not reported above this gap

/// Throws for options that a perceptron does not support.
void require_plain_rows(const Dataset& data, const TrainOptions& options) {
    if (options.outputs.leave_one_out) {
        throw InvalidArgument("leave_one_out", "",
                              "krr, klr and ls-svc have it, a perceptron has not");
    }
    for (std::size_t i = 0; i < data.weights.size(); ++i) {
        if (data.weights[i] != 0.0 && data.weights[i] != 1.0) {
            throw InvalidArgument("weights", "",
                                  fmt::format("row {} has {}, must be 0 or 1: a perceptron "
                                              "corrects by y x, whatever the row weighs",
                                              i + 1, data.weights[i]));
        }
    }
    require_solver_of(options);
}

Model describe(const Dataset& data, const TrainOptions& options, const Prepared& prepared) {
    Model model = describe_rows(data, options, prepared);
    model.loss = DisagreementLoss::kName;
    model.gap_tolerance = options.run.gap_tolerance.value_or(kNaN);  // 0 mistakes meet any
    return model;
}

Problem two_class_problem(const Prepared& prepared, bool intercept) {
    Problem problem;
    problem.gram = make_gram(prepared.kernel, prepared.rows);
    problem.intercept = intercept;
    for (const double target : prepared.rows.targets) {
        problem.targets.push_back(target == 1.0 ? 1.0 : -1.0);
    }
    problem.costs.assign(problem.targets.size(), 1.0);
    return problem;
}

/// The reason why B is not computed; empty if it is.
std::string reason_against(const PerceptronRun& run, const TrainOptions& options,
                           const Problem& problem, Context& context) {
    if (!problem.gram->is_definite()) {
        return "the kernel is not known to be positive definite";
    }
    if (options.perceptron.bound == "never") {
        return "--bound never";
    }
    if (context.should_stop()) {
        return "the run was stopped";
    }
    if (options.perceptron.bound == "always") {
        return "";
    }
    if (run.status != SolveStatus::converged) {
        return "the run did not separate the classes; --bound always looks for a margin";
    }
    if (problem.size() > kBoundRows) {
        return fmt::format("more than {} rows; --bound always computes it", kBoundRows);
    }
    return "";
}

/// B, and the products y <w*, x'> of the rows, scaled to a minimum of 1.
std::vector<double> find_margin(const Problem& problem, MistakeBound& out, Context& context) {
    Problem embedded = problem;
    if (problem.intercept) {
        const GramOrigin origin = problem.gram->origin();
        embedded.gram = make_gram(embedded_kernel(origin.kernel), origin.rows);
        embedded.intercept = false;
    }
    SolveOptions wanted;
    wanted.gap_tolerance = kBoundGap;
    Solution solution;
    try {
        solution = solve_hard_margin(embedded, wanted, context);
    } catch (const DataError&) {
        out.reason = "no margin was found: the classes are not separable, or by too little";
        return {};
    }
    if (solution.status == SolveStatus::interrupted) {
        out.reason = "stopped before the margin was found";
        return {};
    }
    if (!(solution.certificate().gap <= kLargestGap * solution.certificate().primal)) {
        out.reason = "the margin is too small to be found in double precision";
        return {};
    }
    std::vector<double> products = decision_values(embedded, solution.beta, context);
    for (std::size_t i = 0; i < products.size(); ++i) {
        products[i] *= problem.targets[i];
    }
    out.margin_norm = margin_norm(products, solution.certificate().squared_norm);
    if (std::isnan(out.margin_norm)) {
        out.reason = "no margin was found: the classes are not separable, or by too little";
        return {};
    }
    out.bound = mistake_bound(out.radius, out.margin_norm);
    const double least = *std::min_element(products.begin(), products.end());
    for (double& product : products) {
        product /= least;
    }
    return products;
}

/// The exact answer for rows that the run did not separate, with row numbers of the training data.
Separability separability_of(const Problem& problem, const Prepared& prepared, Context& context) {
    Separability out;
    try {
        const KernelRows rows = kernel_rows(prepared.kernel, prepared.rows, context);
        out = test_separability(rows.rows, problem.targets, {.homogeneous = !problem.intercept},
                                context);
    } catch (const Interrupted&) {
        out.reason = "stopped before it was decided";
    } catch (const ResourceError& fault) {  // the model is still useful without it
        out.reason = fault.what();
    }
    for (index_t& row : out.hulls.rows) {
        row = prepared.original(row);
    }
    return out;
}

MistakeBound bound_of(const PerceptronRun& run, const Problem& problem, const Prepared& prepared,
                      const TrainOptions& options, Context& context) {
    MistakeBound out;
    out.mistakes = run.mistakes;
    out.passes = run.passes;
    out.reason = reason_against(run, options, problem, context);
    const std::vector<double> diagonal = problem.gram->diagonal();
    if (*std::max_element(diagonal.begin(), diagonal.end()) >= 0.0) {
        out.radius = radius_of(diagonal, problem.intercept);
    }
    std::vector<double> margins;
    if (out.reason.empty()) {
        try {
            margins = find_margin(problem, out, context);
        } catch (const Interrupted&) {
            out.reason = "stopped before the margin was found";
        }
    }
    std::vector<index_t> rows;
    std::vector<double> norms;
    for (const PerceptronStep& step : run.steps) {
        rows.push_back(step.row);
        norms.push_back(step.squared_norm);
    }
    out.steps = proof_steps(rows, norms, margins, out.radius);
    for (ProofStep& step : out.steps) {
        step.row = prepared.original(step.row);
    }
    return out;
}

}  // namespace

TrainResult train_perceptron(const Dataset& data, const TrainOptions& options, Context& context) {
    require_choice("bound", options.perceptron.bound, {kAuto, "always", "never"});
    require_plain_rows(data, options);
    PerceptronOptions wanted;
    wanted.order = perceptron_order(options.order.empty() ? "cyclic" : options.order);
    wanted.average = options.perceptron.average;
    wanted.max_mistakes =
        options.run.max_iterations > 0 ? options.run.max_iterations : kMostMistakes;
    wanted.max_passes = options.perceptron.max_passes;
    wanted.cache_bytes = options.run.cache_bytes;
    wanted.record = options.perceptron.record_steps;
    const Prepared prepared = prepare(data, options);
    const Problem problem = two_class_problem(prepared, options.objective.intercept);
    TrainResult result;
    result.model = describe(data, options, prepared);
    const double start = context.elapsed();
    PerceptronRun run = run_perceptron(problem, wanted, context);
    result.fit_seconds = std::max(0.0, context.elapsed() - start - run.certify_seconds);
    const double bound_start = context.elapsed();
    result.perceptron = bound_of(run, problem, prepared, options, context);
    if (options.perceptron.separability && run.status != SolveStatus::converged) {
        result.separability = separability_of(problem, prepared, context);
    }
    Solution solution;
    solution.beta = std::move(run.beta);
    solution.intercepts = {run.intercept};
    solution.status = run.status;
    solution.certificate() = run.proof.certificate;
    solution.iterations = run.mistakes;
    solution.solver = name_of(SolverId::perceptron);
    solution.certify_seconds = run.certify_seconds + context.elapsed() - bound_start;
    keep_solution(prepared, solution, result);
    return result;
}

}  // namespace mercer::fit
