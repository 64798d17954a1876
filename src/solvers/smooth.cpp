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
#include "solvers/kernel_objective.hpp"
#include "solvers/logistic_smo.hpp"

namespace mercer {

namespace {

constexpr int kMostRounds = 20;

/// What was asked for, and the best that was proved so far.
class Proof {
public:
    Proof(const Problem& problem, const SolveOptions& options, Context& context)
        : problem_(problem),
          options_(options),
          context_(context),
          patient_(Context::unstoppable(context)),
          start_(context.elapsed()) {
        for (const auto& [name, value] : {std::pair{"gap_tolerance", options.gap_tolerance},
                                          std::pair{"tolerance", options.tolerance}}) {
            if (!std::isnan(value)) {
                require_in_range(name, value, Range::positive());
            }
        }
        gap_ = std::isnan(options.gap_tolerance) && std::isnan(options.tolerance)
                   ? kSmoothGapTolerance
                   : options.gap_tolerance;
    }

    /// True when a certificate may be worth its price: `estimate` bounds the gap roughly.
    [[nodiscard]] bool promising(double estimate, double value) const {
        const double wanted = std::isnan(gap_) ? 1e-10 : gap_;
        return options_.trace || !(estimate > wanted * std::max(1.0, std::abs(value)));
    }

    /// Certifies the coefficients; true when everything that was asked for holds.
    bool certify(std::vector<double> beta, index_t iteration) {
        const double begin = context_.elapsed();
        const Certificate certificate = mercer::certify(problem_, beta, *patient_);
        const bool met =
            (std::isnan(gap_) || relative_gap(certificate) <= gap_) &&
            (std::isnan(options_.tolerance) || certificate.kkt_violation <= options_.tolerance);
        const bool better =
            solution_.beta.empty() || met || certificate.gap < solution_.certificate.gap;
        if (better) {
            solution_.beta = std::move(beta);
            solution_.certificate = certificate;
            solution_.intercept = certificate.intercept;
        }
        if (options_.trace) {
            solution_.trace.push_back({iteration, begin - start_ - solution_.certify_seconds,
                                       certificate.primal, relative_gap(certificate)});
        }
        solution_.certify_seconds += context_.elapsed() - begin;
        met_ = met_ || met;
        return met;
    }

    [[nodiscard]] Solution finish(SolveStatus ended, index_t iterations, std::string solver,
                                  index_t products) {
        solution_.iterations = iterations;
        solution_.products = products;
        solution_.solver = std::move(solver);
        solution_.status = met_ ? SolveStatus::converged
                                : (ended == SolveStatus::converged ? SolveStatus::reduced : ended);
        return std::move(solution_);
    }

private:
    const Problem& problem_;
    const SolveOptions& options_;
    Context& context_;
    std::unique_ptr<Context> patient_;
    double start_;
    double gap_ = kNaN;
    bool met_ = false;
    Solution solution_;
};

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
    try {
        ended = kernel_newton(
            problem, state, options.max_iterations,
            [&](const NewtonState& now, const NewtonStep& step) {
                iterations = step.iteration;
                certified = false;
                if (step.settled || proof.promising(step.decrement, now.value)) {
                    certified = true;
                    return !proof.certify(now.dual, step.iteration);
                }
                return true;
            },
            context);
    } catch (const Interrupted&) {
        certified = false;
    }
    if (!certified) {
        if (state.dual.empty()) {
            state.dual.assign(static_cast<std::size_t>(problem.size()), 0.0);
        }
        proof.certify(state.dual, iterations);
    }
    return proof.finish(ended, iterations, name, iterations + 1);
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
    return proof.finish(ended, smo.iterations(), "smo",
                        2 * smo.iterations() / std::max<index_t>(1, problem.size()));
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
        name = fits ? known.front() : "lbfgs";
    }
    if (std::find(known.begin(), known.end(), name) == known.end()) {
        throw InvalidArgument(fmt::format("solver: got '{}', this machine is solved by: {}", name,
                                          fmt::join(known, ", ")));
    }
    try {
        if (name == "newton" || name == "finite-newton") {
            return solve_with_newton(problem, options, name, context);
        }
        return name == "smo" ? solve_with_smo(problem, options, context)
                             : solve_with_gradients(problem, options, name, context);
    } catch (const Interrupted&) {  // before the first step: f = 0 and the best constant are left
        Proof proof(problem, options, context);
        proof.certify(std::vector<double>(static_cast<std::size_t>(problem.size()), 0.0), 0);
        return proof.finish(SolveStatus::interrupted, 0, name, 0);
    }
}

}  // namespace mercer
