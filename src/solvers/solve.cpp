// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/solve.cpp - the driver: run, certify, tighten, continue.
//
// A solver stops by its own rule on float32 rows. The certificate is computed in float64 from the
// coefficients. When it does not yet prove what was asked for, the solver is given the exact
// values, which is iterative refinement: its float32 updates then only move what is left to move.
#include "mercer/solvers/solve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>

#include "mercer/base/checked.hpp"
#include "mercer/base/error.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/options.hpp"
#include "mercer/runtime/state_keeper.hpp"
#include "mercer/solvers/decomposition.hpp"
#include "mercer/solvers/goal.hpp"
#include "mercer/solvers/smo.hpp"
#include "mercer/solvers/solution_state.hpp"
#include "solvers/active_set_solver.hpp"
#include "solvers/choose.hpp"
#include "solvers/divided.hpp"
#include "solvers/polish.hpp"

namespace mercer {

namespace {

constexpr double kFirstTolerance = 1e-3;
constexpr double kViolationShare = 0.95;  // of the violation asked for: float32 rows blur it
constexpr double kLeastTolerance = 1e-13;
constexpr index_t kMaxRounds = 500;
constexpr index_t kPatience = 20;  // rounds without a better gap

// Largest row cache, by the stored entries of a data row. Rows of few entries are computed as fast
// as fresh pages are cleared: ijcnn1 (13 entries), a9a (14), covtype, cod-rna, SUSY and MNIST (150)
// take as long with 32 MiB as with 128 MiB or 1 GiB. A mixture of 8,000 rows of 500 entries takes
// 3.6 s with 128 MiB, 2.6 s with 192 MiB, 2.3 s when all fits.
constexpr index_t kCheapEntries = 256;
constexpr index_t kCheapCache = index_t{32} << 20;
constexpr index_t kLargestCache = index_t{192} << 20;

// Kernel values beyond this are divided by the largest before they are rounded to float32, whose
// largest number is 3e38: sums and steps need room, too.
constexpr double kLargestValue = 1e30;

index_t cache_bytes(const Problem& problem, const SolveOptions& options, const Context& context) {
    if (options.cache_bytes > 0) {
        return options.cache_bytes;
    }
    // The float32 rows come first, laid out and perhaps listed; an active set is a second copy.
    const index_t left = context.memory()->left();
    const GramCost cost = problem.gram->cost();
    const std::optional<index_t> panels = try_multiply(problem.size(), 4 * cost.columns);
    const index_t layout = std::min(left, panels.value_or(left) + 8 * cost.stored);
    return std::clamp<index_t>((left - std::min(left, 2 * layout)) / 2, 0, largest_cache(cost));
}

/// Run, certify, tighten, continue; with a keeper, from where a run of the same problem was left.
class Driver {
public:
    Driver(const Problem& problem, const SolveOptions& options, CoordinateSolver& solver,
           Context& context)
        : problem_(problem),
          keeper_(options.keeper),
          solver_(solver),
          context_(context),
          patient_(Context::unstoppable(context)),
          goal_(goal_of(options, kDefaultGapTolerance)) {
        place_.tolerance =
            std::isnan(goal_.violation) ? kFirstTolerance : kViolationShare * goal_.violation;
        out_.beta.assign(static_cast<std::size_t>(problem.size()), 0.0);
        if (keeper_ != nullptr && !keeper_->kept().empty()) {
            restore(keeper_->kept());
        } else if (!options.start.empty()) {
            out_.beta.assign(options.start.begin(), options.start.end());
            project_onto_dual(problem, out_.beta);
            solver.warm_start(out_.beta, *patient_);
        }
    }

    [[nodiscard]] Solution run() {
        if (keeper_ != nullptr) {
            solver_.at_boundaries([this] {
                if (keeper_->due()) {
                    save();
                }
            });
        }
        for (; place_.round < kMaxRounds; ++place_.round, place_.run = 0) {
            const SolveStatus ended = run_to_goal();
            if (ended == SolveStatus::interrupted && keeper_ != nullptr &&
                solver_.iterations() > 0) {
                save();
            }
            if (certify(ended)) {
                return std::move(out_);
            }
        }
        out_.status = SolveStatus::reduced;
        return std::move(out_);
    }

private:
    /// Where the driver is; the solver has a place of its own.
    struct Place {
        double tolerance = kFirstTolerance;  ///< of the solver's present run
        double best_gap = kInfinity;
        index_t round = 0;  ///< certificates so far
        index_t run = 0;    ///< of the solver, in this round
        index_t stalled = 0;
    };

    void save() {
        StateWriter state;
        state.number(place_.tolerance);
        state.number(place_.best_gap);
        state.number(place_.round);
        state.number(place_.run);
        state.number(place_.stalled);
        save_solution(out_, state);
        solver_.save(state);
        keeper_->keep(state.take());
    }

    void restore(std::string_view bytes) {
        StateReader state(bytes);
        place_.tolerance = state.number<double>();
        place_.best_gap = state.number<double>();
        place_.round = state.integer(0, kMaxRounds - 1);
        place_.run = state.integer(0, kMaxRounds - 1);
        place_.stalled = state.integer(0, kPatience);
        out_ = restore_solution(problem_.size(), state);
        solver_.restore(state, *patient_);
        StateReader::require(state.at_end());
    }

    /// What the solver believes of itself, which costs no kernel value.
    [[nodiscard]] Certificate own_account() const {
        std::vector<double> beta(solver_.beta().begin(), solver_.beta().end());
        project_onto_dual(problem_, beta);
        return certify_values(problem_, beta, solver_.estimated_values());
    }

    /// Runs until the solver itself believes that the goal is met, or cannot go on. The tolerance
    /// is left where the next run starts from.
    SolveStatus run_to_goal() {
        for (; place_.run < kMaxRounds; ++place_.run) {
            const SolveStatus ended = solver_.run(place_.tolerance, context_);
            if (ended != SolveStatus::converged) {
                return ended;
            }
            const Certificate believed = own_account();
            if (goal_.met(believed) || place_.tolerance < kLeastTolerance) {
                return ended;
            }
            place_.tolerance = tighten(place_.tolerance, goal_, believed);
        }
        return SolveStatus::reduced;
    }

    /// Certifies what the solver has and keeps it when it is better. True when that is the end;
    /// else the solver has the exact values and the next tolerance.
    bool certify(SolveStatus ended) {
        out_.iterations = solver_.iterations();
        std::vector<double> beta(solver_.beta().begin(), solver_.beta().end());
        const double certify_start = context_.elapsed();
        const double moved = project_onto_dual(problem_, beta);
        const Context::Uncounted judging(*patient_);
        const std::vector<double> f = decision_values(problem_, beta, *patient_);
        Certificate certificate = certify_values(problem_, beta, f);
        certificate.dual_infeasibility = moved;
        out_.certify_seconds += context_.elapsed() - certify_start;
        if (!std::isfinite(certificate.gap)) {
            return end_at_last_good();
        }
        const bool better = certificate.gap < place_.best_gap;
        const bool met = goal_.met(certificate);
        if (met || better || place_.round == 0) {
            place_.best_gap = certificate.gap;
            out_.beta = std::move(beta);
            out_.certificate = certificate;
            out_.intercept = certificate.intercept;
        }
        if (met || ended == SolveStatus::interrupted || ended == SolveStatus::iteration_limit) {
            // A run that is kept goes on from here later, and ends where it would have ended.
            const bool goes_on = ended == SolveStatus::interrupted && keeper_ != nullptr;
            out_.status = met && !goes_on ? SolveStatus::converged : ended;
            return true;
        }
        place_.stalled = better ? 0 : place_.stalled + 1;
        if (place_.stalled >= kPatience) {
            out_.status = SolveStatus::reduced;
            return true;
        }
        solver_.reset_values(f);
        if (ended == SolveStatus::converged) {
            place_.tolerance = tighten(place_.tolerance, goal_, certificate);
        }
        return false;
    }

    /// The coefficients have left double precision: what was there before is the answer.
    bool end_at_last_good() {
        if (place_.round == 0) {
            out_.certificate = mercer::certify(problem_, out_.beta, *patient_);
            out_.intercept = out_.certificate.intercept;
        }
        out_.status = SolveStatus::reduced;
        return true;
    }

    const Problem& problem_;
    StateKeeper* keeper_;
    CoordinateSolver& solver_;
    Context& context_;
    std::unique_ptr<Context> patient_;
    Goal goal_;
    Place place_;
    Solution out_;
};

/// A coefficient vector in the dual set where zero is not: a nu-machine's mass, spread over the
/// rows of each side that want to move most (largest target first), each to its bound. Empty when
/// the rows that are left cannot carry the negative side.
std::vector<double> feasible_start(const Problem& problem) {
    std::vector<index_t> order(static_cast<std::size_t>(problem.size()));
    std::iota(order.begin(), order.end(), index_t{0});
    std::stable_sort(order.begin(), order.end(), [&](index_t a, index_t b) {
        return problem.targets[static_cast<std::size_t>(a)] >
               problem.targets[static_cast<std::size_t>(b)];
    });
    std::vector<double> beta(order.size(), 0.0);
    const double share = problem.intercept ? 0.5 * problem.mass : problem.mass;
    double left = share;
    for (const index_t row : order) {
        const double taken = std::min(left, dual_box(problem, row).upper);
        beta[static_cast<std::size_t>(row)] = taken;
        left -= taken;
    }
    if (problem.intercept) {
        left = share;
        for (auto row = order.rbegin(); row != order.rend() && left > 0.0; ++row) {
            double& value = beta[static_cast<std::size_t>(*row)];
            if (value == 0.0) {
                value = -std::min(left, -dual_box(problem, *row).lower);
                left += value;
            }
        }
        if (left > 1e-9 * share) {
            return {};
        }
    }
    return beta;
}

/// The machine whose tube is closed: no mass, no width. The keeper is for the problem itself.
Solution solve_closed(const Problem& problem, const SolveOptions& options, Context& context) {
    Problem closed = problem;
    closed.mass = kNaN;
    closed.loss = EpsilonInsensitiveLoss{0.0};
    SolveOptions apart = options;
    apart.keeper = nullptr;
    Solution out = solve(closed, apart, context);
    out.certificate.width = 0.0;
    return out;
}

double absolute_sum(std::span<const double> beta);

Solution solve_by_coordinates(const Problem& problem, const SolveOptions& options,
                              const std::string& reason, Context& context);

/// Whether the width of a tube is free, so that it may be closed at the optimum.
bool may_close(const Problem& problem) {
    return problem.has_mass() && std::holds_alternative<EpsilonInsensitiveLoss>(problem.loss);
}

/// The closed tube, when few steps lead to it and it is the answer: it needs no more than the mass.
std::optional<Solution> closed_answer(const Problem& problem, const SolveOptions& options,
                                      double work, Context& context) {
    Problem closed = problem;
    closed.mass = kNaN;
    closed.loss = EpsilonInsensitiveLoss{0.0};
    SolveOptions apart = options;
    apart.start = {};
    Solution out = solve_by_coordinates(closed, apart, "the tube closed", context);
    const bool found =
        out.status == SolveStatus::converged || polish(closed, apart, work, out, context);
    if (!found || out.status == SolveStatus::interrupted || absolute_sum(out.beta) > problem.mass) {
        return std::nullopt;
    }
    out.certificate.width = 0.0;
    return out;
}

double absolute_sum(std::span<const double> beta) {
    double sum = 0.0;
    for (const double value : beta) {
        sum += std::abs(value);
    }
    return sum;
}

std::unique_ptr<CoordinateSolver> make_solver(const Problem& problem, const SolveOptions& options,
                                              Context& context) {
    const CoordinateOptions coordinate{.max_iterations = options.max_iterations,
                                       .cache_bytes = cache_bytes(problem, options, context),
                                       .working_set = options.working_set,
                                       .selection = options.selection,
                                       .precision = options.precision};
    if (options.solver == "smo") {
        return std::make_unique<SmoSolver>(problem, coordinate, context);
    }
    return std::make_unique<DecompositionSolver>(problem, coordinate, context);
}

/// The solvers that take steps in few coordinates, by name: `auto` takes one of them.
std::vector<std::string> coordinate_solvers_for(const Problem& problem) {
    std::vector<std::string> names;
    if (DecompositionSolver::fits(problem)) {
        names.emplace_back("decomposition");
    }
    if (SmoSolver::fits(problem)) {
        names.emplace_back("smo");
    }
    return names;
}

/// Why `auto` takes what it takes.
std::string reason_for(const Problem& problem, const std::vector<ExpectedTime>& times) {
    if (times.size() == 1) {
        return fmt::format("auto: the one that fits the {} loss{}", name_of(problem.loss),
                           problem.has_mass() ? " with a free width" : "");
    }
    std::string text = "auto: expected of typical data of this size:";
    for (std::size_t k = 0; k < times.size(); ++k) {
        text += fmt::format("{} {} {:.2g} s", k == 0 ? "" : ",", times[k].solver, times[k].seconds);
    }
    return text;
}

/// The largest kernel value.
double largest_value(const Problem& problem) {
    const std::vector<double> diagonal = problem.gram->diagonal();
    return diagonal.empty() ? 0.0 : *std::max_element(diagonal.begin(), diagonal.end());
}

/// Values beyond float32: the problem of K / s, certified as it stands.
Solution solve_divided(const Problem& problem, const Problem& divided, const SolveOptions& options,
                       double s, Context& context) {
    const std::vector<double> start = times(options.start, s);
    SolveOptions wanted = options;
    wanted.start = start;
    wanted.unit *= s;
    wanted.precision = Precision::float64;
    Solution out = solve(divided, wanted, context);
    for (double& beta : out.beta) {
        beta /= s;
    }
    out.certificate = certify(problem, out.beta, *Context::unstoppable(context));
    out.intercept = out.certificate.intercept;
    if (out.status == SolveStatus::converged) {
        out.status = goal_of(options, kDefaultGapTolerance).status(out.certificate, out.status);
    }
    return out;
}

// Pairs of a small problem that is not solved by then crawl: 200 rows of a noisy wave take some
// thousand, of a kernel matrix that is singular to rounding 1e6 and more.
constexpr index_t kPatientSteps = 20000;
constexpr index_t kStepsPerRow = 100;
// Multiplications of a polish: about what the steps before it took, and some ten seconds at the
// end.
constexpr double kEarlyWork = 4e9;
constexpr double kLastWork = 1e11;

Solution solve_by_coordinates(const Problem& problem, const SolveOptions& options,
                              const std::string& reason, Context& context) {
    const std::unique_ptr<Context> patient = Context::unstoppable(context);
    const std::unique_ptr<CoordinateSolver> solver = make_solver(problem, options, *patient);
    context.note(fmt::format("solver {} ({}), row cache {}, working set {} rows", options.solver,
                             reason, format_byte_size(cache_bytes(problem, options, context)),
                             solver->working_set()));
    Solution out = Driver(problem, options, *solver, context).run();
    context.note(
        fmt::format("{} steps, {} kernel rows computed", out.iterations, solver->rows_computed()));
    out.solver = options.solver;
    return out;
}

/// Coordinate steps, and when they crawl, what else may prove the answer.
Solution solve_in_stages(const Problem& problem, const SolveOptions& options,
                         const std::string& reason, Context& context) {
    const bool staged = options.max_iterations == 0 && options.keeper == nullptr &&
                        (problem.size() <= kMostPolished || may_close(problem));
    if (!staged) {
        return solve_by_coordinates(problem, options, reason, context);
    }
    SolveOptions stage = options;
    stage.max_iterations = kPatientSteps + kStepsPerRow * problem.size();
    Solution out = solve_by_coordinates(problem, stage, reason, context);
    if (out.status == SolveStatus::converged || out.status == SolveStatus::interrupted) {
        return out;
    }
    if (may_close(problem)) {
        // Targets that need less than the mass have no best point that carries it.
        stage.max_iterations /= 4;
        if (std::optional<Solution> closed = closed_answer(problem, stage, kEarlyWork, context)) {
            closed->iterations += out.iterations;
            return *closed;
        }
    }
    if (polish(problem, options, kEarlyWork, out, context) ||
        out.status != SolveStatus::iteration_limit) {
        return out;  // steps would not lead any further
    }
    SolveOptions rest = options;
    rest.start = out.beta;
    Solution more = solve_by_coordinates(problem, rest, "it goes on", context);
    more.iterations += out.iterations;
    more.certify_seconds += out.certify_seconds;
    if (more.status != SolveStatus::converged) {
        static_cast<void>(polish(problem, options, kLastWork, more, context));
    }
    return more;
}

/// The active set; where rounding ends it early, coordinate steps go on from there.
Solution solve_from_active_set(const Problem& problem, const SolveOptions& options,
                               Context& context) {
    Solution out = solve_by_active_set(problem, options, context);
    if (out.status != SolveStatus::reduced || options.max_iterations > 0) {
        return out;
    }
    SolveOptions rest = options;
    rest.solver = coordinate_solvers_for(problem).front();
    rest.start = out.beta;
    Solution more = solve_in_stages(problem, rest, "where rounding ended the active set", context);
    more.iterations += out.iterations;
    more.certify_seconds += out.certify_seconds;
    return more.certificate.gap < out.certificate.gap ? more : out;
}

}  // namespace

index_t largest_cache(const GramCost& cost) {
    return cost.stored <= kCheapEntries * cost.rows ? kCheapCache : kLargestCache;
}

Solution solve(const Problem& problem, const SolveOptions& options, Context& context) {
    require_well_formed(problem);
    if (const double largest = largest_value(problem); largest > kLargestValue) {
        const double most = *std::max_element(problem.costs.begin(), problem.costs.end());
        const Problem divided = divided_by(problem, largest);
        if (divided.gram != nullptr &&
            std::isfinite(largest * most * static_cast<double>(problem.size()))) {
            return solve_divided(problem, divided, options, largest, context);
        }
    }
    if (!options.start.empty() && static_cast<index_t>(options.start.size()) != problem.size()) {
        throw InvalidArgument(fmt::format("start: got {} coefficients, must be {}",
                                          options.start.size(), problem.size()));
    }
    const std::vector<std::string> fitting = solvers_for(problem);
    if (fitting.empty()) {
        throw InvalidArgument(fmt::format("loss: no solver here fits '{}'", name_of(problem.loss)));
    }
    SolveOptions chosen = options;
    std::string reason = "asked for";
    if (options.solver == "auto") {
        const std::vector<ExpectedTime> times =
            expected_times(coordinate_solvers_for(problem), size_of(problem, options.working_set));
        chosen.solver = times[cheapest(times)].solver;
        reason = reason_for(problem, times);
    } else if (std::find(fitting.begin(), fitting.end(), options.solver) == fitting.end()) {
        throw InvalidArgument(fmt::format("solver: got '{}', this machine is solved by: {}",
                                          options.solver, fmt::join(fitting, ", ")));
    }
    std::vector<double> start;
    const bool goes_on = options.keeper != nullptr && !options.keeper->kept().empty();
    if (problem.has_mass() && options.start.empty() && !goes_on) {
        start = feasible_start(problem);
        if (start.empty()) {
            // The closed tube tells which rows belong to which side. When it needs less than the
            // mass it is the answer; otherwise its coefficients, made smaller, carry the mass.
            Solution closed = solve_closed(problem, options, context);
            const double sum = absolute_sum(closed.beta);
            if (sum <= problem.mass) {
                return closed;
            }
            start = std::move(closed.beta);
            for (double& beta : start) {
                beta *= problem.mass / sum;
            }
        }
        chosen.start = start;
    }
    Solution out = chosen.solver == kActiveSet ? solve_from_active_set(problem, chosen, context)
                                               : solve_in_stages(problem, chosen, reason, context);
    const bool stuck = out.status == SolveStatus::reduced ||
                       (out.status == SolveStatus::iteration_limit && options.max_iterations == 0);
    if (stuck && may_close(problem) && out.certificate.width != 0.0) {
        // Targets that need less than the mass (a constant one) have no best point that carries it.
        Solution closed = solve_closed(problem, options, context);
        if (absolute_sum(closed.beta) <= problem.mass &&
            closed.certificate.gap < out.certificate.gap) {
            return closed;
        }
    }
    if (chosen.solver != kActiveSet) {
        polish_as_asked(problem, options, out, context);
    }
    return out;
}

std::vector<std::string> solvers_for(const Problem& problem) {
    std::vector<std::string> names = coordinate_solvers_for(problem);
    if (has_box_dual(problem.loss)) {
        names.emplace_back(kActiveSet);
    }
    return names;
}

}  // namespace mercer
