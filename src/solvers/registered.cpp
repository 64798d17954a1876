// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/registered.cpp - runs a registered solver of the caller until its answer is proved.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.hpp"
#include "mercer/runtime/context.hpp"
#include "solvers/kernel_solvers.hpp"
#include "solvers/prover.hpp"

namespace mercer {

namespace {

constexpr int kMostRounds = 20;
constexpr double kFirstTolerance = 1e-3;

/// True when the answer can be certified. Throws InvalidArgument when it has the wrong length.
bool is_answer(const Solution& answer, const KernelSolver& row, const Problem& problem) {
    if (static_cast<index_t>(answer.beta.size()) != problem.size()) {
        throw InvalidArgument(fmt::format("solver: '{}' gave {} coefficients, must be {}",
                                          row.facts.name, answer.beta.size(), problem.size()));
    }
    return std::all_of(answer.beta.begin(), answer.beta.end(),
                       [](double value) { return std::isfinite(value); });
}

bool may_go_on(SolveStatus ended) {
    return ended == SolveStatus::converged || ended == SolveStatus::reduced;
}

}  // namespace

Solution solve_registered(const KernelSolver& row, const Problem& problem,
                          const SolveOptions& options, Context& context) {
    Prover<Problem> prover(
        problem, options, context,
        row.facts.form == SolverForm::smooth ? kSmoothGapTolerance : kDefaultGapTolerance);
    context.note(fmt::format("solver {} (registered)", row.facts.name));
    SolveOptions wanted = options;
    double tolerance = options.tolerance.value_or(kFirstTolerance);
    std::vector<double> start(options.start.begin(), options.start.end());
    index_t iterations = 0;
    SolveStatus ended = SolveStatus::interrupted;
    for (int round = 0; round < kMostRounds && !context.should_stop(); ++round) {
        wanted.start = start;
        wanted.tolerance = tolerance;
        if (options.max_iterations > 0) {
            wanted.max_iterations = std::max<index_t>(1, options.max_iterations - iterations);
        }
        try {
            Solution answer = row.solve(problem, wanted, context);
            ended = answer.status;
            iterations += answer.iterations;
            if (!is_answer(answer, row, problem)) {
                ended = SolveStatus::reduced;
                break;
            }
            const double before =
                prover.proved() ? computed_gap(prover.best().certificate()) : kInfinity;
            const bool met = prover.certify(std::move(answer.beta), iterations);
            if (met || !may_go_on(ended) || !(computed_gap(prover.best().certificate()) < before)) {
                break;
            }
        } catch (const Interrupted&) {
            ended = SolveStatus::interrupted;
            break;
        }
        if (options.max_iterations > 0 && iterations >= options.max_iterations) {
            ended = SolveStatus::iteration_limit;
            break;
        }
        start = prover.best().beta;
        tolerance = tighten(tolerance, prover.goal(), prover.best().certificate());
    }
    if (!prover.proved()) {  // f = 0 and the best constant remain
        prover.certify(std::vector<double>(static_cast<std::size_t>(problem.size()), 0.0), 0);
    }
    return prover.finish(ended, iterations, row.facts.name);
}

}  // namespace mercer
