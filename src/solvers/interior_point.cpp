// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/interior_point.cpp - Mehrotra's predictor-corrector method for box duals.
//
//     minimise   1/2 v'(K + R)v + q'v    subject to   0 <= v <= c   and up to two sum constraints
//
// Method   Primal-dual interior point (Mehrotra, SIAM J. Optim. 2, 1992; for support vector
//          machines of low rank Ferris and Munson, SIAM J. Optim. 13, 2002). The start is the
//          middle of the box with multipliers that equal the gradient there, so that the residual
//          is zero from the start; variables and multipliers take the same step length.
// Fits     K = c XX' with few columns of any scale; any other K of a few thousand rows.
// Cost     10 to 40 steps of n r^2 with r columns, or of n^3/3.
// Stops    when the products of distances and multipliers are negligible relative to the value in
//          double precision, for any tolerance: the last steps put rows on their bounds.
// Notation mu  mean product of a distance to a bound and its multiplier
#include "solvers/interior_point.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "mercer/base/error.hpp"
#include "mercer/operators/linear_rows.hpp"
#include "mercer/runtime/context.hpp"
#include "solvers/bounded_variables.hpp"
#include "solvers/normal_system.hpp"
#include "solvers/polish.hpp"
#include "solvers/prover.hpp"
#include "solvers/rescue.hpp"

namespace mercer {

namespace {

constexpr index_t kInteriorIterations = 200;
constexpr double kToBoundary = 0.995;    // share of the way to the nearest bound
constexpr double kLastEstimate = 1e-15;  // relative gap estimate at which double precision ends
constexpr double kFineEstimate = 1e-9;   // below this estimate rounding may stop the progress
constexpr double kShortest = 1e-9;       // a shorter step makes no progress
constexpr int kRestorings = 2;           // the second corrects the rounding of the first
constexpr index_t kPatience = 12;        // steps without halving the estimate
constexpr index_t kLastPatience = 3;     // the same below kFineEstimate
constexpr double kFewLeft = 1e-3;        // of the first residuals: below, they do not count
constexpr double kClosing = 1e-6;        // relative difference of sum |beta| and the mass
constexpr index_t kLendersPerColumn = 4;
// Size of a correcting coefficient relative to the largest one: far more than the corrections,
// about 1e-13, and far less than what affects the gap.
constexpr double kOffZero = 1e-9;
constexpr double kLenderWeight = 1e12;  // in units of 1 / K(i, i)
constexpr double kPolishWork = 4e9;     // most multiplications of the active set that polishes

using Settling = BoundedVariables::Settling;

/// Moves up to `count` evenly spaced zero coefficients slightly off 0 and returns their rows.
std::vector<index_t> put_some_off_zero(const Problem& problem, std::vector<double>& beta,
                                       index_t count) {
    std::vector<index_t> zeros;
    double largest = 0.0;
    for (index_t i = 0; i < problem.size(); ++i) {
        const double b = beta[static_cast<std::size_t>(i)];
        largest = std::max(largest, std::abs(b));
        if (const Interval box = dual_box(problem, i); b == 0.0 && box.lower < box.upper) {
            zeros.push_back(i);
        }
    }
    const auto found = static_cast<index_t>(zeros.size());
    const index_t taken = std::min(count, found);
    std::vector<index_t> rows;
    for (index_t k = 0; k < taken; ++k) {
        const index_t row = zeros[static_cast<std::size_t>(k * found / taken)];
        const auto [lower, upper] = dual_box(problem, row);
        beta[static_cast<std::size_t>(row)] = upper > 0.0 ? std::min(upper, kOffZero * largest)
                                                          : std::max(lower, -kOffZero * largest);
        rows.push_back(row);
    }
    return rows;
}

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
            if (system_->has_own_values() && !prover_.goal().met(prover_.best().certificate())) {
                take_unless_worse(lent_digits());
            }
        }
        return prover_.finish(ended, iteration_, std::string(name_of(SolverId::interior_point)));
    }

    /// sum |beta| at the current point.
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
            options_.max_iterations > 0 ? options_.max_iterations : kInteriorIterations;
        system_ = make_normal_system(problem_, variables_.equations(), context_);
        context_.note(
            fmt::format("solver interior-point, a matrix of the {} in each step", system_->form()));
        start();
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

    void start() {
        if (!system_->has_own_values() || problem_.has_mass()) {
            system_->start(variables_.beta(), context_);
            variables_.start_multipliers(system_->values(context_));
            return;
        }
        std::vector<double> from(options_.start.begin(), options_.start.end());
        from.resize(variables_.beta().size(), 0.0);
        project_onto_dual(problem_, from);
        system_->start(from, context_);
        const std::vector<double> f = system_->values(context_);
        const double intercept =
            problem_.intercept ? choose_intercept(best_intercepts(problem_, f)) : 0.0;
        variables_.start_on_path(from, f, intercept);
        system_->advance(0.0, variables_.beta(), context_);
    }

    /// Certifies the point if it may meet the goal; true when no further progress is possible.
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
        // Compared in absolute terms: the value of the first points may be 1e10 times that of the
        // last.
        ++stalled_;
        if (variables_.gap_estimate() < 0.5 * mark_ ||
            std::max(left_, kFewLeft) < 0.5 * left_mark_) {
            mark_ = std::min(mark_, variables_.gap_estimate());
            left_mark_ = left_;
            stalled_ = 0;
        }
        return estimate <= kLastEstimate ||
               stalled_ >= (estimate <= kFineEstimate ? kLastPatience : kPatience);
    }

    /// Predictor, corrector, and a step along both; false when no step is possible.
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
        left_ *= 1.0 - length;
        variables_.advance(length);
        system_->advance(length, variables_.beta(), context_);
        return true;
    }

    void direct(double target, bool corrects) {
        variables_.aim(target, corrects);
        variables_.take_back(system_->solve(matrix_, variables_.row_right(),
                                            variables_.equation_right(), !corrects, context_));
    }

    /// The coefficients with rows put on their bounds and the free ones moved so that K beta does
    /// not change; `last`: with a new factor that excludes the rows on their bounds.
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
        restore([&](std::size_t i) { return !held[i]; }, beta);
        return beta;
    }

    /// Moves these rows so that K beta equals its value at the current point.
    template <typename Moves>
    void restore(const Moves& moves, std::vector<double>& beta) {
        for (int round = 0; factored_ && round < kRestorings; ++round) {
            const RowStep step = system_->restoring_step(
                matrix_, beta, variables_.missing_sums(beta), prover_.uninterruptible());
            for (std::size_t i = 0; i < beta.size(); ++i) {
                beta[i] += moves(i) ? step.rows[i] : 0.0;
            }
        }
    }

    /// With large columns K beta needs more accuracy than large coefficients have. Some
    /// coefficients near zero, whose rounding is finer, correct the rounding of the others.
    [[nodiscard]] std::vector<double> lent_digits() {
        const auto moves = [&](std::size_t i) { return matrix_.weights[i] > 0.0; };
        std::vector<double> beta = settled(Settling::held, true);
        const std::vector<index_t> lenders = put_some_off_zero(
            problem_, beta, kLendersPerColumn * (problem_.gram->linear()->rows.columns() + 2));
        restore(moves, beta);
        const std::vector<double> diagonal = problem_.gram->diagonal();
        std::fill(matrix_.weights.begin(), matrix_.weights.end(), 0.0);
        for (const index_t i : lenders) {
            const auto row = static_cast<std::size_t>(i);
            matrix_.weights[row] = diagonal[row] > 0.0 ? kLenderWeight / diagonal[row] : 0.0;
        }
        factored_ = factored_ && system_->factor(matrix_, prover_.uninterruptible());
        restore(moves, beta);
        return beta;
    }

    void take_unless_worse(std::vector<double> beta) {
        const Certificate proof =
            mercer::certify(problem_, beta, prover_.uninterruptible(), prover_.goal().wanted());
        if (!prover_.goal().prefers(prover_.best().certificate(), proof)) {
            prover_.take(std::move(beta), proof);
        }
    }

    /// If nothing has been certified yet: certifies the current point and the start.
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
    Prover<Problem> prover_;
    BoundedVariables variables_;
    std::unique_ptr<NormalSystem> system_;
    RowSystem matrix_;
    index_t iteration_ = 0;
    index_t stalled_ = 0;
    double mark_ = kInfinity;  ///< the estimate to be halved next
    double left_ = 1.0;        ///< remaining share of the first residuals
    double left_mark_ = 1.0;   ///< the share to be halved next
    bool factored_ = false;
};

}  // namespace

Solution solve_by_interior_point(const Problem& problem, const SolveOptions& options,
                                 Context& context) {
    InteriorPoint method(problem, options, context);
    Solution out = method.run();
    if (may_close(problem) && out.status != SolveStatus::interrupted &&
        method.carried() < (1.0 - kClosing) * problem.mass) {
        // Both variables of a row are positive to satisfy the sum constraint: the tube width is 0.
        const Problem closed = closed_tube(problem);
        Solution answer = InteriorPoint(closed, options, context).run();
        if (carries_less(answer, problem) && answer.status == SolveStatus::converged) {
            answer.certificate().width = 0.0;
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
