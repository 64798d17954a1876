// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/decomposition.cpp - working sets of many variables for the kernel dual.
//
//     minimise  1/2 b'(K + R)b - p'b + e'|b|   subject to  l <= b <= u  and up to two fixed sums
//
// Method   Decomposition (Joachims 1999) with large working sets, half of which stay for the next
//          round (Wen et al., JMLR 19, 2018): the block of the working set is solved by pairwise
//          second-order steps in cache, then all values are updated from the rows that moved.
// Fits     every box dual; the rows that one round needs are computed as one block.
// Cost     per round q^2 + (rows moved) n kernel entries, cached rows excepted; memory O(n), the
//          row cache and q^2 floats.
// Stops    when the violation m - M meets the tolerance in every group. Each round contains a
//          maximal violating pair; a round that moves nothing ends the run as `reduced`.
// Notation b  variables     v = p - (K + R)b     m, M  as in smo.cpp, per group
//
// The kink of |b| at zero costs no variable: within a round a variable stays on its side of zero,
// and one that is at zero is given the side it wants to. With a free width (nu) the positive and
// the negative side are two groups, each with a sum of its own.
#include "mercer/solvers/decomposition.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>

#include "mercer/base/error.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/parallel.hpp"
#include "mercer/runtime/state_keeper.hpp"
#include "solvers/active_sets.hpp"
#include "solvers/dual_variables.hpp"
#include "solvers/working_set.hpp"

namespace mercer {

namespace {

// Measured on ijcnn1, a9a, covtype, cod-rna and SUSY: sets of 512 are 8 % slower on the average,
// 2048 the same; shares of 0.03 or 0.3, three times as few or many steps, 0.5 instead of 0.7 change
// times by less than their noise; dropping after 15 idle rounds costs 15 %.
constexpr index_t kLargestSet = 1024;
// Sets of many small problems: an eighth of the rows. Processor seconds of all 325 pairs of letter
// (1,150 rows each) and peak memory: 0.92 and 14.1 MB with sets of 128, 0.82 and 16.5 MB with 256,
// 1.03 and 49 MB with the whole problem as one set; 45 pairs of usps (1,460 rows): 0.72, 0.73 and
// 0.98. A problem that is alone is taken whole: nearly singular ones gain more from a good start.
constexpr index_t kSmallestSet = 128;
constexpr index_t kRowsPerVariable = 8;
constexpr index_t kStepsPerVariable = 10;  // of a round, at most
constexpr double kLocalShare = 0.1;        // a round reduces the violation to this share
constexpr double kCompact = 0.7;           // shrink when fewer than this share stay
constexpr int kIdleRounds = 3;             // before a variable may be dropped
// A run whose objective has not grown by this share in so many rounds has no digits left to gain:
// costs of 1e300 went on for 10^7 steps before.
constexpr double kLeastGain = 1e-16;
constexpr int kIdleGains = 50;
constexpr index_t kLargestIndex = std::numeric_limits<index_t>::max();
constexpr index_t kColumnsPerTask = 2048;  // of an update: 16 KiB of values

/// Where the two ways of moving one variable lead.
struct Moves {
    bool up = false;
    bool down = false;
    double up_value = 0.0;  ///< minus the one-sided derivative
    double down_value = 0.0;
    int up_group = 0;
    int down_group = 0;
};

/// Largest value that may go up, smallest that may go down.
struct Bounds {
    double maximum = -kInfinity;
    double minimum = kInfinity;
};

struct Candidate {
    double score;
    index_t place;
};

/// Variables of the working set: as asked for, but a pair at the least.
index_t set_size(index_t rows, index_t wanted) {
    if (wanted > 0) {
        return std::clamp<index_t>(wanted, 2, std::max<index_t>(2, rows));
    }
    return rows <= DecompositionSolver::kWholeProblem ? std::max<index_t>(2, rows) : kLargestSet;
}

/// A working set that is the whole problem asks for no rows.
CoordinateOptions row_options(const Problem& problem, CoordinateOptions options) {
    if (set_size(problem.size(), options.working_set) >= problem.size()) {
        options.cache_bytes = 0;
    }
    return options;
}

/// Keeps the `count` best, in order of place: the set does not depend on how ties are sorted.
void keep_best(std::vector<Candidate>& candidates, std::size_t count) {
    const auto better = [](const Candidate& a, const Candidate& b) {
        return a.score > b.score || (a.score == b.score && a.place < b.place);
    };
    if (candidates.size() > count) {
        std::nth_element(candidates.begin(),
                         candidates.begin() + static_cast<std::ptrdiff_t>(count), candidates.end(),
                         better);
        candidates.resize(count);
    }
}

}  // namespace

class DecompositionSolver::State {
public:
    State(const Problem& problem, const CoordinateOptions& options, Context& context)
        : options_(options),
          groups_(problem.has_mass() ? 2 : (problem.intercept ? 1 : 0)),
          vars_(problem, row_options(problem, options), context),
          capacity_(set_size(problem.size(), options.working_set)),
          set_(capacity_, context) {
        kinked_ = problem.has_mass();
        for (index_t i = 0; i < problem.size(); ++i) {
            kinked_ = kinked_ || vars_.term_of_row(i).width > 0.0;
        }
        max_iterations_ = options.max_iterations > 0
                              ? options.max_iterations
                              : std::max<index_t>(10'000'000, 100 * problem.size());
        forget_places();
    }

    void warm_start(std::span<const double> beta, Context& context) {
        vars_.warm_start(beta, context);
        forget_places();
        begin_anew();
    }

    void reset_values(std::span<const double> f) {
        vars_.reset_values(f);
        begin_anew();
    }

    SolveStatus run(double tolerance, Context& context) {
        tolerance_ = tolerance;
        try {
            return solve_all(context);
        } catch (const Interrupted&) {  // values may lag behind; the coefficients do not
            vars_.store();
            goes_on_ = true;
            return SolveStatus::interrupted;
        }
    }

    void at_boundaries(std::function<void()> action) { boundary_ = std::move(action); }

    void save(StateWriter& state) {
        vars_.save(state);
        state.array(places_);
        state.array(joined_of_places());
        state.array(idle_);
        state.number(iterations_);
        state.number(rounds_);
        state.number(static_cast<index_t>(idle_gains_));
        state.number(static_cast<index_t>(in_round_));
        for (const Bounds& bounds : bounds_) {
            state.number(bounds.maximum);
            state.number(bounds.minimum);
        }
        save_pending(state, pending_);
    }

    void restore(StateReader& state, Context& context) {
        vars_.restore(state, context);
        places_ = state.places(vars_.active_size());
        StateReader::require(static_cast<index_t>(places_.size()) <= capacity_);
        lose_block(state.array<index_t>(static_cast<index_t>(places_.size())));
        idle_ = state.array<std::uint8_t>(vars_.active_size());
        chosen_.assign(idle_.size(), 0);
        iterations_ = state.integer(0, kLargestIndex);
        rounds_ = state.integer(0, kLargestIndex);
        idle_gains_ = static_cast<int>(state.integer(0, kIdleGains));
        in_round_ = state.integer(0, 1) == 1;
        for (Bounds& bounds : bounds_) {
            bounds.maximum = state.number<double>();
            bounds.minimum = state.number<double>();
        }
        pending_ = read_pending(state);
        goes_on_ = true;
    }

    [[nodiscard]] const DualVariables& variables() const { return vars_; }
    [[nodiscard]] index_t iterations() const { return iterations_; }
    [[nodiscard]] index_t capacity() const { return capacity_; }

private:
    SolveStatus solve_all(Context& context) {
        const std::unique_ptr<Context> patient = Context::unstoppable(context);
        return solve_on_active_sets(
            vars_, pending_, context, [&] { return solve_active(context); },
            [&](SolveStatus status) {
                begin_anew();
                return status != SolveStatus::converged || !widen(*patient);
            });
    }

    void begin_anew() {
        pending_.reset();
        in_round_ = false;
        goes_on_ = false;
    }

    [[nodiscard]] Moves moves_of(double b, double v, const DualTerm& term) const {
        Moves out;
        out.up = b < term.box.upper;
        out.down = b > term.box.lower;
        out.up_value = v;
        out.down_value = v;
        if (kinked_) {
            out.up_value += b >= 0.0 ? -term.width : term.width;
            out.down_value += b > 0.0 ? -term.width : term.width;
            if (groups_ == 2) {
                out.up_group = b >= 0.0 ? 0 : 1;
                out.down_group = b > 0.0 ? 0 : 1;
            }
        }
        return out;
    }

    [[nodiscard]] Moves moves_of(index_t k) const {
        return moves_of(vars_.b(k), vars_.v(k), vars_.term(k));
    }

    void offer(const Moves& moves) {
        if (moves.up) {
            double& maximum = bounds_[static_cast<std::size_t>(moves.up_group)].maximum;
            maximum = std::max(maximum, moves.up_value);
        }
        if (moves.down) {
            double& minimum = bounds_[static_cast<std::size_t>(moves.down_group)].minimum;
            minimum = std::min(minimum, moves.down_value);
        }
    }

    void find_bounds() {
        bounds_ = {};
        for (index_t k = 0; k < vars_.active_size(); ++k) {
            offer(moves_of(k));
        }
    }

    /// What a value that may go up is compared with, and one that may go down.
    [[nodiscard]] double floor_of(int group) const {
        return groups_ == 0 ? 0.0 : bounds_[static_cast<std::size_t>(group)].minimum;
    }
    [[nodiscard]] double ceiling_of(int group) const {
        return groups_ == 0 ? 0.0 : bounds_[static_cast<std::size_t>(group)].maximum;
    }

    [[nodiscard]] double violation() const {
        if (groups_ == 0) {
            return std::max({0.0, bounds_[0].maximum, -bounds_[0].minimum});
        }
        double worst = 0.0;
        for (const Bounds& bounds : bounds_) {
            worst = std::max(worst, bounds.maximum - bounds.minimum);  // -inf when a set is empty
        }
        return worst;
    }

    /// True for a variable at the end of its box, or at zero, that nothing draws away from there.
    [[nodiscard]] bool is_idle(const Moves& moves) const {
        if (moves.up && moves.down && !kinked_) {
            return false;
        }
        return (!moves.up || moves.up_value < floor_of(moves.up_group)) &&
               (!moves.down || moves.down_value > ceiling_of(moves.down_group));
    }

    SolveStatus solve_active(Context& context) {
        if (!goes_on_) {
            vars_.begin_steps();
            idle_gains_ = 0;
        }
        goes_on_ = false;
        while (true) {
            if (!in_round_) {
                find_bounds();
                if (const std::optional<SolveStatus> ended = end_of_steps(context)) {
                    return *ended;
                }
                if (boundary_) {
                    boundary_();
                }
                if (options_.shrinking) {
                    shrink(*Context::unstoppable(context));
                }
                in_round_ = true;
            }
            const bool moved = whole_round(context);
            in_round_ = false;
            if (!moved) {
                return SolveStatus::reduced;
            }
        }
    }

    /// Why there is no further round, if so.
    [[nodiscard]] std::optional<SolveStatus> end_of_steps(Context& context) {
        const double worst = violation();
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

    /// A round, or nothing of it: stopped in its middle, the state is as before, and in_round_.
    bool whole_round(Context& context) {
        const std::vector<index_t> places = places_;
        const std::vector<index_t> joined = joined_of_places();
        const index_t iterations = iterations_;
        try {
            if (block_lost_) {
                rebuild_block(context);
            }
            return round(violation(), context);
        } catch (const Interrupted&) {  // thrown before the first value has moved, or not at all
            places_ = places;
            lose_block(joined);
            iterations_ = iterations;
            throw;
        }
    }

    [[nodiscard]] std::vector<index_t> joined_of_places() const {
        std::vector<index_t> joined;
        for (const index_t slot : slots_) {
            joined.push_back(joined_[static_cast<std::size_t>(slot)]);
        }
        return joined;
    }

    /// The block of the working set is gone; the rounds its variables joined in are `joined`.
    void lose_block(std::vector<index_t> joined) {
        joined_ = std::move(joined);
        slots_.resize(places_.size());
        std::iota(slots_.begin(), slots_.end(), index_t{0});
        block_lost_ = true;
    }

    void rebuild_block(Context& context) {
        lose_block(joined_of_places());
        set_.clear(groups_, {}, context);
        rows_.clear();
        for (const index_t k : places_) {
            set_.add(local(k));
            rows_.push_back(vars_.row(k));
        }
        if (!rows_.empty()) {
            vars_.cache().compute_block(rows_, rows_, set_.rows_from(0), context);
            set_.prefer_later(joined_);
        }
        block_lost_ = false;
    }

    /// Chooses a working set, solves it, updates all values. False when nothing moved.
    bool round(double worst, Context& context) {
        choose();
        load_set(context);
        const bool whole = set_.size() == vars_.active_size();
        const double local = whole ? tolerance_ : std::max(tolerance_, kLocalShare * worst);
        iterations_ += set_.solve(
            local, std::min(kStepsPerVariable * set_.size(), max_iterations_ - iterations_));
        return whole ? take_all() : update(context);
    }

    /// Places of the working set among the active variables: what stays, then the worst violators.
    void choose() {
        const auto room = static_cast<std::size_t>(std::min(capacity_, vars_.active_size()));
        const bool whole = static_cast<index_t>(room) == vars_.active_size();
        std::vector<index_t> chosen = staying(whole ? room : (room < 3 ? 0 : room / 2));
        for (const index_t k : chosen) {
            chosen_[static_cast<std::size_t>(k)] = 1;
        }
        candidates_up_.clear();
        candidates_down_.clear();
        const std::array<double, 2> centres = {centre(0), centre(1)};
        for (index_t k = 0; k < vars_.active_size(); ++k) {
            if (chosen_[static_cast<std::size_t>(k)] != 0) {
                continue;
            }
            const Moves moves = moves_of(k);
            if (moves.up && moves.up_value > floor_of(moves.up_group)) {
                candidates_up_.push_back(
                    {moves.up_value - centres[static_cast<std::size_t>(moves.up_group)], k});
            }
            if (moves.down && moves.down_value < ceiling_of(moves.down_group)) {
                candidates_down_.push_back(
                    {centres[static_cast<std::size_t>(moves.down_group)] - moves.down_value, k});
            }
        }
        const std::size_t fresh = room - chosen.size();
        const std::size_t down = std::min(candidates_down_.size(), fresh / 2);
        keep_best(candidates_up_, fresh - down);
        keep_best(candidates_down_, fresh - std::min(fresh / 2, candidates_up_.size()));
        for (const auto* list : {&candidates_up_, &candidates_down_}) {
            for (const Candidate& candidate : *list) {
                std::uint8_t& mark = chosen_[static_cast<std::size_t>(candidate.place)];
                if (mark == 0 && chosen.size() < room) {
                    mark = 1;
                    chosen.push_back(candidate.place);
                }
            }
        }
        for (const index_t k : chosen) {
            chosen_[static_cast<std::size_t>(k)] = 0;
        }
        places_ = std::move(chosen);
    }

    [[nodiscard]] double centre(std::size_t group) const {
        if (groups_ == 0) {
            return 0.0;
        }
        const Bounds& bounds = bounds_[group];
        return std::isfinite(bounds.maximum) && std::isfinite(bounds.minimum)
                   ? 0.5 * (bounds.maximum + bounds.minimum)
                   : 0.0;
    }

    /// The part of the last working set that stays: free variables first, the newest first. Their
    /// slots there go to kept_slots_.
    [[nodiscard]] std::vector<index_t> staying(std::size_t most) {
        std::vector<index_t> out;
        kept_slots_.clear();
        for (const bool free : {true, false}) {
            for (std::size_t i = places_.size(); i-- > 0 && out.size() < most;) {
                const Moves moves = moves_of(places_[i]);
                if ((moves.up && moves.down && vars_.b(places_[i]) != 0.0) == free) {
                    out.push_back(places_[i]);
                    kept_slots_.push_back(slots_[i]);
                }
            }
        }
        std::reverse(out.begin(), out.end());
        std::reverse(kept_slots_.begin(), kept_slots_.end());
        return out;
    }

    /// The variable within this round: its side of zero, its value with the kink's slope.
    [[nodiscard]] LocalVariable local(index_t k) const {
        const DualTerm& term = vars_.term(k);
        LocalVariable out{.b = vars_.b(k),
                          .v = vars_.v(k),
                          .lower = term.box.lower,
                          .upper = term.box.upper,
                          .diagonal = vars_.diagonal(k)};
        if (!kinked_) {
            return out;
        }
        bool positive = out.b > 0.0;
        if (out.b == 0.0) {
            const Moves moves = moves_of(k);
            const double rise = moves.up ? moves.up_value - floor_of(moves.up_group) : -kInfinity;
            const double fall =
                moves.down ? ceiling_of(moves.down_group) - moves.down_value : -kInfinity;
            positive = rise >= fall;
        }
        out.group = positive ? 0 : 1;
        out.v += positive ? -term.width : term.width;
        (positive ? out.lower : out.upper) = 0.0;
        return out;
    }

    void load_set(Context& context) {
        set_.clear(groups_, kept_slots_, context);
        rows_.clear();
        slopes_.clear();
        for (const index_t k : places_) {
            const LocalVariable variable = local(k);
            set_.add(variable);
            slopes_.push_back(vars_.v(k) - variable.v);
            rows_.push_back(vars_.row(k));
        }
        const std::size_t kept = kept_slots_.size();
        if (kept < rows_.size()) {
            vars_.cache().compute_block(std::span(rows_).subspan(kept), rows_,
                                        set_.rows_from(static_cast<index_t>(kept)), context);
        }
        ++rounds_;
        std::vector<index_t> joined(places_.size(), rounds_);
        for (std::size_t i = 0; i < kept; ++i) {
            joined[i] = joined_[static_cast<std::size_t>(kept_slots_[i])];
        }
        joined_ = std::move(joined);
        slots_.resize(places_.size());
        std::iota(slots_.begin(), slots_.end(), index_t{0});
    }

    bool update(Context& context) {
        rows_.clear();
        deltas_.clear();
        old_values_.clear();
        std::vector<index_t> moved;
        for (index_t s = 0; s < set_.size(); ++s) {
            const index_t k = places_[static_cast<std::size_t>(s)];
            const double delta = set_.b(s) - vars_.b(k);
            if (delta != 0.0) {
                moved.push_back(s);
                rows_.push_back(vars_.row(k));
                deltas_.push_back(delta);
                old_values_.push_back(vars_.v(k));
            }
        }
        if (moved.empty()) {
            return false;
        }
        // Rows that do not fit the cache together are fetched in parts. A stop between parts must
        // not leave values that lack some of them: once one part is in, all go in.
        const std::unique_ptr<Context> patient = Context::unstoppable(context);
        const auto part = static_cast<std::size_t>(vars_.cache().capacity());
        for (std::size_t first = 0; first < rows_.size(); first += part) {
            subtract(first, std::min(part, rows_.size() - first), first == 0 ? context : *patient,
                     *patient);
        }
        double gain = 0.0;  // of the dual objective: the mean of both slopes times the step
        double size = 0.0;
        for (std::size_t r = 0; r < moved.size(); ++r) {
            const index_t k = places_[static_cast<std::size_t>(moved[r])];
            vars_.b(k) = set_.b(moved[r]);
            vars_.v(k) -= deltas_[r] * vars_.term(k).ridge;
            vars_.add_drift(deltas_[r], static_cast<double>(vars_.diagonal(k)));
            gain += 0.5 * deltas_[r] * (old_values_[r] + vars_.v(k));
            size += std::abs(vars_.b(k) * (vars_.term(k).linear + vars_.v(k)));
        }
        return gained(gain, size);
    }

    /// The working set is all there is: its values are the values.
    bool take_all() {
        double gain = 0.0;
        double size = 0.0;
        bool moved = false;
        for (index_t s = 0; s < set_.size(); ++s) {
            const index_t k = places_[static_cast<std::size_t>(s)];
            const double delta = set_.b(s) - vars_.b(k);
            const double before = vars_.v(k);
            vars_.v(k) = set_.v(s) + slopes_[static_cast<std::size_t>(s)];
            vars_.b(k) = set_.b(s);
            if (delta != 0.0) {
                moved = true;
                vars_.add_drift(delta, static_cast<double>(vars_.diagonal(k)));
                gain += 0.5 * delta * (before + vars_.v(k));
                size += std::abs(vars_.b(k) * (vars_.term(k).linear + vars_.v(k)));
            }
        }
        return moved && gained(gain, size);
    }

    /// False when the objective has not grown for many rounds.
    bool gained(double gain, double size) {
        idle_gains_ = gain > kLeastGain * size ? 0 : idle_gains_ + 1;
        return idle_gains_ < kIdleGains;
    }

    /// Takes part of the moved rows into all values.
    void subtract(std::size_t first, std::size_t count, Context& context, Context& patient) {
        pointers_.resize(count);
        vars_.cache().fetch(std::span(rows_).subspan(first, count), pointers_, context);
        const index_t n = vars_.active_size();
        parallel_for(patient, (n + kColumnsPerTask - 1) / kColumnsPerTask, [&](index_t task, int) {
            subtract_rows(vars_.v_data(), task * kColumnsPerTask,
                          std::min(n, (task + 1) * kColumnsPerTask),
                          {pointers_.data(), deltas_.data() + first, static_cast<index_t>(count)},
                          patient.device());
        });
    }

    /// Drops variables that were idle for some rounds, when that makes rows much shorter.
    void shrink(Context& context) {
        std::vector<index_t> kept;
        for (index_t k = 0; k < vars_.active_size(); ++k) {
            std::uint8_t& age = idle_[static_cast<std::size_t>(k)];
            age = is_idle(moves_of(k)) ? static_cast<std::uint8_t>(std::min(age + 1, 255)) : 0;
            if (age < kIdleRounds) {
                kept.push_back(k);
            }
        }
        if (static_cast<double>(kept.size()) >=
                kCompact * static_cast<double>(vars_.active_size()) ||
            kept.size() < 2) {
            return;
        }
        std::vector<index_t> place_after(static_cast<std::size_t>(vars_.active_size()), -1);
        std::vector<std::uint8_t> ages;
        std::vector<index_t> rows;
        for (const index_t k : kept) {
            place_after[static_cast<std::size_t>(k)] = static_cast<index_t>(rows.size());
            rows.push_back(vars_.row(k));
            ages.push_back(idle_[static_cast<std::size_t>(k)]);
        }
        std::vector<index_t> places;
        std::vector<index_t> slots;
        for (std::size_t i = 0; i < places_.size(); ++i) {
            const index_t place = place_after[static_cast<std::size_t>(places_[i])];
            if (place >= 0) {
                places.push_back(place);
                slots.push_back(slots_[i]);
            }
        }
        vars_.store();
        vars_.activate(std::move(rows), context);
        vars_.begin_steps();
        places_ = std::move(places);
        slots_ = std::move(slots);
        idle_ = std::move(ages);
        chosen_.assign(idle_.size(), 0);
    }

    /// With all values right again: takes back every variable that is not idle. False when the
    /// full problem is solved.
    bool widen(Context& context) {
        std::vector<bool> is_active(static_cast<std::size_t>(vars_.size()), false);
        for (const index_t row : vars_.active()) {
            is_active[static_cast<std::size_t>(row)] = true;
        }
        bounds_ = {};
        const auto moves_of_row = [&](index_t row) {
            const auto at = static_cast<std::size_t>(row);
            return moves_of(vars_.beta()[at], vars_.values()[at], vars_.term_of_row(row));
        };
        for (index_t row = 0; row < vars_.size(); ++row) {
            offer(moves_of_row(row));
        }
        if (violation() <= tolerance_) {
            return false;
        }
        std::vector<index_t> active = vars_.active();
        for (index_t row = 0; row < vars_.size(); ++row) {
            if (!is_active[static_cast<std::size_t>(row)] && !is_idle(moves_of_row(row))) {
                active.push_back(row);
            }
        }
        vars_.activate(std::move(active), context);
        idle_.resize(static_cast<std::size_t>(vars_.active_size()), 0);
        chosen_.assign(idle_.size(), 0);
        return true;
    }

    void forget_places() {
        places_.clear();
        slots_.clear();
        joined_.clear();
        idle_.assign(static_cast<std::size_t>(vars_.active_size()), 0);
        chosen_.assign(idle_.size(), 0);
    }

    CoordinateOptions options_;
    int groups_;  ///< sums to keep: none, all variables together, or one per side of zero
    DualVariables vars_;
    index_t capacity_;  ///< of the working set
    WorkingSet set_;
    bool kinked_ = false;
    std::array<Bounds, 2> bounds_{};
    std::vector<index_t> places_;  ///< working set, as places among the active variables
    std::vector<index_t> slots_;   ///< and in the block of the last round
    std::vector<index_t> kept_slots_;
    std::vector<index_t> joined_;  ///< by slot: the round in which the variable joined the set
    bool block_lost_ = false;
    std::vector<std::uint8_t> idle_;
    std::vector<std::uint8_t> chosen_;
    std::vector<Candidate> candidates_up_;
    std::vector<Candidate> candidates_down_;
    std::vector<index_t> rows_;
    std::vector<double> deltas_;
    std::vector<double> slopes_;      ///< of the kink, as subtracted within the working set
    std::vector<double> old_values_;  ///< of the rows that moved
    std::vector<const float*> pointers_;
    double tolerance_ = 1e-3;
    int idle_gains_ = 0;
    index_t iterations_ = 0;
    index_t max_iterations_ = 0;
    index_t rounds_ = 0;
    std::function<void()> boundary_;
    // Where a run that was left goes on.
    bool goes_on_ = false;   ///< not at the beginning
    bool in_round_ = false;  ///< bounds are found and idle variables dropped
    PendingStatus pending_;
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
