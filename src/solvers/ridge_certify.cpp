// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/ridge_certify.cpp - the certificates of a ridge solution, target by target.
#include <algorithm>
#include <cmath>
#include <memory>

#include "mercer/problems/problem.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/goal.hpp"
#include "mercer/solvers/linear.hpp"
#include "solvers/precise_interior_point.hpp"
#include "solvers/ridge_system.hpp"

namespace mercer {

namespace {

std::vector<double> coefficients_of(const RidgeSolution& solution, index_t rows, index_t targets,
                                    index_t target) {
    std::vector<double> beta(static_cast<std::size_t>(rows));
    for (index_t i = 0; i < rows; ++i) {
        beta[static_cast<std::size_t>(i)] =
            solution.beta[static_cast<std::size_t>(i * targets + target)];
    }
    return beta;
}

}  // namespace

Problem target_problem(const RidgeProblem& ridge, index_t target) {
    Problem problem;
    problem.gram = ridge.gram;
    problem.loss = SquaredLoss{};
    problem.intercept = ridge.intercept;
    const double cost = ridge.alpha > 0.0 ? 1.0 / (2.0 * ridge.alpha) : 1.0;  // as models store it
    problem.targets.reserve(static_cast<std::size_t>(ridge.size()));
    problem.costs.reserve(static_cast<std::size_t>(ridge.size()));
    for (index_t i = 0; i < ridge.size(); ++i) {
        const double weight =
            ridge.weights.empty() ? 1.0 : ridge.weights[static_cast<std::size_t>(i)];
        problem.targets.push_back(
            ridge.targets[static_cast<std::size_t>(i * ridge.target_count + target)]);
        problem.costs.push_back(cost * weight);
    }
    return problem;
}

void certify_ridge(const RidgeProblem& ridge, RidgeSolution& out, Context& context) {
    const std::unique_ptr<Context> uninterruptible = Context::unstoppable(context);
    const Context::Uncounted judging(*uninterruptible);
    const double start = context.elapsed();
    const index_t n = ridge.size();
    const index_t targets = ridge.target_count;
    out.status = out.consistent ? SolveStatus::converged : SolveStatus::reduced;
    out.certificates.clear();
    for (index_t c = 0; c < targets; ++c) {
        std::vector<double> beta = coefficients_of(out, n, targets, c);
        const Problem problem = target_problem(ridge, c);
        double& intercept = out.intercepts[static_cast<std::size_t>(c)];
        if (ridge.alpha > 0.0) {
            out.certificates.push_back(certify(problem, beta, *uninterruptible));
            intercept = out.certificates.back().intercept;
            for (index_t i = 0; i < n; ++i) {
                out.beta[static_cast<std::size_t>(i * targets + c)] =
                    beta[static_cast<std::size_t>(i)];
            }
        } else {
            // alpha = 0: least norm subject to f(x_i) + b = y_i.
            const std::vector<double> f = decision_values(problem, beta, *uninterruptible);
            out.certificates.push_back(
                certify_least_norm(problem.targets, problem.costs, beta, f, intercept));
            out.certificates.back().exact = out.consistent;
        }
    }
    out.certify_seconds = context.elapsed() - start;
}

void refine_certificates(const RidgeProblem& ridge, const WantedGap& wanted, RidgeSolution& out,
                         Context& context) {
    if (ridge.alpha == 0.0) {
        return;
    }
    const double start = context.elapsed();
    for (std::size_t c = 0; c < out.certificates.size(); ++c) {
        Certificate& known = out.certificates[c];
        const double goal = wanted.relative * std::max(wanted.unit, std::abs(known.primal));
        if (known.gap > goal && known.gap - 2.0 * known.rounding <= goal) {
            std::vector<double> beta =
                coefficients_of(out, ridge.size(), ridge.target_count, static_cast<index_t>(c));
            const double moved = known.dual_infeasibility;
            known = certify(target_problem(ridge, static_cast<index_t>(c)), beta, context, wanted);
            known.dual_infeasibility = moved;
            out.intercepts[c] = known.intercept;
        }
    }
    out.certify_seconds += context.elapsed() - start;
}

void finish_ridge_precisely(const RidgeProblem& ridge, const RidgeOptions& options,
                            RidgeSolution& out, Context& context) {
    if (ridge.alpha == 0.0 || std::isnan(options.proof.relative) ||
        !options.solver.is_automatic()) {
        return;
    }
    const index_t targets = ridge.target_count;
    for (index_t c = 0; c < targets; ++c) {
        const auto place = static_cast<std::size_t>(c);
        Solution target;
        target.beta = coefficients_of(out, ridge.size(), targets, c);
        target.certificates = {out.certificates[place]};
        target.intercepts = {out.intercepts[place]};
        const SolveOptions wanted{.gap_tolerance = options.proof.relative,
                                  .unit = options.proof.unit};
        if (goal_of(wanted, kNaN).met(target.certificate())) {
            continue;
        }
        finish_precisely(target_problem(ridge, c), wanted, kNaN, target, context);
        for (index_t i = 0; i < ridge.size(); ++i) {
            out.beta[static_cast<std::size_t>(i * targets + c)] =
                target.beta[static_cast<std::size_t>(i)];
        }
        out.certificates[place] = target.certificate();
        out.intercepts[place] = target.intercept();
        if (target.status == SolveStatus::interrupted) {
            out.status = target.status;
            return;
        }
    }
}

}  // namespace mercer
