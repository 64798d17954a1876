// SPDX-License-Identifier: Apache-2.0
//
// src/fit/margin_machines.cpp - the classifiers of the support vector family: which loss, which
// free width, which costs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fit/recipe.hpp"
#include "fit/smooth.hpp"
#include "mercer/base/error.hpp"
#include "mercer/compute/engine.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/smooth.hpp"
#include "mercer/solvers/solve.hpp"

namespace mercer::fit {

namespace {

TrainResult train_smooth_margin(const Dataset& data, const TrainOptions& options, const Loss& loss,
                                Context& context) {
    if (options.leave_one_out) {
        return train_smooth_classifier(data, options, context);
    }
    const ClassMachine machine{options.model, loss, kDefaultGapTolerance, solve_primal_or_dual, {}};
    return train_classes(data, options, machine, context);
}

void require_no_cost(const TrainOptions& options) {
    if (!std::isnan(options.cost) || !std::isnan(options.lambda)) {
        throw InvalidArgument(fmt::format("cost: {} has none", options.model));
    }
}

// Hard margins: the cost grows to kHardest / max k(x, x) in these steps, which separates data whose
// margin is more than 1e-4 of its radius. Coefficients below the cost mean that it binds nowhere.
constexpr double kSteps[] = {1e2, 1e4, 1e6};
constexpr double kHardest = 1e8;
constexpr double kAtCost = 1.0 - 1e-9;
// Two points of the classes' convex hulls nearer than this share of the radius are taken for one.
constexpr double kTouching = 1e-6;

double largest_diagonal(const Problem& problem) {
    const std::vector<double> diagonal = diagonal_of(problem);
    return *std::max_element(diagonal.begin(), diagonal.end());
}

/// The least of all pairs of classes' largest k(x, x): the pair that needs the greatest cost.
double least_pair_diagonal(const Prepared& prepared) {
    std::vector<double> diagonal(static_cast<std::size_t>(prepared.rows.rows()));
    kernel_diagonal(prepared.kernel, prepared.rows, diagonal);
    std::vector<double> largest(prepared.rows.label_names.size(), 0.0);
    for (std::size_t i = 0; i < diagonal.size(); ++i) {
        double& own = largest[static_cast<std::size_t>(prepared.rows.targets[i])];
        own = std::max(own, diagonal[i]);
    }
    std::nth_element(largest.begin(), largest.begin() + 1, largest.end());
    return largest[1];
}

/// Throws when the coefficients, scaled to weights of a point in each class's convex hull, show
/// that the two hulls meet.
void require_apart(const Problem& problem, const Solution& solution, double radius2, bool last) {
    double sum = 0.0;
    index_t most = 0;
    for (std::size_t i = 0; i < solution.beta.size(); ++i) {
        sum += std::abs(solution.beta[i]);
        if (std::abs(solution.beta[i]) > std::abs(solution.beta[static_cast<std::size_t>(most)])) {
            most = static_cast<index_t>(i);
        }
    }
    const double distance =
        2.0 * std::sqrt(std::max(0.0, solution.certificate.squared_norm)) / std::max(sum, 1e-300);
    if (distance > kTouching * std::sqrt(radius2) && !last) {
        return;
    }
    index_t weighted = 0;
    for (const double beta : solution.beta) {
        weighted += static_cast<index_t>(beta != 0.0);
    }
    throw DataError(fmt::format(
        "the classes are not separable by {}: weights on {} rows (most on row {} of the problem) "
        "make a point of each class's convex hull, {:.3g} apart; use --model svc, or another "
        "kernel",
        to_string(problem.kernel), weighted, most + 1, distance));
}

/// The soft margin at the greatest cost, reached by smaller ones; none of its coefficients is
/// bounded, so that it is the hard margin.
Solution solve_hard(const Problem& problem, const SolveOptions& options, Context& context) {
    const double radius2 = std::max(1e-300, largest_diagonal(problem));
    Problem step = problem;
    SolveOptions wanted = options;
    wanted.keeper = nullptr;  // these steps are made again, the last solution is kept
    wanted.unit = 0.0;        // 1/2 |w|^2 may be of any size: a gap is judged by it alone
    bool stopped = false;
    std::vector<double> start;
    const auto bounded = [&](const Solution& solution) {
        for (std::size_t i = 0; i < solution.beta.size(); ++i) {
            if (std::abs(solution.beta[i]) >= kAtCost * step.costs[i]) {
                return true;
            }
        }
        return false;
    };
    for (const double factor : kSteps) {
        std::fill(step.costs.begin(), step.costs.end(), factor / radius2);
        wanted.start = start;
        const Solution solution = solve(step, wanted, context);
        start = solution.beta;
        stopped = solution.status == SolveStatus::interrupted;
        if (stopped || !bounded(solution)) {
            break;
        }
        require_apart(step, solution, radius2, false);
    }
    wanted.start = start;
    wanted.keeper = stopped ? nullptr : options.keeper;
    Solution solution = solve(problem, wanted, context);
    step.costs = problem.costs;
    if (solution.status != SolveStatus::interrupted && bounded(solution)) {
        require_apart(problem, solution, radius2, true);
    }
    return solution;
}

/// The hard margin, under the machine's name.
TrainResult train_hardest(const Dataset& data, const TrainOptions& options, Context& context) {
    TrainOptions chosen = options;
    chosen.cost = kHardest / std::max(1e-300, least_pair_diagonal(prepare(data, options)));
    const ClassMachine machine{options.model, HingeLoss{}, kDefaultGapTolerance, solve_hard, {}};
    return train_classes(data, chosen, machine, context);
}

}  // namespace

Solution solve_hard_margin(Problem problem, const SolveOptions& options, Context& context) {
    problem.loss = HingeLoss{};
    problem.costs.assign(static_cast<std::size_t>(problem.size()),
                         kHardest / std::max(1e-300, largest_diagonal(problem)));
    return solve_hard(problem, options, context);
}

TrainResult train_svc(const Dataset& data, const TrainOptions& options, Context& context) {
    if (std::isinf(options.cost) && options.cost > 0.0 && std::isnan(options.lambda)) {
        TrainOptions unweighted = options;
        unweighted.class_weights.clear();  // no cost, nothing to weigh
        return train_hardest(data, unweighted, context);
    }
    const ClassMachine machine{"svc", HingeLoss{}, kDefaultGapTolerance, solve, {}};
    return train_classes(data, options, machine, context);
}

TrainResult train_l2_svc(const Dataset& data, const TrainOptions& options, Context& context) {
    return train_smooth_margin(data, options, SquaredHingeLoss{}, context);
}

TrainResult train_huber_svc(const Dataset& data, const TrainOptions& options, Context& context) {
    return train_smooth_margin(data, options, ModifiedHuberLoss{}, context);
}

TrainResult train_nu_svc(const Dataset& data, const TrainOptions& options, Context& context) {
    require_no_cost(options);
    const double nu = chosen_nu(options, 1.0);
    if (!options.intercept) {
        throw InvalidArgument("intercept: nu-svc needs one");
    }
    const auto complete = [nu](Problem& problem) {
        double side[2] = {0.0, 0.0};
        for (std::size_t i = 0; i < problem.costs.size(); ++i) {
            side[problem.targets[i] > 0.0 ? 1 : 0] += problem.costs[i];
        }
        const double most = 2.0 * std::min(side[0], side[1]) / (side[0] + side[1]);
        if (nu > most) {
            throw InvalidArgument(fmt::format(
                "nu: got {}, must be at most {:.6g}, twice the share of the smaller class", nu,
                most));
        }
        problem.mass = nu * (side[0] + side[1]);
    };
    const ClassMachine machine{"nu-svc", HingeLoss{}, kDefaultGapTolerance, solve, complete};
    TrainResult result = train_classes(data, options, machine, context);
    result.model.nu = nu;
    return result;
}

TrainResult train_hard_margin(const Dataset& data, const TrainOptions& options, Context& context) {
    require_no_cost(options);
    if (!options.class_weights.empty()) {
        throw InvalidArgument("weight: a hard margin has no costs that could be weighted");
    }
    return train_hardest(data, options, context);
}

}  // namespace mercer::fit
