// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/smooth.cpp - the driver of the smooth solvers: watch, certify, stop.
//
// A smooth solver walks through primal points. The point's slopes are coefficients in the dual box
// (beta_i = -c_i loss'(z_i)), and they are what is certified and kept: at the optimum the two are
// one. A certificate costs a product with K, so it is made only when the solver's own measure says
// that the tolerance may hold, or at every iteration when a trace is asked for.
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
#include "solvers/kernel_objective.hpp"
#include "solvers/logistic_smo.hpp"
#include "solvers/polish.hpp"
#include "solvers/smooth_proof.hpp"

namespace mercer {

namespace {

constexpr int kMostRounds = 20;

using Proof = SmoothProof<Problem, Solution>;

Solution solve_with_newton(const Problem& problem, const SolveOptions& options,
                           const std::string& name, Context& context) {
    Proof proof(problem, options, context);
    NewtonState state;
    if (!options.start.empty()) {
        state.beta.assign(options.start.begin(), options.start.end());
        project_onto_dual(problem, state.beta);
        state.f = decision_values(problem, state.beta, context);
        state.intercept = choose_intercept(best_intercepts(problem, state.f));
    }
    index_t iterations = 0;
    SolveStatus ended = SolveStatus::interrupted;
    bool certified = false;  // the last state
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

Solution solve_with_gradients(const Problem& problem, const SolveOptions& options,
                              const std::string& name, Context& context) {
    Proof proof(problem, options, context);
    KernelObjective objective(problem, context);
    const std::vector<double> start = objective.point(options.start);
    return descend_to_proof(proof, objective, start, options, name, context);
}

/// The dual by pairs: run to a tolerance, certify, tighten.
Solution solve_with_smo(const Problem& problem, const SolveOptions& options, Context& context) {
    Proof proof(problem, options, context);
    LogisticSmo smo(problem, context);
    const index_t limit = options.max_iterations > 0
                              ? options.max_iterations
                              : std::max<index_t>(10'000'000, 100 * problem.size());
    double tolerance = std::isnan(options.tolerance) ? 1e-2 : options.tolerance;
    SolveStatus ended = SolveStatus::reduced;
    for (int round = 0; round < kMostRounds; ++round) {
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
    return proof.finish(ended, smo.iterations(), "smo");
}

}  // namespace

std::vector<std::string> smooth_solvers(const Loss& loss) {
    if (std::holds_alternative<LogisticLoss>(loss)) {
        return {"newton", "lbfgs", "conjugate-gradient", "smo", "gradient-descent"};
    }
    if (newton_fits(loss)) {
        return {"finite-newton", "lbfgs", "conjugate-gradient", "gradient-descent"};
    }
    return {};
}

bool solved_in_columns(const Problem& problem, Context& context) {
    return newton_fits(problem.loss) && !problem.has_mass() &&
           column_form(*problem.gram, context).cheaper;
}

Solution solve_smooth(const Problem& problem, const SolveOptions& options, Context& context) {
    require_well_formed(problem);
    if (!options.start.empty() && static_cast<index_t>(options.start.size()) != problem.size()) {
        throw InvalidArgument(fmt::format("start: got {} coefficients, must be {}",
                                          options.start.size(), problem.size()));
    }
    const std::vector<std::string> known = smooth_solvers(problem.loss);
    if (known.empty()) {
        throw InvalidArgument(
            fmt::format("loss: no smooth solver fits '{}'", name_of(problem.loss)));
    }
    std::string name = options.solver;
    if (name == "auto") {  // Newton's method while its matrix takes less than half the memory left
        const auto n = static_cast<double>(problem.size());
        const bool fits = 16.0 * n * n <= static_cast<double>(context.memory()->left());
        name = fits || solved_in_columns(problem, context) ? known.front() : "lbfgs";
    }
    if (std::find(known.begin(), known.end(), name) == known.end()) {
        throw InvalidArgument(fmt::format("solver: got '{}', this machine is solved by: {}", name,
                                          fmt::join(known, ", ")));
    }
    try {
        Solution out = name == "newton" || name == "finite-newton"
                           ? solve_with_newton(problem, options, name, context)
                       : name == "smo" ? solve_with_smo(problem, options, context)
                                       : solve_with_gradients(problem, options, name, context);
        polish_as_asked(problem, options, out, context);
        return out;
    } catch (const Interrupted&) {  // before the first step: f = 0 and the best constant are left
        Proof proof(problem, options, context);
        proof.certify(std::vector<double>(static_cast<std::size_t>(problem.size()), 0.0), 0);
        return proof.finish(SolveStatus::interrupted, 0, name);
    }
}

}  // namespace mercer
