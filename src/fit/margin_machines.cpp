// SPDX-License-Identifier: Apache-2.0
//
// src/fit/margin_machines.cpp - the classifiers of the support vector family: which loss, which
// free width, which costs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "fit/recipe.hpp"
#include "fit/smooth.hpp"
#include "mercer/base/error.hpp"
#include "mercer/compute/engine.hpp"
#include "mercer/fit/machines.hpp"
#include "mercer/operators/gram_kinds.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/goal.hpp"
#include "mercer/solvers/smooth.hpp"
#include "mercer/solvers/solve.hpp"
#include "mercer/theory/separability.hpp"

namespace mercer::fit {

namespace {

TrainResult train_smooth_margin(const Dataset& data, const TrainOptions& options, const Loss& loss,
                                Context& context) {
    if (options.outputs.leave_one_out) {
        return train_smooth_classifier(data, options, context);
    }
    const ClassMachine machine{
        options.model, loss, machine_of(options.model).gap_tolerance, solve_primal_or_dual, {}};
    return train_classes(data, options, machine, context);
}

// Hard margin: the cost grows in these steps up to kHardest / max k(x, x), which separates data
// with a margin of more than 1e-4 of their radius. If all coefficients stay below the cost, it does
// not bind. If it binds although the classes are separable, the next value is tried: the last one
// is for margins of 1e-11 of the radius, near the limit of double precision.
constexpr double kStep = 1e2;
constexpr double kHardest[] = {1e8, 1e12, 1e16, 1e22};
constexpr double kAtCost = 1.0 - 1e-9;
// If two points of the convex hulls of the classes are closer than this share of the radius, the
// hulls may intersect.
constexpr double kTouching = 1e-6;
// Word operations for an exact answer: about ten seconds.
constexpr double kExactOperations = 1e9;
constexpr std::size_t kRowsNamed = 4;

/// The cost binds, although the rows with coefficients at the cost are separable.
class CostBinds : public Error {
public:
    CostBinds() : Error("hard margin: the cost binds") {}
};

double largest_diagonal(const Problem& problem) {
    const std::vector<double> diagonal = problem.gram->diagonal();
    return *std::max_element(diagonal.begin(), diagonal.end());
}

/// The smallest, over all pairs of classes, largest k(x, x): this pair needs the greatest cost.
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

/// The distance between the two points of the convex hulls that the coefficients define.
double hull_distance(const Solution& solution) {
    double sum = 0.0;
    for (const double beta : solution.beta) {
        sum += std::abs(beta);
    }
    return 2.0 * std::sqrt(std::max(0.0, solution.certificate().squared_norm)) /
           std::max(sum, 1e-300);
}

/// `1, 4, 7`: the first few rows with that label.
std::string rows_text(const MeetingHulls& hulls, const std::vector<index_t>& places,
                      const Problem& problem, double label) {
    std::vector<index_t> rows;
    for (const index_t k : hulls.rows) {
        const index_t i = places[static_cast<std::size_t>(k)];
        if (problem.targets[static_cast<std::size_t>(i)] == label) {
            rows.push_back(i + 1);
        }
    }
    const std::size_t named = std::min(kRowsNamed, rows.size());
    std::string text = fmt::format(
        "{}", fmt::join(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(named), ", "));
    return named < rows.size() ? fmt::format("{} and {} more", text, rows.size() - named) : text;
}

[[noreturn]] void refuse(const Problem& problem, const MeetingHulls& hulls,
                         const std::vector<index_t>& places) {
    const std::string first = rows_text(hulls, places, problem, -1.0);
    const std::string second = rows_text(hulls, places, problem, 1.0);
    const std::string rows =
        first.empty()    ? "row " + second
        : second.empty() ? "row " + first
                         : fmt::format("rows {} of one class and {} of the other", first, second);
    throw DataError(fmt::format(
        "the classes are not separable by {}: {} of the problem {}, by exact arithmetic; use "
        "--model svc, or another kernel",
        to_string(problem.gram->origin().kernel), rows,
        problem.intercept ? "have convex hulls that meet"
                          : "have hulls of label times row that hold 0"));
}

/// Whether the support vectors can be separated: the solution says nothing about the other rows.
/// Throws DataError with the intersecting hulls if they cannot.
SeparabilityAnswer judge_support(const Problem& problem, const Solution& solution,
                                 Context& context) {
    std::vector<index_t> places;
    std::vector<double> labels;
    for (std::size_t i = 0; i < solution.beta.size(); ++i) {
        if (solution.beta[i] != 0.0) {
            places.push_back(static_cast<index_t>(i));
            labels.push_back(problem.targets[i]);
        }
    }
    Separability found;
    try {
        const GramOrigin origin = problem.gram->origin();
        const KernelRows rows = kernel_rows(origin.kernel, origin.rows.select(places), context);
        found = test_separability(
            rows.rows, labels,
            {.homogeneous = !problem.intercept, .exact_operations = kExactOperations}, context);
    } catch (const ResourceError& fault) {  // too many rows for the memory, or no CLP
        context.note(fault.what());
    }
    if (found.answer == SeparabilityAnswer::not_separable && found.exact_check) {
        refuse(problem, found.hulls, places);
    }
    return found.answer;
}

/// Interprets a solution with coefficients at the cost. Throws DataError if the classes are not
/// separable, or if this cannot be decided.
void judge_bound(const Problem& problem, const Solution& solution, Context& context) {
    if (judge_support(problem, solution, context) == SeparabilityAnswer::undecided) {
        throw DataError(fmt::format(
            "no hard margin by {} was found: points of the classes' convex hulls are {:.3g} apart, "
            "and exact arithmetic does not tell whether the hulls meet; use --model svc, or "
            "another kernel",
            to_string(problem.gram->origin().kernel), hull_distance(solution)));
    }
}

bool binds(const Problem& problem, const Solution& solution) {
    for (std::size_t i = 0; i < solution.beta.size(); ++i) {
        if (std::abs(solution.beta[i]) >= kAtCost * problem.costs[i]) {
            return true;
        }
    }
    return false;
}

/// Scales up coefficients whose function separates by slightly less than the margin: at a large
/// cost the smallest slack outweighs the gain in the norm.
void reach_margin(const Problem& problem, const SolveOptions& options, Solution& solution,
                  Context& context) {
    const std::vector<double> f = decision_values(problem, solution.beta, context);
    double above = kInfinity;
    double below = kInfinity;
    for (std::size_t i = 0; i < f.size(); ++i) {
        double& nearest = problem.targets[i] > 0.0 ? above : below;
        nearest = std::min(nearest, problem.targets[i] * f[i]);
    }
    const double margin = problem.intercept ? 0.5 * (above + below) : std::min(above, below);
    if (!(margin > 0.0 && margin < 1.0)) {
        return;
    }
    std::vector<double> scaled = solution.beta;
    for (double& beta : scaled) {
        beta /= margin;
    }
    const Goal goal = goal_of(options, kDefaultGapTolerance);
    const Certificate certificate = certify(problem, scaled, context, goal.wanted());
    if (goal.prefers(certificate, solution.certificate())) {
        solution.adopt(std::move(scaled), certificate);
        solution.status = goal.status(certificate, solution.status);
    }
}

/// The soft margin at the problem's cost, approached through smaller costs; it is the hard margin
/// if no coefficient is at its bound. Throws CostBinds if one is and a greater cost may help.
Solution solve_hard(const Problem& problem, const SolveOptions& options, bool last,
                    Context& context) {
    const double radius2 = std::max(1e-300, largest_diagonal(problem));
    const double hardest = *std::max_element(problem.costs.begin(), problem.costs.end()) * radius2;
    Problem step = problem;
    SolveOptions wanted = options;
    wanted.keeper = nullptr;  // only the last solution is checkpointed
    wanted.active_set.polish = false;
    wanted.unit = 0.0;  // 1/2 |w|^2 may have any size: the gap is purely relative to it
    bool stopped = false;
    bool judged = false;
    std::vector<double> start;
    for (double factor = kStep; factor < 0.99 * hardest; factor *= kStep) {
        std::fill(step.costs.begin(), step.costs.end(), factor / radius2);
        wanted.start = start;
        const Solution solution = solve(step, wanted, context);
        start = solution.beta;
        stopped = solution.status == SolveStatus::interrupted;
        if (stopped || !binds(step, solution)) {
            break;
        }
        if (!judged && hull_distance(solution) <= kTouching * std::sqrt(radius2)) {
            judge_bound(step, solution, context);
            judged = true;
        }
    }
    wanted.start = start;
    wanted.active_set.polish = options.active_set.polish;
    wanted.keeper = stopped ? nullptr : options.keeper;
    Solution solution = solve(problem, wanted, context);
    const bool over = solution.status != SolveStatus::interrupted;
    if (over && solution.status != SolveStatus::converged) {
        reach_margin(problem, wanted, solution, context);
    }
    if (over && solution.status == SolveStatus::converged) {
        prove_closely(problem, wanted.unit, solution, context);
    }
    if (!over || !binds(problem, solution)) {
        return solution;
    }
    judge_bound(problem, solution, context);
    if (!last && solution.status == SolveStatus::converged) {
        throw CostBinds();
    }
    solution.status = SolveStatus::reduced;  // separable, but below double precision
    return solution;
}

/// Trains the hard margin, under the machine's name.
TrainResult train_hardest(const Dataset& data, const TrainOptions& options, Context& context) {
    const double least = std::max(1e-300, least_pair_diagonal(prepare(data, options)));
    TrainOptions chosen = options;
    for (const double hardest : kHardest) {
        chosen.objective.cost = hardest / least;
        const bool last = hardest == kHardest[std::size(kHardest) - 1];
        const auto solve_one = [last](const Problem& problem, const SolveOptions& solve_options,
                                      Context& own) {
            return solve_hard(problem, solve_options, last, own);
        };
        const ClassMachine machine{
            options.model, HingeLoss{}, machine_of(options.model).gap_tolerance, solve_one, {}};
        try {
            return train_classes(data, chosen, machine, context);
        } catch (const CostBinds&) {
            chosen.run.checkpoint = nullptr;  // it belongs to a problem with another cost
        }
    }
    throw InternalError("hard margin: the greatest cost was refused");
}

}  // namespace

Solution solve_hard_margin(Problem problem, const SolveOptions& options, Context& context) {
    problem.loss = HingeLoss{};
    const double longest = std::max(1e-300, largest_diagonal(problem));
    for (const double hardest : kHardest) {
        problem.costs.assign(static_cast<std::size_t>(problem.size()), hardest / longest);
        try {
            return solve_hard(problem, options, hardest == kHardest[std::size(kHardest) - 1],
                              context);
        } catch (const CostBinds&) {  // continue with the next, greater cost
        }
    }
    throw InternalError("hard margin: the greatest cost was refused");
}

TrainResult train_svc(const Dataset& data, const TrainOptions& options, Context& context) {
    if (options.objective.cost == kInfinity && !options.objective.lambda) {
        TrainOptions unweighted = options;
        unweighted.objective.class_weights.clear();  // without a cost there is nothing to weigh
        return train_hardest(data, unweighted, context);
    }
    const Machine& row = machine_of(MachineId::svc);
    const ClassMachine machine{row.name, row.loss, row.gap_tolerance, solve, {}};
    return train_classes(data, options, machine, context);
}

TrainResult train_l2_svc(const Dataset& data, const TrainOptions& options, Context& context) {
    return train_smooth_margin(data, options, SquaredHingeLoss{}, context);
}

TrainResult train_huber_svc(const Dataset& data, const TrainOptions& options, Context& context) {
    return train_smooth_margin(data, options, ModifiedHuberLoss{}, context);
}

TrainResult train_nu_svc(const Dataset& data, const TrainOptions& options, Context& context) {
    const double nu = chosen_nu(options, 1.0);
    if (!options.objective.intercept) {
        throw InvalidArgument("intercept", "", "nu-svc needs one");
    }
    const auto complete = [nu](Problem& problem) {
        double side[2] = {0.0, 0.0};
        for (std::size_t i = 0; i < problem.costs.size(); ++i) {
            side[problem.targets[i] > 0.0 ? 1 : 0] += problem.costs[i];
        }
        const double most = 2.0 * std::min(side[0], side[1]) / (side[0] + side[1]);
        if (nu > most) {
            throw InvalidArgument(
                "nu", fmt::format("{}", nu),
                fmt::format("must be at most {:.6g}, twice the share of the smaller class", most));
        }
        problem.mass = nu * (side[0] + side[1]);
    };
    const Machine& row = machine_of(MachineId::nu_svc);
    const ClassMachine machine{row.name, row.loss, row.gap_tolerance, solve, complete};
    TrainResult result = train_classes(data, options, machine, context);
    result.model.nu = nu;
    return result;
}

TrainResult train_hard_margin(const Dataset& data, const TrainOptions& options, Context& context) {
    if (!options.objective.class_weights.empty()) {
        throw InvalidArgument("weight", "", "a hard margin has no costs that could be weighted");
    }
    return train_hardest(data, options, context);
}

}  // namespace mercer::fit
