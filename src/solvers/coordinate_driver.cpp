// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/coordinate_driver.cpp - run, certify, tighten, continue.
//
// A solver stops by its own rule on float32 rows. The certificate is computed in float64 from the
// coefficients. If it misses the goal, the solver continues from the exact values. This is
// iterative refinement: the float32 updates then only have to correct the remaining error.
#include "solvers/coordinate_driver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "mercer/base/checked.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/options.hpp"
#include "mercer/runtime/state_keeper.hpp"
#include "mercer/solvers/solution_state.hpp"
#include "solvers/estimates.hpp"
#include "solvers/proof_time.hpp"
#include "solvers/prover.hpp"

namespace mercer {

namespace {

constexpr double kFirstTolerance = 1e-3;
constexpr double kViolationShare = 0.95;  // of the requested violation: float32 rows are inexact
constexpr double kLeastTolerance = 1e-13;
constexpr index_t kMaxRounds = 500;
constexpr index_t kRoundPatience = 20;  // rounds without a better gap

// Largest row cache, by the stored entries of a data row. Gram rows of short data rows are computed
// as fast as new pages are cleared: ijcnn1 (13 entries), a9a (14), covtype, cod-rna, SUSY and MNIST
// (150) take as long with 32 MiB as with 128 MiB or 1 GiB. A mixture of 8,000 rows of 500 entries
// takes 3.6 s with 128 MiB, 2.6 s with 192 MiB, 2.3 s with all rows cached. A caller who allows more
// for short rows gains nothing: with 1,000 MiB cadata takes 1.6 s instead of 0.5, a9a 1.9 s instead
// of 0.8, for clearing pages.
constexpr double kCheapEntries = 256.0;
constexpr index_t kCheapCache = index_t{32} << 20;
constexpr index_t kLargestCache = index_t{192} << 20;

bool rows_are_short(double entries_per_row) { return entries_per_row <= kCheapEntries; }

/// A requested size is a limit.
index_t cache_bytes(const Problem& problem, const SolveOptions& options, const Context& context) {
    const GramCost cost = problem.gram->cost();
    if (const index_t limit = options.coordinates.cache_bytes; limit > 0) {
        return rows_are_short(cost.entries_per_row()) ? std::min(limit, kCheapCache) : limit;
    }
    // Memory is first reserved for the float32 data rows in both layouts, with a second copy for
    // the active variables, for the blocks of the working set and for each thread's tiles.
    constexpr index_t kTileBytes = index_t{1} << 20;
    const index_t left = context.memory()->left();
    const std::optional<index_t> panels = try_multiply(problem.size(), 4 * cost.columns);
    const index_t layout = std::min(left, panels.value_or(left) + 8 * cost.stored);
    const index_t first = 2 * layout +
                          working_set_bytes(problem.size(), options.coordinates.working_set) +
                          kTileBytes * context.threads();
    return std::clamp<index_t>((left - std::min(left, first)) / 2, 0, largest_cache(cost));
}

/// Run, certify, tighten, continue; with a saved state, from where a run of the same problem
/// stopped.
class Driver {
public:
    Driver(const Problem& problem, const SolveOptions& options, CoordinateSolver& solver,
           Context& context)
        : problem_(problem),
          options_(options),
          keeper_(options.keeper),
          solver_(solver),
          context_(context),
          prover_(problem, options, context, kDefaultGapTolerance),
          proof_(problem, context) {
        const Goal& goal = prover_.goal();
        place_.tolerance =
            std::isnan(goal.violation) ? kFirstTolerance : kViolationShare * goal.violation;
        std::vector<double>& beta = prover_.best().beta;
        beta.assign(static_cast<std::size_t>(problem.size()), 0.0);
        if (keeper_ != nullptr && !keeper_->saved().empty()) {
            restore(keeper_->saved());
        } else if (!options.start.empty()) {
            beta.assign(options.start.begin(), options.start.end());
            project_onto_dual(problem, beta);
            solver.warm_start(beta, prover_.uninterruptible());
        }
    }

    [[nodiscard]] Solution run() {
        if (keeper_ != nullptr || proof_.is_limited()) {
            solver_.at_boundaries([this] {
                if (keeper_ != nullptr && keeper_->due()) {
                    save();
                }
                proof_.reserve_time_for(solver_.beta());
            });
        }
        for (; place_.round < kMaxRounds; ++place_.round, place_.run = 0) {
            const SolveStatus ended = run_to_goal();
            if (ended == SolveStatus::interrupted && keeper_ != nullptr &&
                solver_.iterations() > 0) {
                save();
            }
            if (const std::optional<SolveStatus> end = certify(ended)) {
                Solution out = finish(*end);
                if (*end == SolveStatus::interrupted && keeper_ != nullptr) {
                    out.status = *end;  // a later run continues to the same result
                }
                return out;
            }
        }
        return finish(SolveStatus::reduced);
    }

private:
    /// The state of the driver; the solver has its own.
    struct Place {
        double tolerance = kFirstTolerance;  ///< of the solver's current run
        index_t round = 0;                   ///< certificates so far
        index_t run = 0;                     ///< runs of the solver in this round
        index_t stalled = 0;
    };

    [[nodiscard]] Solution finish(SolveStatus ended) {
        return prover_.finish(ended, prover_.best().iterations, options_.solver.name());
    }

    void save() {
        StateWriter state;
        state.number(place_.tolerance);
        state.number(prover_.proved() ? prover_.best().certificate().gap : kInfinity);
        state.number(place_.round);
        state.number(place_.run);
        state.number(place_.stalled);
        save_solution(prover_.best(), state);
        solver_.save(state);
        keeper_->save(state.take());
    }

    void restore(std::string_view bytes) {
        StateReader state(bytes);
        place_.tolerance = state.number<double>();
        static_cast<void>(state.number<double>());  // the gap, which is also in the solution
        place_.round = state.integer(0, kMaxRounds - 1);
        place_.run = state.integer(0, kMaxRounds - 1);
        place_.stalled = state.integer(0, kRoundPatience);
        prover_.restore(restore_solution(problem_.size(), state), place_.round > 0);
        solver_.restore(state, prover_.uninterruptible());
        StateReader::require(state.at_end());
    }

    /// The certificate by the solver's own values, which needs no kernel values.
    [[nodiscard]] Certificate own_account() const {
        std::vector<double> beta(solver_.beta().begin(), solver_.beta().end());
        project_onto_dual(problem_, beta);
        Certificate believed = certify_values(problem_, beta, solver_.estimated_values());
        believed.gap -= believed.rounding;
        return believed;
    }

    /// Whether the solver's own stopping rule is the whole goal.
    [[nodiscard]] bool own_rule_is_asked_for() const {
        return std::isnan(prover_.goal().gap) && place_.tolerance <= prover_.goal().violation;
    }

    /// Runs until the goal is met by the solver's own values, or the solver cannot continue. Leaves
    /// the tolerance for the next run in place_.
    SolveStatus run_to_goal() {
        for (; place_.run < kMaxRounds; ++place_.run) {
            const SolveStatus ended = solver_.run(place_.tolerance, context_);
            if (ended != SolveStatus::converged || own_rule_is_asked_for()) {
                return ended;
            }
            const Certificate believed = own_account();
            if (prover_.goal().met(believed) || place_.tolerance < kLeastTolerance) {
                return ended;
            }
            place_.tolerance = tighten(place_.tolerance, prover_.goal(), believed);
        }
        return SolveStatus::reduced;
    }

    /// Certifies the solver's coefficients. Returns the status if this is the end; otherwise the
    /// solver has received the exact values and place_ the next tolerance.
    std::optional<SolveStatus> certify(SolveStatus ended) {
        prover_.best().iterations = solver_.iterations();
        std::vector<double> beta(solver_.beta().begin(), solver_.beta().end());
        const double certify_start = context_.elapsed();
        const double moved = project_onto_dual(problem_, beta);
        const Context::Uncounted judging(prover_.uninterruptible());
        const std::vector<double> f = decision_values(problem_, beta, prover_.uninterruptible());
        Certificate certificate =
            certify_values(problem_, beta, f, prover_.goal().wanted(), prover_.uninterruptible());
        certificate.dual_infeasibility = moved;
        prover_.best().certify_seconds += context_.elapsed() - certify_start;
        if (!std::isfinite(certificate.gap)) {
            return end_at_last_good();
        }
        const bool better = prover_.better_than_best(certificate);
        const bool met = prover_.take(std::move(beta), certificate);
        if (met || ended == SolveStatus::interrupted || ended == SolveStatus::iteration_limit) {
            return ended;
        }
        place_.stalled = better ? 0 : place_.stalled + 1;
        if (place_.stalled >= kRoundPatience) {
            return SolveStatus::reduced;
        }
        solver_.reset_values(f);
        if (ended == SolveStatus::converged) {
            place_.tolerance = tighten(place_.tolerance, prover_.goal(), certificate);
        }
        return std::nullopt;
    }

    /// The coefficients are not finite any more: the last good ones are the answer.
    SolveStatus end_at_last_good() {
        if (!prover_.proved()) {
            Solution& first = prover_.best();
            first.adopt(mercer::certify(problem_, first.beta, prover_.uninterruptible(),
                                        prover_.goal().wanted()));
        }
        return SolveStatus::reduced;
    }

    const Problem& problem_;
    const SolveOptions& options_;
    StateKeeper* keeper_;
    CoordinateSolver& solver_;
    Context& context_;
    Prover<Problem> prover_;
    ProofTime proof_;
    Place place_;
};

}  // namespace

index_t largest_cache(double entries_per_row) {
    return rows_are_short(entries_per_row) ? kCheapCache : kLargestCache;
}

index_t largest_cache(const GramCost& cost) { return largest_cache(cost.entries_per_row()); }

Solution solve_by_coordinates(const KernelSolver& row, const Problem& problem,
                              const SolveOptions& options, const std::string& reason,
                              Context& context) {
    const std::unique_ptr<Context> uninterruptible = Context::unstoppable(context);
    const index_t cache = cache_bytes(problem, options, *uninterruptible);
    const std::unique_ptr<CoordinateSolver> solver =
        row.make(problem,
                 {.max_iterations = options.max_iterations,
                  .cache_bytes = cache,
                  .working_set = options.coordinates.working_set,
                  .selection = options.coordinates.selection,
                  .precision = options.coordinates.precision},
                 *uninterruptible);
    context.note(fmt::format("solver {} ({}), row cache {}, working set {} rows", row.facts.name,
                             reason, format_byte_size(cache_bytes(problem, options, context)),
                             solver->working_set()));
    SolveOptions named = options;
    named.solver = row.facts.name;
    Solution out = Driver(problem, named, *solver, context).run();
    context.note(
        fmt::format("{} steps, {} kernel rows computed", out.iterations, solver->rows_computed()));
    return out;
}

}  // namespace mercer
