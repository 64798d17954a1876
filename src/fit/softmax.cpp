// SPDX-License-Identifier: Apache-2.0
//
// src/fit/softmax.cpp - kernel logistic regression with three or more classes as one problem.
//
// With an intercept, a class without a row of weight > 0 is best at b = -inf, which leaves the joint
// problem of the other classes. Their values f sum to 0 and that of the class is 0, so the greatest
// value is at least the mean of their intercepts, and an intercept kNever below that mean makes the
// probability of the class 0 in double precision for every row.
#include "mercer/losses/softmax.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "fit/smooth.hpp"
#include "fit/start.hpp"
#include "mercer/base/error.hpp"
#include "mercer/base/roundoff.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/softmax.hpp"

namespace mercer::fit {

namespace {

constexpr double kNever = 800.0;  // exp(-746) is 0

/// The classes that the joint problem tells apart.
struct JointClasses {
    std::vector<index_t> chosen;  ///< places of the classes among the labels, ascending
    index_t all = 0;

    [[nodiscard]] bool complete() const { return static_cast<index_t>(chosen.size()) == all; }
};

/// All classes, or with an intercept those with a row of cost > 0.
JointClasses joint_classes(const Prepared& prepared, std::span<const double> costs,
                           const Model& model) {
    std::vector<bool> present(model.labels.size(), !model.has_intercept);
    for (std::size_t i = 0; i < costs.size(); ++i) {
        if (costs[i] > 0.0) {
            present[static_cast<std::size_t>(prepared.rows.targets[i])] = true;
        }
    }
    JointClasses out{{}, static_cast<index_t>(present.size())};
    for (std::size_t c = 0; c < present.size(); ++c) {
        if (present[c]) {
            out.chosen.push_back(static_cast<index_t>(c));
        }
    }
    return out;
}

SoftmaxProblem joint_problem(const Prepared& prepared, const Model& model,
                             const JointClasses& classes, std::vector<double> costs) {
    SoftmaxProblem problem;
    problem.gram = make_gram(prepared.kernel, prepared.rows);
    problem.costs = std::move(costs);
    problem.class_count = static_cast<index_t>(classes.chosen.size());
    problem.intercept = model.has_intercept;
    for (const double target : prepared.rows.targets) {
        const auto place = std::lower_bound(classes.chosen.begin(), classes.chosen.end(),
                                            static_cast<index_t>(target));
        problem.classes.push_back(
            std::min<index_t>(place - classes.chosen.begin(), problem.class_count - 1));
    }
    return problem;
}

/// Adds to the gap what rounding the shifted intercepts does. The gradient of the losses in a row's
/// values is c (q - p), and by Pinsker's inequality sum_i c_i |q_i - p_i|_1^2 is at most twice the
/// gap.
void charge_shift(double lift, double total_cost, Solution& solution) {
    double size = std::abs(lift);
    for (const double b : solution.intercepts) {
        size = std::max(size, std::abs(b) + std::abs(lift));
    }
    const double error = 2.0 * kRoundoff * size;
    for (Certificate& proof : solution.certificates) {
        const double more =
            error * std::sqrt(2.0 * proof.gap * total_cost) + 0.5 * error * error * total_cost;
        proof.gap += 1.001 * more;
        proof.rounding += 1.001 * more;
    }
}

/// The coefficients and intercepts with the classes that were left out.
void add_absent_classes(const JointClasses& classes, double total_cost, Solution& solution) {
    if (classes.complete()) {
        return;
    }
    const std::size_t width = classes.chosen.size();
    const auto all = static_cast<std::size_t>(classes.all);
    const double lift = kNever * static_cast<double>(all - width) / static_cast<double>(all);
    charge_shift(lift, total_cost, solution);
    const std::vector<double> beta = std::move(solution.beta);
    const std::vector<double> intercepts = std::move(solution.intercepts);
    solution.beta.assign(beta.size() / width * all, 0.0);
    solution.intercepts.assign(all, lift - kNever);
    for (std::size_t c = 0; c < width; ++c) {
        const auto place = static_cast<std::size_t>(classes.chosen[c]);
        solution.intercepts[place] = intercepts[c] + lift;
        for (std::size_t i = 0; i < beta.size() / width; ++i) {
            solution.beta[i * all + place] = beta[i * width + c];
        }
    }
}

/// The coefficients to start from; empty: zero.
std::vector<double> start_of(const Prepared& prepared, const TrainOptions& options,
                             const Model& model, const JointClasses& classes) {
    std::vector<std::string> labels;
    for (const index_t c : classes.chosen) {
        labels.push_back(model.labels[static_cast<std::size_t>(c)]);
    }
    return options.run.start == nullptr ? std::vector<double>()
                                        : joint_start(*options.run.start, prepared, labels);
}

/// The start itself after no step: the given coefficients with their best intercepts, or f = 0 and
/// b = 0.
Solution joint_start_alone(SoftmaxProblem problem, std::vector<double> start, const Goal& goal,
                           Context& context) {
    if (start.empty()) {
        start.assign(problem.costs.size() * static_cast<std::size_t>(problem.class_count), 0.0);
        problem.intercept = false;
    }
    Solution out;
    SoftmaxCertificate proof = certify(problem, start, *Context::unstoppable(context));
    out.adopt(std::move(start), proof.certificate);
    out.intercepts = std::move(proof.intercepts);
    out.status = goal.status(proof.certificate, SolveStatus::iteration_limit);
    out.solver = kStartOnly;
    return out;
}

}  // namespace

TrainResult train_softmax(const Dataset& data, const TrainOptions& options, Context& context) {
    const Prepared prepared = prepare(data, options);
    TrainResult result;
    Model& model = result.model;
    model = describe_smooth(data, options, prepared, LogisticLoss{},
                            svc_cost(options, prepared.total_weight));
    std::vector<double> costs = smooth_problem(prepared, model, LogisticLoss{}).costs;
    const JointClasses classes = joint_classes(prepared, costs, model);
    const SoftmaxProblem problem = joint_problem(prepared, model, classes, std::move(costs));
    model.loss = SoftmaxLoss::kName;
    model.multiclass = kSoftmax;
    model.link.kind = kSoftmax;
    SolveOptions wanted = solve_options(options);
    wanted.gap_tolerance = given(model.gap_tolerance);
    if (wanted.solver == SolverId::smo) {
        throw InvalidArgument("solver", "",
                              fmt::format("{} tells two classes apart", wanted.solver.name()),
                              "give `multiclass` ovo or ovr with it");
    }
    const double start = context.elapsed();
    const std::vector<double> beta = start_of(prepared, options, model, classes);
    wanted.start = beta;
    Solution solution = options.run.start_only
                            ? joint_start_alone(problem, beta, goal_of(model), context)
                            : solve_softmax(problem, wanted, context);
    const double total_cost = std::accumulate(problem.costs.begin(), problem.costs.end(), 0.0);
    add_absent_classes(classes, total_cost, solution);
    solution.status = goal_of(model).status(solution.certificate(), solution.status);
    keep_support(prepared, solution.beta, classes.all, model);
    model.intercepts = solution.intercepts;
    keep_joint_outcome(solution, prepared, start, context, result);
    return result;
}

}  // namespace mercer::fit
