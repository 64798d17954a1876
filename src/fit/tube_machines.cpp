// SPDX-License-Identifier: Apache-2.0
//
// src/fit/tube_machines.cpp - support vector regression with a tube, and the one-class machine.
#include <cmath>
#include <numeric>

#include "fit/kept_run.hpp"
#include "fit/recipe.hpp"
#include "fit/smooth.hpp"
#include "fit/start.hpp"
#include "mercer/base/error.hpp"
#include "mercer/models/inliers.hpp"
#include "mercer/problems/mass.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/goal.hpp"
#include "mercer/solvers/solve.hpp"

namespace mercer::fit {

namespace {

Model describe(const Dataset& data, const TrainOptions& options, const Prepared& prepared,
               const Loss& loss, double cost) {
    return describe_smooth(data, options, prepared, loss, cost);
}

/// Counts rows by position: inside the tube, on its edge, outside.
void count_rows(const Problem& problem, const Solution& solution, double epsilon,
                TrainResult& result) {
    // A squared loss has no bound: its coefficient is the distance from the tube times the cost.
    const bool squared = std::holds_alternative<SquaredEpsilonLoss>(problem.loss);
    OutputSummary summary;
    TubeCounts places;
    summary.iterations = solution.iterations;
    for (std::size_t i = 0; i < solution.beta.size(); ++i) {
        const double beta = solution.beta[i];
        const Interval box = dual_box(problem, static_cast<index_t>(i));
        const bool bounded = beta != 0.0 && (beta <= box.lower || beta >= box.upper);
        summary.support += static_cast<index_t>(beta != 0.0);
        summary.bounded += static_cast<index_t>(bounded);
        summary.absolute_sum += std::abs(beta);
        summary.total_cost += problem.costs[i];
        index_t& place = beta == 0.0             ? places.inside
                         : !(bounded || squared) ? places.edge
                         : beta > 0.0            ? places.above
                                                 : places.below;
        ++place;
    }
    result.tube_rows = places;
    result.bounded_support = summary.bounded;
    result.outputs = {summary};
    result.tube = epsilon;
}

using Solver = Solution (*)(const Problem&, const SolveOptions&, Context&);

/// Solves with the warm start and the checkpoint, if they are given.
Solution solve_started(const Prepared& prepared, const TrainOptions& options,
                       const Problem& problem, Context& context, Solver solver = solve) {
    SolveOptions wanted = solve_options(options);
    std::vector<double> start;
    if (options.run.start != nullptr) {
        start = start_coefficients(*options.run.start, prepared, {}, {problem, {}}, context);
        wanted.start = start;
    }
    CheckpointSlot* slot =
        options.run.checkpoint == nullptr ? nullptr : &options.run.checkpoint->slot(0);
    return solve_kept(problem, wanted, slot, context, solver).solution;
}

void solve_tube(const Prepared& prepared, const TrainOptions& options, Problem& problem,
                TrainResult& result, Context& context, Solver solver = solve) {
    const double start = context.elapsed();
    Solution solution = solve_started(prepared, options, problem, context, solver);
    if (problem.has_mass() && solution.certificate().width <= 0.0 &&
        solution.status != SolveStatus::interrupted) {
        // The mass is more than the data can use: the tube has width zero, and the mass becomes an
        // upper bound. A checkpoint stores the first of the two solutions, and this one is
        // recomputed; the first is often already optimal.
        const double mass = problem.mass;
        problem.mass = kNaN;
        problem.loss = EpsilonInsensitiveLoss{0.0};
        SolveOptions wanted = solve_options(options);
        wanted.start = solution.beta;
        Solution closed = solve(problem, wanted, context);
        closed.iterations += solution.iterations;
        closed.certify_seconds += solution.certify_seconds;
        if (within_mass(closed.beta, mass) &&
            !goal_of(wanted, kDefaultGapTolerance)
                 .prefers(solution.certificate(), closed.certificate())) {
            solution = std::move(closed);
        }
        solution.certificate().width = 0.0;
    }
    keep_solution(prepared, solution, result);
    const double width = solution.certificate().width;
    const double epsilon = std::isnan(width) ? width_of(problem.loss) : width;
    count_rows(problem, solution, epsilon, result);
    result.fit_seconds = context.elapsed() - start - result.certify_seconds;
}

/// A tube with given width.
template <typename TubeLoss>
TrainResult train_tube(const Dataset& data, const TrainOptions& options, Solver solver,
                       Context& context) {
    const double epsilon = options.objective.epsilon.value_or(0.1);
    require_in_range("epsilon", epsilon, Range::non_negative());
    const Prepared prepared = prepare(data, options);
    const Loss loss = TubeLoss{epsilon};
    TrainResult result;
    result.model =
        describe(data, options, prepared, loss, svc_cost(options, prepared.total_weight));
    result.model.epsilon = epsilon;
    Problem problem = smooth_problem(prepared, result.model, loss);
    solve_tube(prepared, options, problem, result, context, solver);
    return result;
}

}  // namespace

TrainResult train_svr(const Dataset& data, const TrainOptions& options, Context& context) {
    return train_tube<EpsilonInsensitiveLoss>(data, options, solve, context);
}

TrainResult train_l2_svr(const Dataset& data, const TrainOptions& options, Context& context) {
    return train_tube<SquaredEpsilonLoss>(data, options, solve_primal_or_dual, context);
}

TrainResult train_nu_svr(const Dataset& data, const TrainOptions& options, Context& context) {
    const double nu = chosen_nu(options, kInfinity);
    if (!options.objective.intercept) {
        throw InvalidArgument("intercept", "", "nu-svr needs one");
    }
    const Prepared prepared = prepare(data, options);
    const Loss loss = EpsilonInsensitiveLoss{0.0};
    TrainResult result;
    result.model =
        describe(data, options, prepared, loss, svc_cost(options, prepared.total_weight));
    result.model.nu = nu;
    result.model.epsilon = 0.0;
    Problem problem = smooth_problem(prepared, result.model, loss);
    const double total = std::accumulate(problem.costs.begin(), problem.costs.end(), 0.0);
    // From nu = 1 on the best tube has width zero; below, sum |beta| = nu sum C.
    problem.mass = nu < 1.0 ? nu * total : kNaN;
    solve_tube(prepared, options, problem, result, context);
    if (std::isnan(result.model.certificates.front().width)) {
        result.model.certificates.front().width = 0.0;
    }
    return result;
}

TrainResult train_one_class(const Dataset& data, const TrainOptions& options, Context& context) {
    const double nu = chosen_nu(options, 1.0);
    const Dataset marked = as_inliers(data);
    TrainOptions chosen = options;
    chosen.objective.cost = 1.0;
    const Prepared prepared = prepare(marked, chosen);
    TrainResult result;
    Model& model = result.model;
    model = describe(marked, chosen, prepared, HingeLoss{}, 1.0);
    model.nu = nu;
    Problem problem = smooth_problem(prepared, model, HingeLoss{});
    problem.intercept = false;
    problem.mass = nu * std::accumulate(problem.costs.begin(), problem.costs.end(), 0.0);
    const double start = context.elapsed();
    Solution solution = solve_started(prepared, options, problem, context);
    // The decision is f - rho: rho takes the place of an intercept.
    solution.intercepts = {-solution.certificate().width};
    solution.certificate().intercept = solution.intercept();
    solution.certificate().intercepts = {solution.intercept(), solution.intercept()};
    keep_solution(prepared, solution, result);
    count_rows(problem, solution, kNaN, result);
    result.fit_seconds = context.elapsed() - start - result.certify_seconds;
    return result;
}

}  // namespace mercer::fit
