// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/softmax.cpp - the driver of the joint problem of many classes: observe, certify, stop.
//
// Like smooth.cpp: a solver produces primal points; the dual point c (e_y - p) of each is certified,
// and the best is retained.
#include "mercer/solvers/softmax.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "mercer/base/error.hpp"
#include "mercer/losses/softmax.hpp"
#include "mercer/operators/linear_rows.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/options.hpp"
#include "mercer/solvers/optimise.hpp"
#include "mercer/solvers/smooth.hpp"
#include "solvers/certified_descent.hpp"
#include "solvers/estimates.hpp"
#include "solvers/find_solver.hpp"
#include "solvers/prover.hpp"
#include "solvers/smaller_cost.hpp"
#include "solvers/softmax_newton.hpp"

namespace mercer {

namespace {

/// The primal as a function of (beta, K beta, b), with the gradient and the inner product of the
/// RKHS (kernel_objective.hpp explains why).
class SoftmaxObjective final : public Objective {
public:
    SoftmaxObjective(const SoftmaxProblem& problem, Context& context)
        : problem_(problem),
          context_(context),
          k_(problem.class_count),
          entries_(problem.size() * problem.class_count),
          gram_(problem.gram->whole(Precision::float64, context)) {
        double sum = 0.0;
        for (const double value : problem.gram->diagonal()) {
            sum += value;
        }
        const double mean = sum / static_cast<double>(std::max<index_t>(1, problem.size()));
        scale_ = std::sqrt(std::max(1e-300, mean));
    }

    [[nodiscard]] index_t size() const override { return 2 * entries_ + k_; }

    double evaluate(std::span<const double> x, std::span<double> gradient) override {
        const auto m = static_cast<std::size_t>(entries_);
        const auto k = static_cast<std::size_t>(k_);
        SoftmaxState state = state_of(x);
        refresh(problem_, state);
        std::fill(gradient.end() - k_, gradient.end(), 0.0);
        for (std::size_t i = 0; i < m; ++i) {
            gradient[i] = x[i] - state.dual[i];
            if (problem_.intercept) {
                gradient[2 * m + i % k] -= scale_ * state.dual[i];
            }
        }
        gram_->multiply(MatrixView<const double>(gradient.data(), problem_.size(), k_),
                        MatrixView<double>(gradient.data() + m, problem_.size(), k_), context_);
        return state.value;
    }

    [[nodiscard]] double inner(std::span<const double> a,
                               std::span<const double> b) const override {
        const auto m = static_cast<std::size_t>(entries_);
        double sum = 0.0;
        for (std::size_t i = 0; i < m; ++i) {
            sum += a[i] * b[m + i];
        }
        for (std::size_t c = 2 * m; c < a.size(); ++c) {
            sum += a[c] * b[c];
        }
        return sum;
    }

    [[nodiscard]] std::vector<double> dual_point(std::span<const double> x) const {
        SoftmaxState state = state_of(x);
        refresh(problem_, state);
        return std::move(state.dual);
    }

    /// The point with these coefficients; empty: zero.
    [[nodiscard]] std::vector<double> point(std::span<const double> beta) {
        std::vector<double> x(static_cast<std::size_t>(size()), 0.0);
        if (!beta.empty()) {
            const auto m = static_cast<std::size_t>(entries_);
            std::copy(beta.begin(), beta.end(), x.begin());
            gram_->multiply(MatrixView<const double>(beta.data(), problem_.size(), k_),
                            MatrixView<double>(x.data() + m, problem_.size(), k_), context_);
            const std::vector<double> b =
                best_intercepts(problem_, std::span<const double>(x).subspan(m, m));
            for (std::size_t c = 0; c < b.size(); ++c) {
                x[2 * m + c] = b[c] / scale_;
            }
        }
        return x;
    }

private:
    [[nodiscard]] SoftmaxState state_of(std::span<const double> x) const {
        SoftmaxState state;
        state.beta.assign(x.begin(), x.begin() + entries_);
        state.f.assign(x.begin() + entries_, x.begin() + 2 * entries_);
        for (const double b : x.subspan(static_cast<std::size_t>(2 * entries_))) {
            state.intercepts.push_back(scale_ * b);
        }
        return state;
    }

    const SoftmaxProblem& problem_;
    Context& context_;
    index_t k_;
    index_t entries_;
    std::unique_ptr<const GramBlock> gram_;
    double scale_ = 1.0;  ///< b = scale * its coordinate
};

using SoftmaxProof = Prover<SoftmaxProblem>;

std::vector<double> zeros(const SoftmaxProblem& problem) {
    return std::vector<double>(
        static_cast<std::size_t>(checked_multiply(problem.size(), problem.class_count)), 0.0);
}

Solution softmax_with_newton(const SoftmaxProblem& problem, const SolveOptions& options,
                             Context& context) {
    SoftmaxProof proof(problem, options, context);
    SoftmaxState state;
    state.beta = zeros(problem);
    std::copy(options.start.begin(), options.start.end(), state.beta.begin());
    state.f = decision_values(problem, state.beta, context);
    state.intercepts = best_intercepts(problem, state.f);
    refresh(problem, state);
    index_t iterations = 0;
    SolveStatus ended = SolveStatus::interrupted;
    bool certified = false;  // the last state
    try {
        ended = softmax_newton(
            problem, state, options.max_iterations,
            [&](const SoftmaxState& now, const SoftmaxStep& step) {
                iterations = step.iteration;
                certified = proof.promising(step.decrement, now.value);
                return !(certified && proof.certify(now.dual, step.iteration));
            },
            context);
    } catch (const Interrupted&) {
        certified = false;
    }
    if (!certified) {
        proof.certify(state.dual, iterations);
    }
    return proof.finish(ended, iterations, options.solver.name());
}

template <Optimiser method>
Solution softmax_with_gradients(const SoftmaxProblem& problem, const SolveOptions& options,
                                Context& context) {
    SoftmaxProof proof(problem, options, context);
    SoftmaxObjective objective(problem, context);
    const std::vector<double> start = objective.point(options.start);
    return descend_to_proof(proof, objective, start, options, method, context);
}

Solution run(const SoftmaxSolver& row, const SoftmaxProblem& problem, const SolveOptions& options,
             Context& context) {
    SolveOptions named = options;
    named.solver = row.facts.name;
    return row.solve(problem, named, context);
}

/// Newton's method for fractions of the cost, as far as the rounding of K allows, certified for the
/// full cost.
Solution solve_with_smaller_costs(const SoftmaxSolver& row, const SoftmaxProblem& problem,
                                  const SolveOptions& options, Context& context) {
    SoftmaxProof proof(problem, options, context);
    SolveOptions wanted = options;
    wanted.solver = row.facts.name;
    wanted.trace = false;
    wanted.start = {};
    proof.certify(zeros(problem), 0);
    const double cost = *std::max_element(problem.costs.begin(), problem.costs.end());
    const index_t iterations = prove_by_smaller_costs(
        problem, greatest_smaller_cost(*problem.gram, cost), proof,
        [&](const SoftmaxProblem& smaller) { return row.solve(smaller, wanted, context); },
        context);
    return proof.finish(context.should_stop() ? SolveStatus::interrupted : SolveStatus::reduced,
                        iterations, row.facts.name);
}

/// The first solver in the table that stores no matrix.
const SoftmaxSolver& first_by_products() {
    return *std::find_if(softmax_table().begin(), softmax_table().end(),
                         [](const SoftmaxSolver& row) { return row.facts.can.products; });
}

/// Newton's method; if rounding stops it short of the goal, L-BFGS from its last point. Returns the
/// better of the two.
Solution solve_with_newton_or_gradients(const SoftmaxSolver& row, const SoftmaxProblem& problem,
                                        const SolveOptions& options, Context& context) {
    Solution first = run(row, problem, options, context);
    if (first.status != SolveStatus::reduced || context.should_stop()) {
        return first;
    }
    context.note(fmt::format(
        "{} ends at a relative gap of {:.3g}: its matrix is singular to rounding; "
        "{} goes on",
        row.facts.name, relative_gap(first.certificate()), first_by_products().facts.name));
    SolveOptions wanted = options;
    wanted.start = first.beta;
    Solution second = run(first_by_products(), problem, wanted, context);
    const bool better = second.status == SolveStatus::converged ||
                        second.certificate().gap < first.certificate().gap;
    Solution& kept = better ? second : first;
    const Solution& other = better ? first : second;
    kept.iterations += other.iterations;
    kept.certify_seconds += other.certify_seconds;
    return std::move(kept);
}

// Four classes of a mixture in 5 columns, seconds of one core, Newton's method and L-BFGS: at 1000
// rows 1.7 and 0.2 (C = 1), 2.7 and 2.2 (C = 100), 4.9 and 16 (C = 10^4); at 300 rows 0.08 and 0.01,
// 0.12 and 0.09, 0.17 and 0.33. Below this size the reliable method, above it the cheap one.
constexpr index_t kNewtonRows = 1000;

SolverFacts softmax_facts(SolverId id, SolverCapabilities can, const char* summary) {
    return {.name = std::string(name_of(id)),
            .summary = summary,
            .form = SolverForm::softmax,
            .can = can};
}

bool fits_any(const SoftmaxProblem&) { return true; }

std::vector<SoftmaxSolver> make_softmax_table() {
    constexpr SolverCapabilities kDescent{.warm_start = true, .trace = true, .products = true};
    return {
        {softmax_facts(SolverId::newton, {.warm_start = true, .trace = true},
                       "Newton's method, a factorisation per class"),
         fits_any, estimate_softmax_newton, softmax_with_newton},
        {softmax_facts(SolverId::lbfgs, kDescent, "limited-memory quasi-Newton, products with K"),
         fits_any, estimate_softmax_products, softmax_with_gradients<lbfgs>},
        {softmax_facts(SolverId::conjugate_gradient, kDescent,
                       "nonlinear conjugate gradients, products with K"),
         fits_any, estimate_softmax_products, softmax_with_gradients<nonlinear_conjugate_gradient>},
        {softmax_facts(SolverId::gradient_descent, kDescent, "steepest descent, products with K"),
         fits_any, estimate_softmax_products, softmax_with_gradients<gradient_descent>},
    };
}

}  // namespace

std::span<const SoftmaxSolver> softmax_table() {
    static const std::vector<SoftmaxSolver> rows = make_softmax_table();
    return rows;
}

const SoftmaxSolver& usual_softmax_solver(index_t rows, index_t memory_left) {
    // Newton's method while its matrices take less than half the memory left.
    const auto n = static_cast<double>(rows);
    const bool fits = 64.0 * n * n <= static_cast<double>(memory_left);
    return rows <= kNewtonRows && fits ? softmax_table().front() : first_by_products();
}

Solution solve_softmax(const SoftmaxProblem& problem, const SolveOptions& options,
                       Context& context) {
    require_well_formed(problem);
    require_start(options, checked_multiply(problem.size(), problem.class_count));
    const bool free = options.solver.is_automatic();
    const SoftmaxSolver& row =
        free ? usual_softmax_solver(problem.size(), context.memory()->left())
             : required_solver(fitting(softmax_table(), problem), options.solver);
    const LinearFactor* x = problem.gram->linear();
    const bool passes = x != nullptr && two_passes_are_cheaper(x->rows, problem.class_count);
    context.note(fmt::format(
        "solver {} ({}){}", row.facts.name,
        free ? fmt::format("auto: {} up to {} rows, {} beyond", softmax_table().front().facts.name,
                           kNewtonRows, first_by_products().facts.name)
             : "asked for",
        passes ? ", products with K are two passes over the rows" : ""));
    try {
        return free && !row.facts.can.products
                   ? solve_with_newton_or_gradients(row, problem, options, context)
                   : run(row, problem, options, context);
    } catch (const SingularSystem&) {
        if (!problem.gram->is_definite()) {
            throw;
        }
        return solve_with_smaller_costs(row, problem, options, context);
    } catch (const Interrupted&) {  // before the first step: f = 0 and the best constants remain
        SoftmaxProof proof(problem, options, context);
        proof.certify(zeros(problem), 0);
        return proof.finish(SolveStatus::interrupted, 0, row.facts.name);
    }
}

}  // namespace mercer
