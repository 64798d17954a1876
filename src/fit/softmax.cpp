// SPDX-License-Identifier: Apache-2.0
//
// src/fit/softmax.cpp - kernel logistic regression with three or more classes as one problem.
#include "mercer/losses/softmax.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "fit/smooth.hpp"
#include "mercer/base/error.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/softmax.hpp"

namespace mercer::fit {

TrainResult train_softmax(const Dataset& data, const TrainOptions& options, Context& context) {
    const Prepared prepared = prepare(data, options);
    TrainResult result;
    Model& model = result.model;
    model = describe_smooth(data, options, prepared, LogisticLoss{},
                            svc_cost(options, prepared.total_weight));
    SoftmaxProblem problem;
    problem.gram = make_gram(prepared.kernel, prepared.rows);
    problem.costs = smooth_problem(prepared, model, LogisticLoss{}).costs;
    problem.class_count = static_cast<index_t>(model.labels.size());
    problem.intercept = model.has_intercept;
    for (const double target : prepared.rows.targets) {
        problem.classes.push_back(static_cast<index_t>(target));
    }
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
    const Solution solution = solve_softmax(problem, wanted, context);
    keep_support(prepared, solution.beta, problem.class_count, model);
    model.intercepts = solution.intercepts;
    keep_joint_outcome(solution, prepared, start, context, result);
    return result;
}

}  // namespace mercer::fit
