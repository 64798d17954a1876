// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/rescue.cpp - scaling, a feasible start, tube width 0, and stages of several solvers.
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

// Pairwise steps after which convergence counts as slow for a small problem: 200 rows of a noisy
// wave take a few thousand steps, a kernel matrix that is singular up to rounding 1e6 and more.
constexpr index_t kPatientSteps = 20000;
constexpr index_t kStepsPerRow = 100;
// Steps after polishing that did not converge. Of 5,000 random problems of up to 60 rows none that
// converged took more; ten million steps, the solver's own limit, take five seconds for such a
// problem.
constexpr index_t kLastSteps = 1000000;
// Multiplications of polishing: first about as many as the steps before it, at the end about ten
// seconds' worth.
constexpr double kEarlyWork = 4e9;
constexpr double kLastWork = 1e11;
// Multiplications of an interior-point step, and rows of its matrix: tens of milliseconds, so that
// all steps take less than a second. If it follows, coordinate steps get a smaller limit.
constexpr double kInteriorWork = 3e9;
constexpr index_t kMostOrder = 4000;
constexpr index_t kStepsBeforeInterior = 4;  // per row

/// The largest kernel value.
double largest_value(const Problem& problem) {
    const std::vector<double> diagonal = problem.gram->diagonal();
    return diagonal.empty() ? 0.0 : *std::max_element(diagonal.begin(), diagonal.end());
}

/// The solution for tube width 0, if few steps suffice and it solves the problem.
std::optional<Solution> closed_answer(const KernelSolver& row, const Problem& problem,
                                      const SolveOptions& options, double work, Context& context) {
    const Problem closed = closed_tube(problem);
    SolveOptions apart = options;
    apart.start = {};
    Solution out = solve_by_coordinates(row, closed, apart, "tube width 0", context);
    const bool found =
        out.status == SolveStatus::converged || polish(closed, apart, work, out, context);
    if (!found || out.status == SolveStatus::interrupted || !carries_less(out, problem)) {
        return std::nullopt;
    }
    out.certificate().width = 0.0;
    return out;
}

/// True when the matrix of an interior-point step fits.
bool interior_point_fits(const ProblemSize& size, const Context& context) {
    const index_t order = works_in_columns(size) ? size.factor_columns + 2 : size.rows;
    return order <= kMostOrder && 8 * order * order <= context.memory()->left() / 2;
}

/// True when the interior point method is cheap compared with coordinate steps: few columns or few
/// rows, and a matrix that fits.
bool interior_point_pays(const Problem& problem, const Context& context) {
    const ProblemSize size = size_of(problem, 0);
    return has_box_dual(problem.loss) && step_cost(size) <= kInteriorWork &&
           interior_point_fits(size, context);
}

/// Runs the interior point method if the steps that led to `out` converge slowly; retains the
/// better certificate. True when nothing more needs to be done.
bool cross_inside(const Problem& problem, const SolveOptions& options, Solution& out,
                  Context& context) {
    SolveOptions wanted = options;
    wanted.start = out.beta;  // the result is at least as good
    wanted.max_iterations = 0;
    Solution inside = solve_by_interior_point(problem, wanted, context);
    inside.iterations += out.iterations;
    inside.certify_seconds += out.certify_seconds;
    if (goal_of(options, kDefaultGapTolerance).prefers(inside.certificate(), out.certificate())) {
        out = std::move(inside);
    } else if (inside.status == SolveStatus::interrupted) {
        out.status = inside.status;
    }
    return out.status == SolveStatus::converged || out.status == SolveStatus::interrupted;
}

/// Coordinate steps in stages; `inside`: the interior point method follows the first stage.
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
        // If the targets need less than the mass, no optimum satisfies the sum constraint.
        stage.max_iterations /= 4;
        if (std::optional<Solution> closed =
                closed_answer(row, problem, stage, kEarlyWork, context)) {
            closed->iterations += out.iterations;
            return *closed;
        }
    }
    if (polish(problem, options, kEarlyWork, out, context) ||
        out.status != SolveStatus::iteration_limit) {
        return out;  // further steps would not help
    }
    SolveOptions rest = options;
    rest.start = out.beta;
    rest.max_iterations = std::max(kLastSteps, kStepsPerRow * problem.size());
    Solution more = solve_by_coordinates(row, problem, rest, "continued", context);
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
    return std::exp2(std::floor(std::log2(largest)));  // division is then exact
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
    out.adopt(certify(problem, out.beta, *Context::unstoppable(context), goal.wanted()));
    if (out.status == SolveStatus::converged) {
        out.status = goal.status(out.certificate(), out.status);
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
    out.certificate().width = 0.0;
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

/// Continues from `out` with the first coordinate solver that fits; returns the better of both.
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
    return goal.prefers(out.certificate(), more.certificate()) ? out : more;
}

}  // namespace

Solution solve_from_dual_descent(const Problem& problem, const SolveOptions& options,
                                 Context& context) {
    const bool ours = options.solver.is_automatic() && options.max_iterations == 0;
    const ProblemSize size = size_of(problem, 0);
    const double inside = typical_interior_point_seconds(size);  // infinite unless in the columns
    const bool crosses = ours && inside < kInfinity && interior_point_fits(size, context);
    Solution out = solve_by_dual_descent(problem, options, crosses ? inside : kInfinity, context);
    if (!ours && options.max_iterations == 0 && problem.size() <= kMostPolished &&
        out.status != SolveStatus::interrupted) {
        // Some coefficients approach a bound or a kink but reach it late.
        static_cast<void>(polish(problem, options, kEarlyWork, out, context));
    }
    if (!ours || out.status != SolveStatus::iteration_limit) {
        return out;
    }
    if (crosses && cross_inside(problem, options, out, context)) {
        return out;
    }
    if (!crosses || problem.size() <= kMostPolished) {
        return go_on_by_coordinates(problem, options, std::move(out), "dual descent was slow",
                                    context);
    }
    SolveOptions rest = options;
    rest.start = out.beta;
    Solution more = solve_by_dual_descent(problem, rest, inside, context);
    more.iterations += out.iterations;
    more.certify_seconds += out.certify_seconds;
    const Goal goal = goal_of(options, kDefaultGapTolerance);
    Solution& better = goal.prefers(out.certificate(), more.certificate()) ? out : more;
    if (better.status == SolveStatus::iteration_limit) {
        better.status = SolveStatus::reduced;  // the user has set no limit
    }
    return std::move(better);
}

Solution solve_from_active_set(const Problem& problem, const SolveOptions& options,
                               Context& context) {
    Solution out = solve_by_active_set(problem, options, context);
    if (out.status != SolveStatus::reduced || options.max_iterations > 0) {
        return out;
    }
    return go_on_by_coordinates(problem, options, std::move(out), "rounding ended the active set",
                                context);
}

}  // namespace mercer
