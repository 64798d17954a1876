// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/decomposition.cpp - working sets of many variables for the kernel dual.
//
//     minimise  1/2 b'(K + R)b - p'b + e'|b|   subject to  l <= b <= u, up to two sum constraints
//
// Method   Decomposition (Joachims 1999) with large working sets, half of which is retained for the
//          next round (Wen et al., JMLR 19, 2018): the block of the working set is solved by
//          pairwise second-order steps in cache, then all values are updated from the rows whose
//          coefficients changed.
// Fits     every box dual; the rows that one round needs are computed as one block.
// Cost     per round q^2 + (rows moved) n kernel entries, cached rows excepted; memory O(n), the
//          row cache and q^2 floats.
// Stops    when the violation m - M meets the tolerance in every group. Each round contains a
//          maximal violating pair; a round that moves nothing ends the run as `reduced`.
// Notation b  variables     v = p - (K + R)b     m, M  as in smo.cpp, per group
//
// The kink of |b| at zero needs no extra variable: within a round a variable stays on its side of
// zero, and one at zero gets the side towards which its slope points. With a free width (nu) the
// positive and the negative side are two groups, each with its own sum constraint.
#include "mercer/solvers/decomposition.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>

#include "mercer/base/error.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/state_keeper.hpp"
#include "solvers/coordinate_run.hpp"
#include "solvers/move_bounds.hpp"
#include "solvers/set_choice.hpp"
#include "solvers/set_round.hpp"

namespace mercer {

namespace {

// Measured on ijcnn1, a9a, covtype, cod-rna and SUSY: sets of 512 are 8 % slower on average, sets of
// 2048 as fast; shares of 0.03 or 0.3, a third or three times as many steps, and 0.5 instead of 0.7
// change times by less than the noise; dropping after 15 idle rounds costs 15 %.
// Sets of many small problems: all rows of problems of up to 512, whose block takes at most 1 MiB.
// CPU seconds, with sets of 128 / with the whole problem: letter, 5,000 rows (325 pairs of 385
// rows) 0.39 / 0.25; sector (5,460 pairs of 122 sparse rows) 22.2 / 14.3; 2,000 rows of usps (45
// pairs of 400) 0.26 / 0.23.
// Of larger ones an eighth of the rows. CPU seconds and peak memory of all 325 pairs of letter
// (1,150 rows each): 0.92 and 14.1 MB with sets of 128, 0.82 and 16.5 MB with 256, 1.03 and 49 MB
// with the whole problem as one set; CPU seconds of 45 pairs of usps (1,460 rows): 0.72, 0.73 and
// 0.98. A single problem is solved as one set, because nearly singular ones gain from it.
constexpr index_t kSmallestSet = 128;
constexpr index_t kSmallProblem = 512;
constexpr index_t kRowsPerVariable = 8;
constexpr index_t kStepsPerVariable = 10;  // of a round, at most
constexpr double kLocalShare = 0.1;        // a round reduces the violation to this share
constexpr double kCompact = 0.7;           // shrink when fewer than this share stay
constexpr int kIdleRounds = 3;             // before a variable may be dropped
// Rows of held values are not shrunk: copying whole rows is cheaper than gathering parts of them. A search
// over a9a (100 machines of 4,000 rows) takes 4.9 CPU seconds and 5.7 with shrinking, one over letter 7.7
// and 8.1, with machines of 11,200 rows 7.5 and 9.2.
// Their blocks are gathered too, so smaller sets pay. CPU seconds of searches with sets of 256 / 384 /
// 512 / 1024: a9a 16.2 / 17.7 / 18.8 / 21.1 (500 machines of 4,000 rows) and 17.5 / 17.1 / 17.7 / 20.5
// (45 of 11,200), cadata, svr, 5.1 / 4.3 / 3.8 / 4.5, covtype 12.4 / 12.5 / 13.1 / 16.1.
constexpr index_t kHeldSet = 384;
// A run whose objective has not grown by this share in kIdleGains rounds cannot improve in double
// precision: without this rule, costs of 1e300 ran for 10^7 steps.
constexpr double kLeastGain = 1e-16;
constexpr int kIdleGains = 50;
constexpr index_t kLargestIndex = std::numeric_limits<index_t>::max();

/// Variables of the working set: as requested, but at least a pair.
index_t set_size(const Problem& problem, index_t wanted) {
    const index_t rows = problem.size();
    if (wanted > 0) {
        return std::clamp<index_t>(wanted, 2, std::max<index_t>(2, rows));
    }
    if (rows <= DecompositionSolver::kWholeProblem) {
        return std::max<index_t>(2, rows);
    }
    return problem.gram->cost().held ? kHeldSet : DecompositionSolver::kLargestSet;
}

/// A working set that is the whole problem needs no row cache.
CoordinateOptions row_options(const Problem& problem, CoordinateOptions options) {
    if (set_size(problem, options.working_set) >= problem.size()) {
        options.cache_bytes = 0;
    }
    return options;
}

}  // namespace

class DecompositionSolver::State final : public CoordinateRun {
public:
    State(const Problem& problem, const CoordinateOptions& options, Context& context)
        : CoordinateRun(problem, options, row_options(problem, options), context),
          bounds_(problem, vars_),
          choice_(set_size(problem, options.working_set), vars_, bounds_),
          round_(choice_.capacity(), vars_, bounds_, context) {
        State::forget();
    }

    void save(StateWriter& state) {
        vars_.save(state);
        state.array(choice_.places());
        state.array(choice_.joined_of_places());
        state.array(idle_);
        state.number(iterations_);
        state.number(choice_.rounds());
        state.number(static_cast<index_t>(idle_gains_));
        state.number(static_cast<index_t>(in_step_));
        bounds_.save(state);
        save_place(state);
    }

    void restore(StateReader& state, Context& context) {
        vars_.restore(state, context);
        std::vector<index_t> places = state.places(vars_.active_size());
        const auto count = static_cast<index_t>(places.size());
        StateReader::require(count <= choice_.capacity());
        go_back_to(std::move(places), state.array<index_t>(count));
        choice_.resize();
        idle_ = state.array<std::uint8_t>(vars_.active_size());
        iterations_ = state.integer(0, kLargestIndex);
        choice_.set_rounds(state.integer(0, kLargestIndex));
        idle_gains_ = static_cast<int>(state.integer(0, kIdleGains));
        in_step_ = state.integer(0, 1) == 1;
        bounds_.restore(state);
        restore_place(state);
    }

    [[nodiscard]] index_t capacity() const { return choice_.capacity(); }

private:
    bool is_end(SolveStatus status, Context& unstoppable) override {
        return status != SolveStatus::converged || !widen(unstoppable);
    }

    SolveStatus solve_active(Context& context) override {
        if (!goes_on_) {
            vars_.begin_steps();
            idle_gains_ = 0;
        }
        goes_on_ = false;
        while (true) {
            if (!in_step_) {
                bounds_.find();
                if (const std::optional<SolveStatus> ended = end_of_steps(context)) {
                    return *ended;
                }
                if (boundary_) {
                    boundary_();
                }
                if (options_.shrinking && !vars_.are_rows_held()) {
                    shrink(*Context::unstoppable(context));
                }
                in_step_ = true;
            }
            const bool moved = whole_round(context);
            in_step_ = false;
            if (!moved) {
                return SolveStatus::reduced;
            }
        }
    }

    /// The status if there is no further round, otherwise nullopt.
    [[nodiscard]] std::optional<SolveStatus> end_of_steps(Context& context) {
        const double worst = bounds_.violation();
        if (worst <= tolerance_) {
            return SolveStatus::converged;
        }
        if (iterations_ >= max_iterations_) {
            return SolveStatus::iteration_limit;
        }
        if (context.should_stop()) {
            goes_on_ = true;
            return SolveStatus::interrupted;
        }
        context.report({.stage = "decomposition", .done = iterations_, .gap = worst});
        if (vars_.lost_digits(worst)) {
            return SolveStatus::reduced;
        }
        return std::nullopt;
    }

    /// A round that is atomic: if it is stopped, the state is as before, with in_step_ set.
    bool whole_round(Context& context) {
        const std::vector<index_t> places = choice_.places();
        const std::vector<index_t> joined = choice_.joined_of_places();
        const index_t iterations = iterations_;
        try {
            round_.recover_block(choice_, context);
            return round(bounds_.violation(), context);
        } catch (const Interrupted&) {  // only thrown before the first value changes
            go_back_to(places, joined);
            iterations_ = iterations;
            throw;
        }
    }

    /// Restores the working set before the last round; the block of the last one is lost.
    void go_back_to(std::vector<index_t> places, std::vector<index_t> joined) {
        choice_.assign(std::move(places), std::move(joined));
        round_.lose_block();
    }

    /// Chooses a working set, solves it, updates all values. False when nothing moved.
    bool round(double worst, Context& context) {
        choice_.choose();
        round_.load(choice_, context);
        const bool whole = round_.size() == vars_.active_size();
        const double local = whole ? tolerance_ : std::max(tolerance_, kLocalShare * worst);
        iterations_ += round_.solve(
            local, std::min(kStepsPerVariable * round_.size(), max_iterations_ - iterations_));
        const SetRound::Gain gain =
            whole ? round_.take_all(choice_) : round_.update(choice_, context);
        return gain.moved && gained(gain);
    }

    /// False when the objective has not grown for many rounds.
    bool gained(const SetRound::Gain& gain) {
        idle_gains_ = gain.dual > kLeastGain * gain.size ? 0 : idle_gains_ + 1;
        return idle_gains_ < kIdleGains;
    }

    /// Drops variables that were idle for some rounds, when that makes rows much shorter.
    void shrink(Context& context) {
        std::vector<index_t> remaining;
        for (index_t k = 0; k < vars_.active_size(); ++k) {
            std::uint8_t& age = idle_[static_cast<std::size_t>(k)];
            age = bounds_.is_idle(bounds_.moves_of(k))
                      ? static_cast<std::uint8_t>(std::min(age + 1, 255))
                      : 0;
            if (age < kIdleRounds) {
                remaining.push_back(k);
            }
        }
        if (static_cast<double>(remaining.size()) >=
                kCompact * static_cast<double>(vars_.active_size()) ||
            remaining.size() < 2) {
            return;
        }
        std::vector<index_t> place_after(static_cast<std::size_t>(vars_.active_size()), -1);
        std::vector<std::uint8_t> ages;
        std::vector<index_t> rows;
        for (const index_t k : remaining) {
            place_after[static_cast<std::size_t>(k)] = static_cast<index_t>(rows.size());
            rows.push_back(vars_.row(k));
            ages.push_back(idle_[static_cast<std::size_t>(k)]);
        }
        vars_.store();
        vars_.activate(std::move(rows), context);
        vars_.begin_steps();
        idle_ = std::move(ages);
        choice_.move_to(place_after);
    }

    /// Reactivates every variable that is not idle; needs up-to-date values. False when the full
    /// problem is solved.
    bool widen(Context& context) {
        std::vector<bool> is_active(static_cast<std::size_t>(vars_.size()), false);
        for (const index_t row : vars_.active()) {
            is_active[static_cast<std::size_t>(row)] = true;
        }
        bounds_.find_in_all_rows();
        if (bounds_.violation() <= tolerance_) {
            return false;
        }
        std::vector<index_t> active = vars_.active();
        for (index_t row = 0; row < vars_.size(); ++row) {
            if (!is_active[static_cast<std::size_t>(row)] &&
                !bounds_.is_idle(bounds_.moves_of_row(row))) {
                active.push_back(row);
            }
        }
        vars_.activate(std::move(active), context);
        idle_.resize(static_cast<std::size_t>(vars_.active_size()), 0);
        choice_.resize();
        return true;
    }

    void forget() override {
        choice_.forget();
        idle_.assign(static_cast<std::size_t>(vars_.active_size()), 0);
    }

    MoveBounds bounds_;
    SetChoice choice_;
    SetRound round_;
    std::vector<std::uint8_t> idle_;  ///< consecutive rounds in which an active variable was idle
    int idle_gains_ = 0;
};

DecompositionSolver::DecompositionSolver(const Problem& problem, const CoordinateOptions& options,
                                         Context& context) {
    if (!fits(problem)) {
        throw InvalidArgument(
            fmt::format("loss: decomposition does not solve {} problems", name_of(problem.loss)));
    }
    require_well_formed(problem);
    state_ = std::make_unique<State>(problem, options, context);
}

DecompositionSolver::~DecompositionSolver() = default;

index_t DecompositionSolver::small_set(index_t rows) {
    if (rows <= kSmallProblem) {
        return std::max<index_t>(2, rows);
    }
    const index_t wanted = rows / kRowsPerVariable / kSmallestSet * kSmallestSet;
    return std::clamp<index_t>(rows, 2, std::clamp(wanted, kSmallestSet, kLargestSet));
}

bool DecompositionSolver::fits(const Problem& problem) { return has_box_dual(problem.loss); }

void DecompositionSolver::warm_start(std::span<const double> beta, Context& context) {
    state_->warm_start(beta, context);
}
SolveStatus DecompositionSolver::run(double tolerance, Context& context) {
    return state_->run(tolerance, context);
}
void DecompositionSolver::reset_values(std::span<const double> f) { state_->reset_values(f); }
std::span<const double> DecompositionSolver::beta() const noexcept {
    return state_->variables().beta();
}
std::vector<double> DecompositionSolver::estimated_values() const {
    return state_->variables().estimated_values();
}
index_t DecompositionSolver::iterations() const noexcept { return state_->iterations(); }
index_t DecompositionSolver::rows_computed() const noexcept {
    return state_->variables().cache().counters().computed;
}
index_t DecompositionSolver::working_set() const noexcept { return state_->capacity(); }
void DecompositionSolver::at_boundaries(std::function<void()> action) {
    state_->at_boundaries(std::move(action));
}
void DecompositionSolver::save(StateWriter& state) { state_->save(state); }
void DecompositionSolver::restore(StateReader& state, Context& context) {
    state_->restore(state, context);
}

}  // namespace mercer
