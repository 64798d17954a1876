// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/path.cpp - follows a regularisation path from event to event.
//
// Method   Parametric active set (Best, 1996; for support vector machines Hastie, Rosset,
//          Tibshirani and Zhu, JMLR 5, 2004). Events: a free row reaches an end of its piece, or a
//          row at an end starts to gain by moving. A row that depends on the free ones is exchanged
//          for one of them, so the factor stays nonsingular on every path.
// Stops    at the requested end, or where the dual set becomes empty.
// Notation t  parameter   s  +1 or -1, its direction   length  of a segment, >= 0
#include "mercer/solvers/path.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "mercer/base/error.hpp"
#include "mercer/base/roundoff.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/solve.hpp"
#include "solvers/active_set.hpp"
#include "solvers/active_set_solver.hpp"

namespace mercer {

namespace {

// A rate below this share of its terms is rounding: a duplicate of a free row gains nothing along
// the whole segment.
constexpr double kRateNoise = 1e-11;
// Events between two exact recomputations of the values. 9,044 events of 5,000 rows of letter take
// 8.1 s with 64 and 6.3 s with 256, with violations of at most 4e-12 in both cases. Below 2,048
// rows K is stored, and both take the same time.
constexpr index_t kRefreshEvery = 256;
constexpr index_t kDoubtful = 8;      // events of length 0 in a row before the least index wins
constexpr index_t kIdleEvents = 400;  // events of length 0 in a row before a restart
constexpr index_t kEvents = 10'000;   // plus kEventsPerRow: endless; 3 to 5 per row are usual
constexpr index_t kEventsPerRow = 100;
constexpr double kStartGap = 1e-6;   // of the solution that determines the first set
constexpr double kJump = 1e-9;       // relative to |t|: a jump past a point of endless events
constexpr index_t kStuck = 2;        // restarts at one place before the next jumps past it
constexpr double kMisplaced = 1e-9;  // distance from the dual set relative to the coefficients
constexpr double kTolerated = 1e4;   // times the noise: larger violations count

Position position_of(const ActiveSet& set, index_t row) {
    switch (set.places()[static_cast<std::size_t>(row)]) {
        case Place::lower:
            return Position::lower;
        case Place::upper:
            return Position::upper;
        case Place::zero:
            return Position::zero;
        case Place::free:
            break;
    }
    return set.is_below(row) ? Position::below : Position::above;
}

/// The intercept at the present point.
double intercept_of(const ActiveSet& set) {
    const std::array<double, 2>& r = set.multipliers();
    return set.dual().groups == 2 ? 0.5 * (r[0] + r[1]) : r[0];
}

struct Event {
    double length = kInfinity;
    double rate = 0.0;         ///< how fast it is approached: the larger, the more certain
    std::size_t position = 0;  ///< of the free row that reaches an end
    bool is_free = false;
    bool up = false;  ///< the end reached, or the direction in which the row will move
    index_t row = -1;
};

/// The first of the offered events. Among simultaneous events the one approached fastest is the
/// most certain; if they repeat without progress, the least index is chosen, which terminates
/// (Bland).
class FirstEvent {
public:
    FirstEvent(double slack, bool least_index) : slack_(slack), least_index_(least_index) {}

    void offer(const Event& event) {
        const bool first = least_index_ ? event.row < best_.row : event.rate > best_.rate;
        if (event.length < best_.length - slack_ ||
            (event.length <= best_.length + slack_ && first)) {
            best_ = event;
        }
    }
    [[nodiscard]] const Event& event() const { return best_; }

private:
    double slack_;  ///< lengths this close are simultaneous
    bool least_index_;
    Event best_;
};

class Tracer {
public:
    Tracer(const MovingDual& dual, std::span<const double> beta, double from, double to,
           Context& context)
        : context_(context),
          unstoppable_(Context::unstoppable(context)),
          set_(dual, beta, from, *unstoppable_),
          to_(to),
          s_(to >= from ? 1.0 : -1.0) {
        path_.from = path_.to = from;
    }

    SolutionPath run(const std::function<void(const PathStretch&)>& watch) {
        const ActiveSet::Ending ending = set_.settle(context_);
        if (ending != ActiveSet::Ending::optimal) {
            path_.status = ending == ActiveSet::Ending::stopped ? SolveStatus::interrupted
                                                                : SolveStatus::reduced;
        }
        for (index_t i = 0; i < set_.size(); ++i) {
            path_.start.push_back(position_of(set_, i));
        }
        now_ = path_.start;
        record();
        while (path_.status == SolveStatus::converged && s_ * (to_ - set_.parameter()) > 0.0) {
            if (context_.should_stop()) {
                path_.status = SolveStatus::interrupted;
                break;
            }
            if (events_ > kEvents + kEventsPerRow * set_.size()) {
                path_.status = SolveStatus::iteration_limit;
                break;
            }
            if (!one_stretch(watch)) {
                path_.complete = false;
                break;
            }
        }
        path_.to = set_.parameter();
        path_.exchanges = set_.exchanges();
        return std::move(path_);
    }

private:
    /// Moves to the next event and applies it. False where the path ends.
    bool one_stretch(const std::function<void(const PathStretch&)>& watch) {
        const SetDirection direction = set_.direction();
        Event event = next_event(direction);
        const double rest = s_ * (to_ - set_.parameter());
        const bool last = !(event.length < rest);
        const double length = last ? rest : event.length;
        const bool watched = watch && length > 0.0;
        const double begin = set_.parameter();
        const double intercept = intercept_of(set_);
        const std::vector<double> before = watched ? set_.beta() : std::vector<double>();
        set_.advance(direction, s_ * length);
        if (watched) {
            watch({begin, set_.parameter(), before, set_.beta(), intercept, intercept_of(set_)});
        }
        idle_ = length > kEpsilon * std::abs(set_.parameter()) ? 0 : idle_ + 1;
        bool goes_on = true;
        if (!last) {
            goes_on = pass(event);
        }
        if (++events_ % kRefreshEvery == 0 || last) {
            set_.refresh();
        }
        if (goes_on) {
            check();
        }
        record();
        return goes_on;
    }

    [[nodiscard]] Event next_event(const SetDirection& direction) const {
        FirstEvent first(16.0 * kEpsilon * std::abs(set_.parameter()), idle_ > kDoubtful);
        offer_ends(direction, first);
        offer_moves(direction, first);
        if (set_.dual().tube) {
            offer_closing(direction, first);
        }
        return first.event();
    }

    /// Offers the events of free rows that reach an end of their piece.
    void offer_ends(const SetDirection& direction, FirstEvent& first) const {
        double largest = 0.0;
        for (const double rate : direction.beta) {
            largest = std::max(largest, std::abs(rate));
        }
        const double t = set_.parameter();
        for (std::size_t k = 0; k < set_.free_rows().size(); ++k) {
            const index_t row = set_.free_rows()[k];
            const double b = set_.beta()[static_cast<std::size_t>(row)];
            for (const bool up : {true, false}) {
                const Moving end = up ? set_.upper_end(row) : set_.lower_end(row);
                const double rate = (up ? 1.0 : -1.0) * s_ * (direction.beta[k] - end.rate);
                if (rate > kRateNoise * (largest + std::abs(end.rate))) {
                    const double room = (up ? 1.0 : -1.0) * (end.at(t) - b);
                    first.offer({std::max(0.0, room) / rate, rate / (largest + std::abs(end.rate)),
                                 k, true, up, row});
                }
            }
        }
    }

    /// The size of the terms in the rates of gains and multipliers.
    static double scale_of(const SetDirection& direction) {
        return direction.scale + std::abs(direction.multipliers[0]) +
               std::abs(direction.multipliers[1]);
    }

    /// Offers the events of rows at an end that start to gain by moving.
    void offer_moves(const SetDirection& direction, FirstEvent& first) const {
        const double scale = scale_of(direction);
        set_.for_each_move(&direction, [&](const Move& move) {
            const double rate = s_ * move.rate;
            if (rate > kRateNoise * scale) {
                first.offer(
                    {std::max(0.0, -move.gain) / rate, rate / scale, 0, false, move.up, move.row});
            }
        });
    }

    /// Offers the event of a tube width that becomes 0; the width is half the difference of the
    /// multipliers.
    void offer_closing(const SetDirection& direction, FirstEvent& first) const {
        const std::array<double, 2>& r = set_.multipliers();
        const double rate = s_ * (direction.multipliers[1] - direction.multipliers[0]);
        if (rate > kRateNoise * scale_of(direction)) {
            first.offer({std::max(0.0, r[0] - r[1]) / rate, kInfinity, 0, false, false, -1});
        }
    }

    /// Applies the event at the present t.
    bool pass(const Event& event) {
        if (event.row < 0) {
            path_.closed = true;
            return false;
        }
        if (!event.is_free) {
            return set_.enter(event.row, event.up) != ActiveSet::Entered::unbounded;
        }
        const std::size_t group = set_.group_of(event.row);
        if (set_.dual().groups > 0 && set_.free_in(group) == 1) {
            // If no row can take more of the mass, the tube width becomes 0 at once.
            const bool handed_over = set_.hand_over(event.position, event.up);
            path_.closed = !handed_over && set_.dual().tube;
            return handed_over;
        }
        set_.leave(event.position, event.up);
        return true;
    }

    /// Checks whether the set is optimal here; if not, settles it again and counts a restart.
    void check() {
        const double violation = set_.violation();
        const bool violated = violation > kTolerated * set_.noise();
        if (!violated && idle_ <= kIdleEvents) {
            path_.max_violation = std::max(path_.max_violation, violation);
            return;
        }
        ++path_.restarts;
        stuck_ = s_ * (set_.parameter() - restarted_at_) > 0.0 ? 0 : stuck_ + 1;
        if (idle_ > kIdleEvents || stuck_ > kStuck) {
            jump();
        }
        restarted_at_ = set_.parameter();
        const ActiveSet::Ending ending = set_.settle(context_);
        if (ending == ActiveSet::Ending::stopped) {
            path_.status = SolveStatus::interrupted;
        } else if (ending != ActiveSet::Ending::optimal) {
            path_.status = SolveStatus::reduced;
        }
        idle_ = 0;
    }

    /// Moves a little further with the present set: settle() then finds the optimal one there.
    void jump() {
        const double rest = s_ * (to_ - set_.parameter());
        const double reach =
            kJump * std::ldexp(1.0, static_cast<int>(std::min<index_t>(stuck_, 20)));
        const double step = std::min(rest, reach * std::max(std::abs(set_.parameter()), kJump));
        SetDirection still;
        still.beta.assign(set_.free_rows().size(), 0.0);
        still.values.assign(static_cast<std::size_t>(set_.size()), 0.0);
        set_.advance(still, s_ * step);
        set_.refresh();
    }

    void record() {
        PathKnot knot;
        knot.t = set_.parameter();
        knot.first_change = static_cast<index_t>(path_.changes.size());
        for (index_t i = 0; i < set_.size(); ++i) {
            const Position position = position_of(set_, i);
            Position& before = now_[static_cast<std::size_t>(i)];
            if (position != before) {
                path_.changes.push_back({knot.t, i, before, position});
                before = position;
            }
            const double b = set_.beta()[static_cast<std::size_t>(i)];
            if (b != 0.0) {
                const MovingTerm& term = set_.dual().terms[static_cast<std::size_t>(i)];
                const double v = set_.values()[static_cast<std::size_t>(i)];
                knot.dual +=
                    0.5 * b * (term.linear.at(knot.t) + v) - term.width.at(knot.t) * std::abs(b);
                knot.squared_norm += b * (term.linear.at(knot.t) - v - term.ridge * b);
                ++knot.support;
            }
        }
        knot.free = static_cast<index_t>(set_.free_rows().size());
        knot.multipliers = set_.multipliers();
        path_.knots.push_back(knot);
    }

    Context& context_;
    std::unique_ptr<Context> unstoppable_;
    ActiveSet set_;
    double to_;
    double s_;
    SolutionPath path_;
    std::vector<Position> now_;
    index_t idle_ = 0;
    index_t stuck_ = 0;  ///< consecutive restarts at one place
    double restarted_at_ = kNaN;
    index_t events_ = 0;
};

/// The parametric dual of the path problem.
MovingDual moving_dual(const PathProblem& path) {
    MovingDual dual = fixed_dual(path.problem);
    if (path.parameter == PathParameter::mass) {
        double total = 0.0;
        for (const double cost : path.problem.costs) {
            total += cost;
        }
        const double part = path.problem.intercept ? 0.5 * total : total;
        dual.sums = {Moving{0.0, part}, Moving{0.0, -part}};
        return dual;
    }
    for (std::size_t i = 0; i < dual.terms.size(); ++i) {
        MovingTerm& term = dual.terms[i];
        if (path.parameter == PathParameter::width) {
            term.width = {0.0, 1.0};
            term.kinked = term.lower.start < 0.0 && term.upper.start > 0.0;
        } else if (path.moving.empty() || path.moving[i]) {
            term.lower = {0.0, term.lower.start};
            term.upper = {0.0, term.upper.start};
        }
    }
    return dual;
}

/// The direction of the parameter along a path.
double sign_of(const SolutionPath& path) { return path.to >= path.from ? 1.0 : -1.0; }

/// `t`, or the end of a path whose tube closed before it. Throws if the path does not reach t.
double reached_value(const SolutionPath& path, double t) {
    const double s = sign_of(path);
    const double reached = path.closed && s * (t - path.to) > 0.0 ? path.to : t;
    if (!(s * (reached - path.from) >= 0.0 && s * (path.to - reached) >= 0.0)) {
        throw InvalidArgument(
            fmt::format("value: got {}, the path goes from {} to {}", t, path.from, path.to));
    }
    return reached;
}

std::vector<Position> positions_at(const SolutionPath& path, double t) {
    const double s = sign_of(path);
    std::vector<Position> positions = path.start;
    for (const PositionChange& change : path.changes) {
        if (s * (change.t - t) > 0.0) {
            break;
        }
        positions[static_cast<std::size_t>(change.row)] = change.to;
    }
    return positions;
}

/// A coefficient at this position: the end itself, or the middle of the piece.
double coefficient_in(const MovingTerm& term, Position position, double t) {
    const double lower = term.lower.at(t);
    const double upper = term.upper.at(t);
    switch (position) {
        case Position::lower:
            return lower;
        case Position::upper:
            return upper;
        case Position::zero:
            break;
        case Position::above:
            return 0.5 * ((term.kinked ? 0.0 : lower) + upper);
        case Position::below:
            return 0.5 * lower;
    }
    return 0.0;
}

/// A rough solution, made exact by the active set.
std::vector<double> solve_anew(const Problem& problem, Context& context) {
    SolveOptions options;
    options.gap_tolerance = kStartGap;
    const Solution start = solve(problem, options, context);
    options.start = start.beta;
    return solve_by_active_set(problem, options, context).beta;
}

}  // namespace

Problem problem_at(const PathProblem& path, double t) {
    Problem problem = path.problem;
    switch (path.parameter) {
        case PathParameter::cost:
            for (std::size_t i = 0; i < problem.costs.size(); ++i) {
                if (path.moving.empty() || path.moving[i]) {
                    problem.costs[i] *= t;
                }
            }
            break;
        case PathParameter::width:
            problem.loss = EpsilonInsensitiveLoss{t};
            break;
        case PathParameter::mass:
            problem.mass = 0.0;
            for (const double cost : problem.costs) {
                problem.mass += t * cost;
            }
            break;
    }
    require_well_formed(problem);
    return problem;
}

SolutionPath trace_path(const PathProblem& problem, std::span<const double> beta, double from,
                        double to, Context& context,
                        const std::function<void(const PathStretch&)>& watch) {
    const Problem first = problem_at(problem, from);
    std::vector<double> start(beta.begin(), beta.end());
    if (start.empty()) {
        SolveOptions options;
        options.gap_tolerance = kStartGap;
        Solution solution = solve(first, options, context);
        start = std::move(solution.beta);
    }
    const MovingDual dual = moving_dual(problem);
    return Tracer(dual, start, from, to, context).run(watch);
}

std::vector<double> coefficients_at(const PathProblem& problem, const SolutionPath& path, double t,
                                    Context& context) {
    const double reached = reached_value(path, t);
    const std::vector<Position> positions = positions_at(path, reached);
    const MovingDual dual = moving_dual(problem);
    std::vector<double> beta(positions.size());
    for (std::size_t i = 0; i < beta.size(); ++i) {
        beta[i] = coefficient_in(dual.terms[i], positions[i], reached);
    }
    const std::unique_ptr<Context> unstoppable = Context::unstoppable(context);
    ActiveSet set(dual, beta, reached, *unstoppable);
    const bool placed = set.place_free() && set.settle(context) == ActiveSet::Ending::optimal;
    std::vector<double> found = set.beta();
    const Problem here = problem_at(problem, reached);
    double largest = 0.0;
    for (const double value : found) {
        largest = std::max(largest, std::abs(value));
    }
    if (placed && project_onto_dual(here, found) <= kMisplaced * largest) {
        return found;
    }
    // With nearly dependent rows the set cannot be reconstructed from its positions alone.
    return solve_anew(here, context);
}

}  // namespace mercer
