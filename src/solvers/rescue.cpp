// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/rescue.cpp - division, a start that carries the sum, the closed tube, stages.
#include "solvers/rescue.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "mercer/problems/mass.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/goal.hpp"
#include "solvers/active_set_solver.hpp"
#include "solvers/choose.hpp"
#include "solvers/coordinate_driver.hpp"
#include "solvers/divided.hpp"
#include "solvers/dual_descent.hpp"
#include "solvers/find_solver.hpp"
#include "solvers/interior_point.hpp"
#include "solvers/kernel_solvers.hpp"
#include "solvers/normal_system.hpp"
#include "solvers/polish.hpp"

namespace mercer {

namespace {

// Pairs of a small problem that is not solved by then crawl: 200 rows of a noisy wave take some
// thousand, of a kernel matrix that is singular to rounding 1e6 and more.
constexpr index_t kPatientSteps = 20000;
constexpr index_t kStepsPerRow = 100;
// Steps after a polish that did not settle. Of 5,000 random problems of up to 60 rows none that ended
// converged took more; ten millions, the solver's own limit, take five seconds of such a problem.
constexpr index_t kLastSteps = 1000000;
// Multiplications of a polish: about what the steps before it took, and some ten seconds at the
// end.
constexpr double kEarlyWork = 4e9;
constexpr double kLastWork = 1e11;
// Multiplications of a step of the interior point, and rows of its matrix: some ten milliseconds, so
// that all of its steps take less than a second. Before it, coordinate steps have fewer tries.
constexpr double kInteriorWork = 3e9;
constexpr index_t kMostOrder = 4000;
constexpr index_t kStepsBeforeInterior = 4;  // per row

/// The largest kernel value.
double largest_value(const Problem& problem) {
    const std::vector<double> diagonal = problem.gram->diagonal();
    return diagonal.empty() ? 0.0 : *std::max_element(diagonal.begin(), diagonal.end());
}

/// The closed tube, when few steps lead to it and it is the answer.
std::optional<Solution> closed_answer(const KernelSolver& row, const Problem& problem,
                                      const SolveOptions& options, double work, Context& context) {
    const Problem closed = closed_tube(problem);
    SolveOptions apart = options;
    apart.start = {};
    Solution out = solve_by_coordinates(row, closed, apart, "the tube closed", context);
    const bool found =
        out.status == SolveStatus::converged || polish(closed, apart, work, out, context);
    if (!found || out.status == SolveStatus::interrupted || !carries_less(out, problem)) {
        return std::nullopt;
    }
    out.certificate.width = 0.0;
    return out;
}

/// True when the matrix of an interior point's steps fits.
bool interior_point_fits(const ProblemSize& size, const Context& context) {
    const index_t order = works_in_columns(size) ? size.factor_columns + 2 : size.rows;
    return order <= kMostOrder && 8 * order * order <= context.memory()->left() / 2;
}

/// True when an interior point costs little beside what coordinate steps may take: few columns, or
/// few rows, and a matrix that fits.
bool interior_point_pays(const Problem& problem, const Context& context) {
    const ProblemSize size = size_of(problem, 0);
    return has_box_dual(problem.loss) && step_cost(size) <= kInteriorWork &&
           interior_point_fits(size, context);
}

/// The interior point where the steps that led to `out` crawl; takes what is proved to be better.
/// True when that is the end.
bool cross_inside(const Problem& problem, const SolveOptions& options, Solution& out,
                  Context& context) {
    SolveOptions wanted = options;
    wanted.start = out.beta;  // the least it may say
    wanted.max_iterations = 0;
    Solution inside = solve_by_interior_point(problem, wanted, context);
    inside.iterations += out.iterations;
    inside.certify_seconds += out.certify_seconds;
    if (goal_of(options, kDefaultGapTolerance).prefers(inside.certificate, out.certificate)) {
        out = std::move(inside);
    } else if (inside.status == SolveStatus::interrupted) {
        out.status = inside.status;
    }
    return out.status == SolveStatus::converged || out.status == SolveStatus::interrupted;
}

/// Steps in stages; `inside`: the interior point goes on from the first.
Solution run_stages(const KernelSolver& row, const Problem& problem, const SolveOptions& options,
                    const std::string& reason, bool inside, Context& context) {
    const bool staged = options.max_iterations == 0 && options.keeper == nullptr &&
                        (problem.size() <= kMostPolished || may_close(problem) || inside);
    if (!staged) {
        return solve_by_coordinates(row, problem, options, reason, context);
    }
    SolveOptions stage = options;
    stage.max_iterations =
        kPatientSteps + (inside ? kStepsBeforeInterior : kStepsPerRow) * problem.size();
    Solution out = solve_by_coordinates(row, problem, stage, reason, context);
    if (out.status == SolveStatus::converged || out.status == SolveStatus::interrupted) {
        return out;
    }
    if (inside && cross_inside(problem, options, out, context)) {
        return out;
    }
    if (may_close(problem)) {
        // Targets that need less than the sum have no best point that carries it.
        stage.max_iterations /= 4;
        if (std::optional<Solution> closed =
                closed_answer(row, problem, stage, kEarlyWork, context)) {
            closed->iterations += out.iterations;
            return *closed;
        }
    }
    if (polish(problem, options, kEarlyWork, out, context) ||
        out.status != SolveStatus::iteration_limit) {
        return out;  // steps would not lead any further
    }
    SolveOptions rest = options;
    rest.start = out.beta;
    rest.max_iterations = std::max(kLastSteps, kStepsPerRow * problem.size());
    Solution more = solve_by_coordinates(row, problem, rest, "it goes on", context);
    more.iterations += out.iterations;
    more.certify_seconds += out.certify_seconds;
    if (more.status != SolveStatus::converged) {
        static_cast<void>(polish(problem, options, kLastWork, more, context));
    }
    return more;
}

}  // namespace

std::optional<double> divisor_for(const Problem& problem, double limit) {
    const double largest = largest_value(problem);
    if (!(largest > limit)) {
        return std::nullopt;
    }
    const double most = *std::max_element(problem.costs.begin(), problem.costs.end());
    if (!std::isfinite(largest * most * static_cast<double>(problem.size())) ||
        problem.gram->scaled(1.0 / largest) == nullptr) {
        return std::nullopt;
    }
    return std::exp2(std::floor(std::log2(largest)));  // coefficients are divided without rounding
}

Solution solve_divided(const Problem& problem, const SolveOptions& options, double s,
                       Context& context) {
    const Problem divided = divided_by(problem, s);
    const std::vector<double> start = times(options.start, s);
    SolveOptions wanted = options;
    wanted.start = start;
    wanted.unit *= s;
    wanted.coordinates.precision = Precision::float64;
    Solution out = solve_in_doubles(divided, wanted, context);
    for (double& beta : out.beta) {
        beta /= s;
    }
    const Goal goal = goal_of(options, kDefaultGapTolerance);
    out.certificate = certify(problem, out.beta, *Context::unstoppable(context), goal.wanted());
    out.intercept = out.certificate.intercept;
    if (out.status == SolveStatus::converged) {
        out.status = goal.status(out.certificate, out.status);
    }
    return out;
}

std::vector<double> feasible_start(const Problem& problem) {
    std::vector<index_t> order(static_cast<std::size_t>(problem.size()));
    std::iota(order.begin(), order.end(), index_t{0});
    std::stable_sort(order.begin(), order.end(), [&](index_t a, index_t b) {
        return problem.targets[static_cast<std::size_t>(a)] >
               problem.targets[static_cast<std::size_t>(b)];
    });
    std::vector<double> beta(order.size(), 0.0);
    const double share = problem.intercept ? 0.5 * problem.mass : problem.mass;
    double left = share;
    for (const index_t row : order) {
        const double taken = std::min(left, dual_box(problem, row).upper);
        beta[static_cast<std::size_t>(row)] = taken;
        left -= taken;
    }
    if (problem.intercept) {
        left = share;
        for (auto row = order.rbegin(); row != order.rend() && left > 0.0; ++row) {
            double& value = beta[static_cast<std::size_t>(*row)];
            if (value == 0.0) {
                value = -std::min(left, -dual_box(problem, *row).lower);
                left += value;
            }
        }
        if (left > 1e-9 * share) {
            return {};
        }
    }
    return beta;
}

bool may_close(const Problem& problem) {
    return problem.has_mass() && std::holds_alternative<EpsilonInsensitiveLoss>(problem.loss);
}

Problem closed_tube(const Problem& problem) {
    Problem closed = problem;
    closed.mass = kNaN;
    closed.loss = EpsilonInsensitiveLoss{0.0};
    return closed;
}

Solution solve_closed(const Problem& problem, const SolveOptions& options, Context& context) {
    SolveOptions apart = options;
    apart.keeper = nullptr;
    Solution out = solve_in_doubles(closed_tube(problem), apart, context);
    out.certificate.width = 0.0;
    return out;
}

bool carries_less(const Solution& closed, const Problem& problem) {
    return within_mass(closed.beta, problem.mass);
}

std::vector<double> scaled_to_sum(std::vector<double> beta, double sum) {
    const double present = absolute_sum(beta);
    for (double& value : beta) {
        value *= sum / present;
    }
    return beta;
}

Solution solve_in_stages(const KernelSolver& row, const Problem& problem,
                         const SolveOptions& options, const std::string& reason, Context& context) {
    const bool crosses = options.solver.is_automatic() && options.max_iterations == 0 &&
                         options.keeper == nullptr && interior_point_pays(problem, context);
    const bool early = crosses && works_in_columns(size_of(problem, 0));
    Solution out = run_stages(row, problem, options, reason, early, context);
    if (crosses && !early &&
        (out.status == SolveStatus::reduced || out.status == SolveStatus::iteration_limit)) {
        static_cast<void>(cross_inside(problem, options, out, context));
    }
    return out;
}

namespace {

/// The steps of the first coordinate solver that fits, from where `out` ends; the better of both.
Solution go_on_by_coordinates(const Problem& problem, const SolveOptions& options, Solution out,
                              const std::string& reason, Context& context) {
    const std::vector<const KernelSolver*> rows = kernel_solvers(problem, SolverForm::box_dual);
    const auto coordinates = std::find_if(rows.begin(), rows.end(),
                                          [](const KernelSolver* row) { return bool(row->make); });
    SolveOptions rest = options;
    rest.start = out.beta;
    Solution more = solve_in_stages(**coordinates, problem, rest, reason, context);
    more.iterations += out.iterations;
    more.certify_seconds += out.certify_seconds;
    const Goal goal = goal_of(options, kDefaultGapTolerance);
    return goal.prefers(out.certificate, more.certificate) ? out : more;
}

}  // namespace

Solution solve_from_dual_descent(const Problem& problem, const SolveOptions& options,
                                 Context& context) {
    const bool ours = options.solver.is_automatic() && options.max_iterations == 0;
    const ProblemSize size = size_of(problem, 0);
    const double inside = typical_interior_point_seconds(size);  // infinite: not in the columns
    const bool crosses = ours && inside < kInfinity && interior_point_fits(size, context);
    Solution out = solve_by_dual_descent(problem, options, crosses ? inside : kInfinity, context);
    if (!ours && options.max_iterations == 0 && problem.size() <= kMostPolished &&
        out.status != SolveStatus::interrupted) {
        // Single coefficients come near a bound or a kink, and meet it late.
        static_cast<void>(polish(problem, options, kEarlyWork, out, context));
    }
    if (!ours || out.status != SolveStatus::iteration_limit) {
        return out;
    }
    if (crosses && cross_inside(problem, options, out, context)) {
        return out;
    }
    if (!crosses || problem.size() <= kMostPolished) {
        return go_on_by_coordinates(problem, options, std::move(out), "where descent crawled",
                                    context);
    }
    SolveOptions rest = options;
    rest.start = out.beta;
    Solution more = solve_by_dual_descent(problem, rest, inside, context);
    more.iterations += out.iterations;
    more.certify_seconds += out.certify_seconds;
    const Goal goal = goal_of(options, kDefaultGapTolerance);
    Solution& better = goal.prefers(out.certificate, more.certificate) ? out : more;
    if (better.status == SolveStatus::iteration_limit) {
        better.status = SolveStatus::reduced;  // nobody has asked for a limit
    }
    return std::move(better);
}

Solution solve_from_active_set(const Problem& problem, const SolveOptions& options,
                               Context& context) {
    Solution out = solve_by_active_set(problem, options, context);
    if (out.status != SolveStatus::reduced || options.max_iterations > 0) {
        return out;
    }
    return go_on_by_coordinates(problem, options, std::move(out),
                                "where rounding ended the active set", context);
}

}  // namespace mercer
