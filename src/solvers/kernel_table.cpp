// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/kernel_table.cpp - the solvers of kernel machines with one output.
//
// Users see this order; `auto` chooses the first of a form that fits, unless memory (smooth.cpp) or
// the cost model (choose.cpp) favours another.
#include <memory>

#include "mercer/solvers/decomposition.hpp"
#include "mercer/solvers/kernel_newton.hpp"
#include "mercer/solvers/registry.hpp"
#include "mercer/solvers/smo.hpp"
#include "solvers/choose.hpp"
#include "solvers/dual_descent.hpp"
#include "solvers/estimates.hpp"
#include "solvers/interior_point.hpp"
#include "solvers/kernel_solvers.hpp"
#include "solvers/rescue.hpp"

namespace mercer {

namespace {

constexpr SolverCapabilities kNewton{.warm_start = true, .trace = true};
constexpr SolverCapabilities kDescent{.warm_start = true, .trace = true, .products = true};
constexpr SolverCapabilities kSteps{.checkpoint = true, .warm_start = true};

SolverFacts facts(SolverId id, SolverForm form, SolverCapabilities can, const char* summary) {
    return {.name = std::string(name_of(id)), .summary = summary, .form = form, .can = can};
}

bool is_logistic(const Problem& problem) {
    return std::holds_alternative<LogisticLoss>(problem.loss);
}
bool is_smooth(const Problem& problem) { return newton_fits(problem.loss); }
bool is_piecewise(const Problem& problem) { return is_smooth(problem) && !is_logistic(problem); }
bool has_box(const Problem& problem) { return has_box_dual(problem.loss); }

template <Optimiser method>
Solution descend(const Problem& problem, const SolveOptions& options, Context& context) {
    return solve_by_descent(problem, options, method, context);
}

template <typename Solver>
std::unique_ptr<CoordinateSolver> make(const Problem& problem, const CoordinateOptions& options,
                                       Context& context) {
    return std::make_unique<Solver>(problem, options, context);
}

std::vector<KernelSolver> make_table() {
    using enum SolverId;
    using enum SolverForm;
    return {
        {.facts = facts(newton, smooth, kNewton, "Newton's method, one factorisation per step"),
         .fits = is_logistic,
         .estimate = estimate_newton,
         .solve = solve_by_newton},
        {.facts = facts(finite_newton, smooth, kNewton,
                        "Newton's method on a piecewise quadratic loss: finitely many steps"),
         .fits = is_piecewise,
         .estimate = estimate_newton,
         .solve = solve_by_newton},
        {.facts = facts(lbfgs, smooth, kDescent, "limited-memory quasi-Newton, products with K"),
         .fits = is_smooth,
         .estimate = estimate_products,
         .solve = descend<mercer::lbfgs>},
        {.facts = facts(conjugate_gradient, smooth, kDescent,
                        "nonlinear conjugate gradients, products with K"),
         .fits = is_smooth,
         .estimate = estimate_products,
         .solve = descend<nonlinear_conjugate_gradient>},
        {.facts = facts(smo, smooth, {.trace = true}, "the logistic dual by pairwise steps"),
         .fits = is_logistic,
         .estimate = estimate_newton,
         .solve = solve_by_logistic_smo},
        {.facts = facts(gradient_descent, smooth, kDescent, "steepest descent, products with K"),
         .fits = is_smooth,
         .estimate = estimate_products,
         .solve = descend<mercer::gradient_descent>},
        {.facts = facts(decomposition, box_dual, kSteps,
                        "large working sets, solved in the processor cache"),
         .fits = DecompositionSolver::fits,
         .estimate = estimate_rows,
         .make = make<DecompositionSolver>,
         .typical_seconds = typical_decomposition_seconds},
        {.facts = facts(smo, box_dual, kSteps, "pairwise second-order steps, with shrinking"),
         .fits = SmoSolver::fits,
         .estimate = estimate_rows,
         .make = make<SmoSolver>,
         .typical_seconds = typical_smo_seconds},
        {.facts = facts(active_set, box_dual, {.warm_start = true},
                        "linear systems of the free rows, to full double precision"),
         .fits = has_box,
         .estimate = estimate_rows,
         .solve = solve_from_active_set},
        {.facts = facts(interior_point, box_dual, {.trace = true},
                        "primal-dual steps inside the box: few columns of any scale, or few rows"),
         .fits = has_box,
         .estimate = estimate_interior_point,
         .solve = solve_by_interior_point,
         .typical_seconds = typical_interior_point_seconds},
        {.facts = {.name = "dual-descent",
                   .summary = "dual coordinate descent: many rows of a linear kernel",
                   .form = box_dual,
                   .can = {.warm_start = true, .trace = true}},
         .fits = dual_descent_fits,
         .estimate = estimate_dual_descent,
         .solve = solve_from_dual_descent,
         .typical_seconds = typical_dual_descent_seconds},
    };
}

}  // namespace

std::span<const KernelSolver> kernel_table() {
    static const std::vector<KernelSolver> rows = make_table();
    return rows;
}

std::vector<const KernelSolver*> kernel_solvers(const Problem& problem, SolverForm form) {
    std::vector<const KernelSolver*> rows;
    for (const KernelSolver& row : kernel_table()) {
        if (row.facts.form == form && row.fits(problem)) {
            rows.push_back(&row);
        }
    }
    return rows;
}

}  // namespace mercer
