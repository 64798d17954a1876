// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/dual_descent.cpp - dual coordinate descent that maintains w = X'beta or K beta.
//
//     minimise   1/2 beta'(K + R)beta - l'beta + e'|beta|   in the box, sum(beta) = 0 with a free b
//
// Method   Each coefficient is optimised in turn, in random order, and rows that stay at a bound
//          are shrunk (Hsieh, Chang, Lin, Keerthi, Sundararajan, ICML 2008; the tube: Ho and Lin,
//          JMLR 13, 2012). A step does not preserve the sum: it is penalised by
//          b sum + mu/2 sum^2, and b grows by mu sum after each sweep (augmented Lagrangian;
//          Hestenes, Powell, 1969). That is a proximal step in b, so b is unpenalised in the limit.
// Fits     K = c XX' with any number of rows and columns of similar scale, dense or sparse; any
//          other K that can be stored.
// Cost     a sweep is one pass over the entries of the active rows, a check one pass over all; if K
//          is stored, a step is one pass over its row.
// Stops    when the gap of all rows at the current w and b meets the goal and the certificate
//          confirms it.
// Notation z = f + b   mu  price of the squared sum   sweep  all active rows once
#include "solvers/dual_descent.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "mercer/base/checked.hpp"
#include "mercer/base/index.hpp"
#include "mercer/operators/row_steps.hpp"
#include "mercer/runtime/context.hpp"
#include "solvers/choose.hpp"
#include "solvers/kernel_solvers.hpp"
#include "solvers/prover.hpp"

namespace mercer {

namespace {

constexpr const char* kName = "dual-descent";
constexpr std::uint64_t kStream = 0xd0a1;

// mu relative to the mean of K(i, i) + R(i, i). In a prototype on a9a, reuters, kddcup99 and
// friedman1, 1 took up to twice the passes of 0.3, and a fixed mu of 0.3 or 1, which is relatively
// smaller for long rows, took even fewer. 0.1 is a compromise and was not measured itself.
constexpr double kSumPrice = 0.1;
// Passes over all entries between two checks of all rows: at least this many, and more with time.
constexpr double kLeastDescentPasses = 2.0;
constexpr double kMorePasses = 0.3;
// Rows whose gap is summed at the end of a sweep: the next check is made when they promise the goal.
constexpr std::size_t kSampledRows = 2048;
constexpr double kSolved = 0.1;  // of the violation at the last check: check again
// In all. LIBLINEAR's 1,000 sweeps are fewer passes, because it shrinks.
constexpr double kMostDescentPasses = 5000.0;
constexpr double kLeastWork = 1e7;   // entries: small problems may take more passes
constexpr int kMostRefused = 12;     // certificates that miss the goal: only rounding is left
constexpr double kMostOfRoom = 0.9;  // so that a free coefficient stays free
constexpr double kNear = 3.0;        // times the goal: from here the best b is computed
constexpr double kSmallestCurvature = 1e-100;  // of a row of zeros: it moves to its bound at once

/// A coefficient and its term of the dual: one cache line.
struct alignas(64) Variable {
    double beta = 0.0;
    double linear = 0.0;
    double lower = 0.0;
    double upper = 0.0;
    double width = 0.0;
    double ridge = 0.0;
    double curvature = 0.0;  ///< along the coefficient, mu included

    /// The right and the left derivative; `slope` does not include the width.
    [[nodiscard]] double rising(double slope) const {
        return slope + (beta >= 0.0 ? width : -width);
    }
    [[nodiscard]] double falling(double slope) const {
        return slope + (beta > 0.0 ? width : -width);
    }
    [[nodiscard]] double violation(double slope) const {
        return std::max(
            {0.0, beta < upper ? -rising(slope) : 0.0, beta > lower ? falling(slope) : 0.0});
    }
    /// True when every possible move would increase the objective at a slope above `margin`.
    [[nodiscard]] bool rests(double slope, double margin) const {
        return (beta >= upper || rising(slope) > margin) &&
               (beta <= lower || falling(slope) < -margin);
    }
    [[nodiscard]] double best(double slope) const {
        const double free = beta - slope / curvature;
        const double shrunk =
            std::copysign(std::max(0.0, std::abs(free) - width / curvature), free);
        return std::clamp(shrunk, lower, upper);
    }

    /// b z minus the conjugate at b: the loss at z is its maximum over b.
    [[nodiscard]] double price(double z, double b) const {
        return (linear - z) * b - 0.5 * ridge * b * b - width * std::abs(b);
    }
    [[nodiscard]] double loss(double z) const {
        const double push = linear - z;
        const double beyond = std::max(0.0, std::abs(push) - width);
        if (beyond == 0.0) {
            return 0.0;
        }
        const double end = push > 0.0 ? upper : lower;
        return price(
            z, ridge > 0.0 ? std::clamp(std::copysign(beyond / ridge, push), lower, upper) : end);
    }
    [[nodiscard]] double gap(double z) const { return std::max(0.0, loss(z) - price(z, beta)); }
};

/// X and w = X'beta.
class DescentColumns {
public:
    explicit DescentColumns(const LinearFactor& linear)
        : x_(linear.rows), factor_(linear.factor), w_(at(linear.rows.columns()), 0.0) {}

    [[nodiscard]] double entries() const { return dual_descent_entries(x_.rows(), x_.stored()); }
    void start(std::span<const double> beta, Context& context) {
        x_.multiply_transposed(beta, w_, context);
    }
    /// step(i, f_i) returns the change of the coefficient.
    template <typename Step>
    void walk(std::span<const index_t> order, Step& step) {
        x_.step_along(order, w_, Scaled<Step>{step, factor_});
    }
    void values(std::span<double> f, Context& context) const {
        x_.multiply(w_, f, context);
        for (double& value : f) {
            value *= factor_;
        }
    }

private:
    template <typename Step>
    struct Scaled {
        Step& step;
        double factor;
        void expect(index_t i) const { step.expect(i); }
        double operator()(index_t i, double product) const { return step(i, factor * product); }
    };

    const LinearRows& x_;
    double factor_;
    std::vector<double> w_;
};

/// K and f = K beta.
class RowForm {
public:
    RowForm(const GramOperator& gram, Context& context)
        : n_(gram.size()),
          values_(context.allocate<double>(checked_multiply(n_, n_), "the Gram matrix")),
          f_(at(n_), 0.0) {
        gram.whole(Precision::float64, context)
            ->copy_rows(0, MatrixView<double>(values_.data(), n_, n_), context);
    }

    [[nodiscard]] double entries() const {
        return static_cast<double>(n_) * static_cast<double>(n_);
    }
    void start(std::span<const double> beta, Context&) {
        for (index_t i = 0; i < n_; ++i) {
            add(i, beta[at(i)]);
        }
    }
    template <typename Step>
    void walk(std::span<const index_t> order, Step& step) {
        for (const index_t i : order) {
            add(i, step(i, f_[at(i)]));
        }
    }
    void values(std::span<double> f, Context&) const { std::copy(f_.begin(), f_.end(), f.begin()); }

private:
    void add(index_t i, double scale) {
        const double* row = values_.data() + i * n_;
        for (index_t j = 0; j < n_ && scale != 0.0; ++j) {
            f_[at(j)] += scale * row[j];
        }
    }

    index_t n_;
    Buffer<double> values_;
    std::vector<double> f_;
};

template <typename Form>
class DualDescent {
public:
    DualDescent(const Problem& problem, const SolveOptions& options, double patience, Form form,
                Context& context)
        : problem_(problem),
          options_(options),
          context_(context),
          prover_(problem, options, context, kDefaultGapTolerance),
          form_(std::move(form)),
          random_(context.random(kStream)),
          variables_(at(problem.size())),
          f_(at(problem.size())),
          patience_(patience) {
        fill();
    }

    [[nodiscard]] Solution run() {
        const SolveStatus ended = iterate();
        if (!prover_.proved() || (ended == SolveStatus::interrupted && !looked_)) {
            prover_.certify(coefficients(), sweeps_);
        }
        return prover_.finish(ended, sweeps_, kName);
    }

    // The step of a sweep, called by the forms.
    void expect(index_t i) const { __builtin_prefetch(&variables_[at(i)]); }
    double operator()(index_t i, double f) {
        Variable& variable = variables_[at(i)];
        const double slope = f + bias_ + variable.ridge * variable.beta - variable.linear;
        if (variable.rests(slope, margin_)) {
            return 0.0;
        }
        active_[still_active_++] = i;
        const double violation = variable.violation(slope);
        if (violation == 0.0) {
            return 0.0;
        }
        violation_ = std::max(violation_, violation);
        if (sampling_) {
            sampled_gap_ += variable.gap(f + bias_);
        }
        const double before = variable.beta;
        variable.beta = variable.best(slope);
        const double move = variable.beta - before;
        sum_ += move;
        bias_ += mu_ * move;
        return move;
    }

private:
    void fill() {
        const index_t n = problem_.size();
        const std::vector<double> diagonal = problem_.gram->diagonal();
        double mean = 0.0;
        for (index_t i = 0; i < n; ++i) {
            mean += (diagonal[at(i)] + dual_term(problem_, i).ridge) / static_cast<double>(n);
        }
        mu_ = problem_.intercept ? (mean > 0.0 ? kSumPrice * mean : 1.0) : 0.0;
        for (index_t i = 0; i < n; ++i) {
            const DualTerm term = dual_term(problem_, i);
            variables_[at(i)] = {
                .linear = term.linear,
                .lower = term.box.lower,
                .upper = term.box.upper,
                .width = term.width,
                .ridge = term.ridge,
                .curvature = std::max(diagonal[at(i)] + term.ridge + mu_, kSmallestCurvature)};
        }
        if (!options_.start.empty()) {
            std::vector<double> start(options_.start.begin(), options_.start.end());
            project_onto_dual(problem_, start);
            for (index_t i = 0; i < n; ++i) {
                variables_[at(i)].beta = start[at(i)];
            }
            form_.start(start, prover_.uninterruptible());
            form_.values(f_, prover_.uninterruptible());
        }
        bias_ = choose_intercept(best_intercepts(problem_, f_));
    }

    /// How much of the sum a free nonzero coefficient can absorb without reaching an end.
    [[nodiscard]] double room_of(const Variable& v) const {
        if (v.beta == 0.0 || v.beta <= v.lower || v.beta >= v.upper) {
            return 0.0;
        }
        const double end =
            sum_ > 0.0 ? (v.beta > 0.0 ? 0.0 : v.lower) : (v.beta < 0.0 ? 0.0 : v.upper);
        return std::min(std::abs(end - v.beta), std::abs(v.beta));
    }
    [[nodiscard]] double room() const {
        double room = 0.0;
        for (const Variable& v : variables_) {
            room += room_of(v);
        }
        return room;
    }

    /// The coefficients with the excess of the sum distributed over the free ones, so that those at
    /// zero or at a bound stay there.
    [[nodiscard]] std::vector<double> coefficients() const {
        std::vector<double> beta(at(problem_.size()));
        const double room = this->room();
        const double share =
            problem_.intercept && room > 0.0 ? std::min(kMostOfRoom, std::abs(sum_) / room) : 0.0;
        for (std::size_t i = 0; i < beta.size(); ++i) {
            const double step = share * room_of(variables_[i]);
            beta[i] = variables_[i].beta + (sum_ > 0.0 ? -step : step);
        }
        return beta;
    }

    SolveStatus iterate() {
        if (look()) {
            return SolveStatus::converged;
        }
        const double most = std::max(kMostDescentPasses * form_.entries(), kLeastWork);
        for (;;) {
            if (context_.should_stop()) {
                return SolveStatus::interrupted;
            }
            if (options_.max_iterations > 0 && sweeps_ == options_.max_iterations) {
                return SolveStatus::iteration_limit;
            }
            sweep();
            looked_ = false;
            const bool drifted = std::abs(bias_ - look_bias_) > least_margin_;
            if (work_ < due_ && violation_ > kSolved * mark_ && !active_.empty() && !drifted &&
                !meets_goal(correction_ * estimate_)) {
                continue;
            }
            if (look()) {
                return SolveStatus::converged;
            }
            if (refused_ == kMostRefused) {
                return SolveStatus::reduced;
            }
            if (work_ > most || crawls()) {
                return SolveStatus::iteration_limit;
            }
        }
    }

    void sweep() {
        for (std::size_t k = active_.size(); k > 1; --k) {
            std::swap(active_[k - 1], active_[at(random_.below(static_cast<index_t>(k)))]);
        }
        work_ += form_.entries() * static_cast<double>(active_.size()) /
                 static_cast<double>(problem_.size());
        still_active_ = 0;
        violation_ = 0.0;
        sampled_gap_ = 0.0;
        least_margin_ = std::min(least_margin_, margin_);
        const std::size_t visited = active_.size();
        const std::size_t sampled = std::min(visited, kSampledRows);
        const std::span<const index_t> order(active_);
        form_.walk(order.first(visited - sampled), *this);
        sampling_ = true;
        form_.walk(order.last(sampled), *this);
        sampling_ = false;
        estimate_ = sampled == 0 ? 0.0
                                 : sampled_gap_ * static_cast<double>(visited) /
                                       static_cast<double>(sampled) / unit_;
        active_.resize(still_active_);
        margin_ = violation_ > 0.0 ? violation_ : kInfinity;
        bias_ += mu_ * sum_;
        ++sweeps_;
    }

    /// Checks all rows: computes their gap and which are active. True when the goal is proved.
    bool look() {
        form_.values(f_, prover_.uninterruptible());
        sum_ = 0.0;
        steepness_ = 0.0;
        violation_ = 0.0;
        active_.clear();
        for (index_t i = 0; i < problem_.size(); ++i) {
            const Variable& variable = variables_[at(i)];
            const double slope =
                f_[at(i)] + bias_ + variable.ridge * variable.beta - variable.linear;
            sum_ += variable.beta;
            steepness_ += std::abs(slope) / static_cast<double>(problem_.size());
            violation_ = std::max(violation_, variable.violation(slope));
            if (!variable.rests(slope, margin_)) {
                active_.push_back(i);
            }
        }
        double relative = relative_gap_at(bias_);
        if (problem_.intercept && !meets_goal(relative) && relative <= kNear * gap_asked()) {
            const double best = choose_intercept(best_intercepts(problem_, f_));
            relative = std::min(relative, relative_gap_at(best));
        }
        correction_ = estimate_ > 0.0 ? relative / estimate_ : 1.0;
        work_ += 0.5 * form_.entries();
        context_.report({.stage = "dual descent", .done = sweeps_, .total = 0, .gap = relative});
        expect_end(relative);
        mark_ = violation_;
        look_bias_ = bias_;
        least_margin_ = margin_;
        due_ = work_ + std::max(kLeastDescentPasses * form_.entries(), kMorePasses * work_);
        looked_ = true;
        return (options_.trace || meets_goal(relative)) && proves();
    }

    /// The gap of all rows at b plus the cost of bringing the sum to zero, relative to the value.
    [[nodiscard]] double relative_gap_at(double b) {
        // What the free coefficients cannot absorb is spread over all rows, at the mean slope.
        double gap = problem_.intercept
                         ? steepness_ * std::max(0.0, std::abs(sum_) - kMostOfRoom * room())
                         : 0.0;
        double value = 0.0;
        for (index_t i = 0; i < problem_.size(); ++i) {
            const Variable& variable = variables_[at(i)];
            const double z = f_[at(i)] + b;
            gap += variable.gap(z);
            value += variable.loss(z) + 0.5 * variable.beta * f_[at(i)];
        }
        unit_ = std::max(options_.unit, std::abs(value));
        return gap / unit_;
    }

    [[nodiscard]] double gap_asked() const {
        return std::isnan(prover_.goal().gap) ? kDefaultGapTolerance : prover_.goal().gap;
    }

    [[nodiscard]] bool meets_goal(double relative) const {
        const Goal& goal = prover_.goal();
        return (std::isnan(goal.gap) || relative <= share_ * goal.gap) &&
               (std::isnan(goal.violation) || 2.0 * violation_ <= share_ * goal.violation);
    }

    bool proves() {
        const bool met = prover_.certify(coefficients(), sweeps_);
        refused_ += met || options_.trace ? 0 : 1;
        share_ *=
            met ? 1.0 : 0.5;  // the sum is not zero yet, so the certificate has moved some rows
        return met;
    }

    /// Estimates the work to the goal from the rate since the last check; infinite without
    /// progress.
    void expect_end(double relative) {
        const double goal = gap_asked();
        const double fall = std::log(gap_ / relative);
        expected_ = relative <= goal ? 0.0
                    : fall > 0.0     ? (work_ - worked_) * std::log(relative / goal) / fall
                                     : kInfinity;
        gap_ = relative;
        worked_ = work_;
    }

    /// True when another solver, which takes `patience_` seconds, is expected to be faster.
    [[nodiscard]] bool crawls() const {
        const double spent = dual_descent_seconds(work_);
        return spent > 0.5 * patience_ && dual_descent_seconds(expected_) > patience_;
    }

    const Problem& problem_;
    const SolveOptions& options_;
    Context& context_;
    Prover<Problem> prover_;
    Form form_;
    Random random_;
    std::vector<Variable> variables_;
    std::vector<double> f_;
    std::vector<index_t> active_;
    double patience_;

    double mu_ = 0.0;
    double bias_ = 0.0;          ///< b + mu sum(beta)
    double sum_ = 0.0;           ///< of beta
    double margin_ = kInfinity;  ///< a row at rest by more than this is shrunk
    double violation_ = 0.0;     ///< the greatest of the sweep
    double steepness_ = 0.0;     ///< the mean |slope| at the last check
    double mark_ = 0.0;          ///< violation_ at the last check
    double look_bias_ = 0.0;     ///< bias_ at the last check
    double least_margin_ =
        kInfinity;  ///< least margin_ since then: shrunk rows may be needed again if b
                    ///< has moved by more
    std::size_t still_active_ = 0;  ///< number of active rows that stay active
    index_t sweeps_ = 0;
    bool looked_ = false;
    int refused_ = 0;    ///< certificates that missed the goal
    double work_ = 0.0;  ///< entries processed
    double due_ = 0.0;   ///< the work at which to check again
    bool sampling_ = false;
    double sampled_gap_ = 0.0;  ///< of the last rows of a sweep, each before its step
    double estimate_ = 0.0;     ///< of the relative gap, from these rows
    double correction_ = 1.0;   ///< the relative gap at the last check / its estimate
    double unit_ = 1.0;         ///< of relative gaps
    double share_ = 1.0;        ///< of the goal: a smaller gap is worth a certificate
    double gap_ = kInfinity;    ///< at the last check, when work_ was worked_
    double worked_ = 0.0;
    double expected_ = kInfinity;
};

}  // namespace

bool dual_descent_fits(const Problem& problem) {
    return has_box_dual(problem.loss) && !problem.has_mass();
}

Solution solve_by_dual_descent(const Problem& problem, const SolveOptions& options, double patience,
                               Context& context) {
    const LinearFactor* linear = problem.gram->linear();
    context.note(
        fmt::format("solver {}, {}", kName,
                    linear != nullptr ? "a pass over the rows in each sweep" : "K stored"));
    if (linear != nullptr) {
        return DualDescent(problem, options, patience, DescentColumns(*linear), context).run();
    }
    return DualDescent(problem, options, patience, RowForm(*problem.gram, context), context).run();
}

}  // namespace mercer
