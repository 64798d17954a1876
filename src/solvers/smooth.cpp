// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/smooth.cpp - the driver of the smooth solvers: watch, certify, stop.
//
// A smooth solver iterates over primal points. The slopes of the losses at a point are coefficients
// in the dual box (beta_i = -c_i loss'(z_i)), and these are certified and retained: at the optimum
// they equal the primal coefficients. A certificate costs a product with K, so it is computed only
// when the solver's own measure suggests that the tolerance may hold, or at every iteration if a
// trace is requested.
#include "mercer/solvers/smooth.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "mercer/base/error.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/options.hpp"
#include "mercer/solvers/kernel_newton.hpp"
#include "solvers/certified_descent.hpp"
#include "solvers/column_newton.hpp"
#include "solvers/find_solver.hpp"
#include "solvers/kernel_objective.hpp"
#include "solvers/kernel_solvers.hpp"
#include "solvers/logistic_smo.hpp"
#include "solvers/polish.hpp"
#include "solvers/precise_interior_point.hpp"
#include "solvers/prover.hpp"
#include "solvers/smaller_cost.hpp"

namespace mercer {

namespace {

constexpr int kMostSmoothRounds = 20;

using SmoothProof = Prover<Problem>;

/// The start of Newton's method: empty, or the caller's coefficients.
NewtonState newton_start(const Problem& problem, const SolveOptions& options, Context& context) {
    NewtonState state;
    if (!options.start.empty()) {
        state.beta.assign(options.start.begin(), options.start.end());
        project_onto_dual(problem, state.beta);
        state.f = decision_values(problem, state.beta, context);
        state.intercept = choose_intercept(best_intercepts(problem, state.f));
    }
    return state;
}

/// Newton's method until its certificate meets the goal. Throws SingularSystem.
Solution run_newton(const Problem& problem, const SolveOptions& options, Context& context) {
    const std::string& name = options.solver.name();
    SmoothProof proof(problem, options, context);
    NewtonState state = newton_start(problem, options, context);
    index_t iterations = 0;
    SolveStatus ended = SolveStatus::interrupted;
    bool certified = false;  // whether the last state was certified
    const ColumnForm form = column_form(*problem.gram, context);
    const NewtonWatch watch = [&](const NewtonState& now, const NewtonStep& step) {
        iterations = step.iteration;
        certified = false;
        if (step.settled || proof.promising(step.decrement, now.value)) {
            certified = true;
            return !proof.certify(now.dual, step.iteration);
        }
        return true;
    };
    if (!form.reason.empty()) {
        context.note(fmt::format("solver {} in the {} ({})", name,
                                 form.cheaper ? "columns" : "rows", form.reason));
    }
    try {
        ended =
            form.cheaper
                ? column_newton(problem, form.direct, state, options.max_iterations, watch, context)
                : kernel_newton(problem, state, options.max_iterations, watch, context);
    } catch (const Interrupted&) {
        certified = false;
    }
    if (!certified) {
        if (state.dual.empty()) {
            state.dual.assign(static_cast<std::size_t>(problem.size()), 0.0);
        }
        proof.certify(state.dual, iterations);
    }
    return proof.finish(ended, iterations, name);
}

/// The same with shares of the cost that the rounding of K allows, certified for the full cost.
Solution run_newton_with_smaller_costs(const Problem& problem, const SolveOptions& options,
                                       Context& context) {
    SmoothProof proof(problem, options, context);
    SolveOptions wanted = options;
    wanted.trace = false;
    wanted.start = {};
    proof.certify(std::vector<double>(static_cast<std::size_t>(problem.size()), 0.0), 0);
    const double curvature =
        std::visit([](const auto& kind) { return kind.kGreatestCurvature; }, problem.loss);
    const double cost = *std::max_element(problem.costs.begin(), problem.costs.end());
    const index_t iterations = prove_by_smaller_costs(
        problem, greatest_smaller_cost(*problem.gram, cost * curvature), proof,
        [&](const Problem& smaller) { return run_newton(smaller, wanted, context); }, context);
    return proof.finish(context.should_stop() ? SolveStatus::interrupted : SolveStatus::reduced,
                        iterations, options.solver.name());
}

}  // namespace

Solution solve_by_newton(const Problem& problem, const SolveOptions& options, Context& context) {
    try {
        return run_newton(problem, options, context);
    } catch (const SingularSystem&) {
        if (!problem.gram->is_definite()) {
            throw;
        }
        return run_newton_with_smaller_costs(problem, options, context);
    }
}

Solution solve_by_descent(const Problem& problem, const SolveOptions& options, Optimiser method,
                          Context& context) {
    SmoothProof proof(problem, options, context);
    KernelObjective objective(problem, context);
    const std::vector<double> start = objective.point(options.start);
    return descend_to_proof(proof, objective, start, options, method, context);
}

/// Run to a tolerance, certify, tighten.
Solution solve_by_logistic_smo(const Problem& problem, const SolveOptions& options,
                               Context& context) {
    SmoothProof proof(problem, options, context);
    LogisticSmo smo(problem, context);
    const index_t limit = options.max_iterations > 0
                              ? options.max_iterations
                              : std::max<index_t>(10'000'000, 100 * problem.size());
    double tolerance = options.tolerance.value_or(1e-2);
    SolveStatus ended = SolveStatus::reduced;
    for (int round = 0; round < kMostSmoothRounds; ++round) {
        try {
            ended = smo.run(tolerance, limit, context);
        } catch (const Interrupted&) {
            ended = SolveStatus::interrupted;
        }
        const bool met = proof.certify({smo.beta().begin(), smo.beta().end()}, smo.iterations());
        if (met || ended == SolveStatus::interrupted || ended == SolveStatus::iteration_limit ||
            tolerance < 1e-14) {
            break;
        }
        tolerance *= 0.1;
    }
    return proof.finish(ended, smo.iterations(), options.solver.name());
}

std::vector<std::string> smooth_solvers(const Loss& loss) {
    Problem form;
    form.loss = loss;
    return names_of(kernel_solvers(form, SolverForm::smooth));
}

bool solved_in_columns(const Problem& problem, Context& context) {
    return newton_fits(problem.loss) && !problem.has_mass() &&
           column_form(*problem.gram, context).cheaper;
}

namespace {

/// Newton's method if its matrix takes less than half of the free memory, otherwise the first
/// solver that stores no matrix.
const KernelSolver& cheapest_smooth(const std::vector<const KernelSolver*>& rows,
                                    const Problem& problem, Context& context) {
    if (newton_matrix_fits(problem.size(), context.memory()->left()) ||
        solved_in_columns(problem, context)) {
        return *rows.front();
    }
    return **std::find_if(rows.begin(), rows.end(),
                          [](const KernelSolver* row) { return row->facts.can.products; });
}

}  // namespace

Solution solve_smooth(const Problem& problem, const SolveOptions& options, Context& context) {
    require_well_formed(problem);
    require_start(options, problem.size());
    if (const KernelSolver* own = registered_solver(problem, options); own && own->solve) {
        return solve_registered(*own, problem, options, context);
    }
    const std::vector<const KernelSolver*> rows = kernel_solvers(problem, SolverForm::smooth);
    if (rows.empty()) {
        throw InvalidArgument(
            fmt::format("loss: no smooth solver fits '{}'", name_of(problem.loss)));
    }
    const KernelSolver& row = options.solver.is_automatic()
                                  ? cheapest_smooth(rows, problem, context)
                                  : required_solver(rows, options.solver);
    SolveOptions named = options;
    named.solver = row.facts.name;
    try {
        Solution out = row.solve(problem, named, context);
        finish_precisely(problem, options, kSmoothGapTolerance, out, context);
        polish_as_asked(problem, options, out, context);
        return out;
    } catch (const Interrupted&) {  // before the first step: f = 0 and the best constant remain
        SmoothProof proof(problem, options, context);
        proof.certify(std::vector<double>(static_cast<std::size_t>(problem.size()), 0.0), 0);
        return proof.finish(SolveStatus::interrupted, 0, row.facts.name);
    }
}

}  // namespace mercer
