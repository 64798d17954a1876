// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/interior_point.cpp - Mehrotra's predictor and corrector for duals in a box.
//
//     minimise   1/2 v'(K + R)v + q'v    subject to   0 <= v <= c   and up to two sums
//
// Method   Primal-dual interior point (Mehrotra, SIAM J. Optim. 2, 1992; for support vector
//          machines of low rank Ferris and Munson, SIAM J. Optim. 13, 2002). The start is the
//          middle of the box with multipliers that equal the gradient there, so that its residual
//          is zero from the first step on; one length serves the variables and the multipliers.
// Fits     K = c XX' with few columns, whatever their scale; any other K of some thousand rows.
// Cost     10 to 40 steps of n r^2 with r columns, or of n^3/3.
// Stops    when the products of distances and multipliers have no digits left to give beside the
//          value, whatever tolerance was asked for: the last steps put rows on their bounds.
// Notation mu  mean product of a distance to a bound and its multiplier
#include "solvers/interior_point.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "mercer/base/error.hpp"
#include "mercer/runtime/context.hpp"
#include "solvers/bounded_variables.hpp"
#include "solvers/normal_system.hpp"
#include "solvers/polish.hpp"
#include "solvers/prover.hpp"
#include "solvers/rescue.hpp"

namespace mercer {

namespace {

constexpr index_t kDefaultIterations = 200;
constexpr double kToBoundary = 0.995;    // share of the way to the nearest bound
constexpr double kLastEstimate = 1e-15;  // of the gap, relative: there is no more
constexpr double kFineEstimate = 1e-9;   // rounding may be next
constexpr double kShortest = 1e-9;       // a step that leads nowhere
constexpr int kRestorings = 2;           // the second repairs what the first has rounded
constexpr index_t kPatience = 12;        // steps that do not halve the estimate
constexpr index_t kLastPatience = 3;     // of them where rounding may be next
constexpr double kClosing = 1e-6;        // of a sum that is not carried
constexpr double kPolishWork = 4e9;      // multiplications of the active set after it

using Settling = BoundedVariables::Settling;

class InteriorPoint {
public:
    InteriorPoint(const Problem& problem, const SolveOptions& options, Context& context)
        : problem_(problem),
          options_(options),
          context_(context),
          prover_(problem, options, context, kDefaultGapTolerance),
          variables_(problem, context) {}

    [[nodiscard]] Solution run() {
        SolveStatus ended = SolveStatus::converged;
        if (!variables_.empty()) {
            try {
                ended = iterate();
            } catch (const Interrupted&) {
                ended = SolveStatus::interrupted;
            }
        }
        if (!prover_.proved()) {
            prove_last();
        }
        if (factored_ && ended != SolveStatus::interrupted) {
            take_unless_worse(settled(Settling::held, true));
            take_unless_worse(settled(Settling::near, true));
        }
        return prover_.finish(ended, iteration_, std::string(name_of(SolverId::interior_point)));
    }

    /// sum |beta| where the steps have come.
    [[nodiscard]] double carried() const {
        double sum = 0.0;
        for (const double b : variables_.beta()) {
            sum += std::abs(b);
        }
        return sum;
    }

private:
    SolveStatus iterate() {
        const index_t limit =
            options_.max_iterations > 0 ? options_.max_iterations : kDefaultIterations;
        system_ = make_normal_system(problem_, variables_.equations(), context_);
        context_.note(
            fmt::format("solver interior-point, a matrix of the {} in each step", system_->form()));
        system_->start(variables_.beta(), context_);
        variables_.start_multipliers(system_->values(context_));
        for (;; ++iteration_) {
            if (context_.should_stop()) {
                return SolveStatus::interrupted;
            }
            variables_.update(system_->values(context_));
            if (look()) {
                return SolveStatus::converged;
            }
            if (iteration_ == limit) {
                return options_.max_iterations > 0 ? SolveStatus::iteration_limit
                                                   : SolveStatus::reduced;
            }
            if (!step()) {
                return SolveStatus::reduced;
            }
        }
    }

    /// Certifies where that may prove something; true when nothing is left to gain.
    bool look() {
        const double size = std::max(options_.unit, std::abs(variables_.dual_value()));
        const double estimate = variables_.gap_estimate() / size;
        if (!std::isfinite(estimate)) {
            return true;
        }
        context_.report(
            {.stage = "interior point", .done = iteration_, .total = 0, .gap = estimate});
        if (prover_.promising(variables_.gap_estimate(), size) ||
            !std::isnan(prover_.goal().violation)) {
            prover_.certify(settled(Settling::held, false), iteration_);
        }
        // Not relative: the value of the first points may be 1e10 times that of the last.
        ++stalled_;
        if (variables_.gap_estimate() < 0.5 * mark_) {
            mark_ = variables_.gap_estimate();
            stalled_ = 0;
        }
        return estimate <= kLastEstimate ||
               stalled_ >= (estimate <= kFineEstimate ? kLastPatience : kPatience);
    }

    /// Predictor, corrector, and the way along both; false when there is none.
    bool step() {
        factored_ = false;
        variables_.fill(matrix_);
        if (!system_->factor(matrix_, context_)) {
            return false;
        }
        factored_ = true;
        direct(0.0, false);
        const double mu = variables_.mean_complementarity();
        const double reach = std::min(1.0, variables_.longest());
        const double left = mu > 0.0 ? variables_.complementarity_after(reach) / mu : 0.0;
        direct(left * left * left * mu, true);
        const double length = std::min(1.0, kToBoundary * variables_.longest());
        if (!(length > kShortest)) {
            return false;
        }
        variables_.advance(length);
        system_->advance(length, variables_.beta(), context_);
        return true;
    }

    void direct(double target, bool corrects) {
        variables_.aim(target, corrects);
        variables_.take_back(
            system_->solve(matrix_, variables_.row_right(), variables_.equation_right(), context_));
    }

    /// Rows on their bounds, and the free ones moved so that nothing else changes; `last`: by a factor
    /// in which the rows on their bounds have no part.
    [[nodiscard]] std::vector<double> settled(Settling rule, bool last) {
        std::vector<bool> held;
        std::vector<double> beta = variables_.settled_beta(rule, held);
        if (last) {
            variables_.fill(matrix_);
            for (std::size_t i = 0; i < beta.size(); ++i) {
                matrix_.weights[i] = held[i] ? 0.0 : matrix_.weights[i];
            }
            factored_ = system_->factor(matrix_, prover_.uninterruptible());
        }
        for (int round = 0; factored_ && round < kRestorings; ++round) {
            const RowStep step = system_->restoring_step(
                matrix_, beta, variables_.missing_sums(beta), prover_.uninterruptible());
            for (std::size_t i = 0; i < beta.size(); ++i) {
                beta[i] += held[i] ? 0.0 : step.rows[i];
            }
        }
        return beta;
    }

    void take_unless_worse(std::vector<double> beta) {
        const Certificate proof =
            mercer::certify(problem_, beta, prover_.uninterruptible(), prover_.goal().wanted());
        if (!prover_.goal().prefers(prover_.best().certificate, proof)) {
            prover_.take(std::move(beta), proof);
        }
    }

    /// Before the first certificate: the better of where the steps have come and of the start.
    void prove_last() {
        const std::vector<double> beta = settled(Settling::held, false);
        if (std::all_of(beta.begin(), beta.end(), [](double b) { return std::isfinite(b); })) {
            prover_.certify(beta, iteration_);
        }
        std::vector<double> start(options_.start.begin(), options_.start.end());
        start.resize(beta.size(), 0.0);
        if (!problem_.has_mass() || !options_.start.empty()) {
            prover_.certify(std::move(start), iteration_);
        }
    }

    const Problem& problem_;
    const SolveOptions& options_;
    Context& context_;
    Prover<Problem, Solution> prover_;
    BoundedVariables variables_;
    std::unique_ptr<NormalSystem> system_;
    RowSystem matrix_;
    index_t iteration_ = 0;
    index_t stalled_ = 0;
    double mark_ = kInfinity;  ///< the estimate that is to be halved next
    bool factored_ = false;
};

}  // namespace

Solution solve_by_interior_point(const Problem& problem, const SolveOptions& options,
                                 Context& context) {
    InteriorPoint method(problem, options, context);
    Solution out = method.run();
    if (may_close(problem) && out.status != SolveStatus::interrupted &&
        method.carried() < (1.0 - kClosing) * problem.mass) {
        // Both variables of a row carry the sum that the targets do not need.
        const Problem closed = closed_tube(problem);
        Solution answer = InteriorPoint(closed, options, context).run();
        if (carries_less(answer, problem) && answer.status == SolveStatus::converged) {
            answer.certificate.width = 0.0;
            answer.iterations += out.iterations;
            return answer;
        }
    }
    if (out.status == SolveStatus::reduced && options.max_iterations == 0 &&
        problem.size() <= kMostPolished) {
        static_cast<void>(polish(problem, options, kPolishWork, out, context));
    }
    return out;
}

}  // namespace mercer
