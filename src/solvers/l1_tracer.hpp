// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/l1_tracer.hpp - follows few coefficients from event to event.
//
// Notation A  active columns, s their signs     H  Hessian of the pieces the rows are on
//          g  gradient of all but the penalty, with the shift of a restart
//          a = H_.A gamma, H_AA gamma = s: g changes by a when lambda falls by 1
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mercer/base/random.hpp"
#include "mercer/solvers/l1_path.hpp"
#include "solvers/l1_risk.hpp"
#include "solvers/updated_cholesky.hpp"

namespace mercer::l1 {

// Relative to lambda:
inline constexpr double kTie = 1e-13;       // events so near are one
inline constexpr double kIdle = 1e-11;      // a stretch so short is no progress
inline constexpr double kPastShare = 1e-3;  // a first jump past a point where events do not end
inline constexpr double kNowhere = 0.1;     // progress after which the next jump is a first one
inline constexpr double kLonger = 4.0;      // times the jump before
// Relative to lambda_max:
inline constexpr double kPast = 1e-8;        // the longest such jump
inline constexpr double kEnd = 1e-12;        // events so near the end are not looked for
inline constexpr double kClose = 5e-10;      // the last knot is as good as the end
inline constexpr double kWarmOnly = 1e-8;    // below, no restart is from zero coefficients
inline constexpr double kResidual = 1e-12;   // of the active gradients, before a Newton step
inline constexpr double kTolerated = 7e-10;  // violation before a restart
inline constexpr double kJumped = 5e-9;      // violation where the path is taken up again
// Relative to the terms of a sum:
inline constexpr double kRateNoise = 1e-11;  // of a gradient's rate
inline constexpr double kNone = 1e-14;       // of the gradient at zero coefficients
// Of the linear systems. A column is regular when it leaves that part of its diagonal: of 3,000
// random paths of kernel functions 8 do not reach the end, with 1e-14 or 1e-16 more.
inline constexpr double kRegular = 1e-15;
inline constexpr double kDigits = 1e-7;      // a pivot below has lost half of them
inline constexpr int kPivotRefinements = 2;  // steps
inline constexpr double kRefined = 1e-12;    // residual of a direction, before it is refined
inline constexpr double kUnrefined = 1e3;    // times that, which is still of use
inline constexpr int kRefinements = 4;       // steps
// Counts:
inline constexpr index_t kRestarts = 20;     // and one for so many knots, before the path ends
inline constexpr int kAttempts = 3;          // of a restart from the last knot
inline constexpr index_t kShiftedIdle = 64;  // short stretches in a row: a random shift has no ties
inline constexpr index_t kDoubtful = 16;     // short stretches in a row before the least index goes

[[nodiscard]] inline std::size_t at(index_t i) { return static_cast<std::size_t>(i); }

struct Event {
    double length = kInfinity;
    L1Event kind = L1Event::end;
    index_t index = -1;  ///< column or row
    double sign = 0.0;   ///< of a column that enters
    double rate = 0.0;
    ZoneChange zone;
};

/// Traces one path.
class Tracer {
public:
    Tracer(const L1PathProblem& problem, double to, Context& context);

    L1Path run();

private:
    /// Zero coefficients: lambda_max.
    double begin();
    /// No active column but the intercept.
    void clear();
    void follow();
    /// Ends the path at the last knot that is good; or where it was asked to end, when that is so
    /// near that the last knot's coefficients are optimal there as well, to the tolerance.
    void give_up();
    /// The worst violation of this point and of the knots from the given one on.
    [[nodiscard]] double violation_since(std::size_t knot) const;
    /// Takes knots back.
    void forget(std::size_t count);
    /// One stretch and the event at its end. False when the factor failed.
    bool step();
    /// gamma and a. False when the factor is of no use.
    bool direct();
    /// Whether the direction is good for the rest of the path, but for what a step of Newton's
    /// method at its end makes good.
    bool is_refined(double factor);
    /// How far H_AA gamma is from the right side.
    double residual();
    bool refactor();
    /// What the active columns leave of H_jj.
    double pivot_of(index_t j);
    /// The same where little is left: by the squares of what the rows leave of the column, so that
    /// the condition of Z counts and not its square (corrected seminormal equations, Bjorck 1987).
    double refined_pivot(index_t j);
    void append(index_t j, double pivot);
    void remove(index_t j);
    [[nodiscard]] Event next_event() const;
    /// Takes the better of two events: the sooner; at once, the one that came first when in doubt,
    /// else the one that leaves no choice.
    void offer(const Event& each, double tie, Event& best) const;
    [[nodiscard]] Event leaving(index_t j, double largest) const;
    [[nodiscard]] Event entering(index_t j, double curvature) const;
    /// Follows the direction, at whose end a coefficient may become zero and leave.
    void advance(double length, index_t leaving);
    /// The gradient at the coefficients, after those have gone that rounding gave the wrong sign.
    void refresh();
    /// A step of Newton's method where rounding has added up. Returns the violation before it.
    double correct();
    /// The worst violation of the active columns; left_ is what is missing.
    double active_violation();
    bool apply(const Event& event);
    /// The event that is being applied, once.
    void record_pending();
    /// Makes a column active; one that depends on the others takes the place of one of them, or
    /// moves rows into curved zones first.
    bool enter(index_t j);
    /// What is left of H in the direction `way` once ww' is subtracted, whose factor is that
    /// before, as a share; `way` is M^-1 w and becomes better.
    double refine_loss(std::span<const double> w, std::vector<double>& way);
    /// Takes a row into its next zone.
    bool cross(const ZoneChange& change);
    [[nodiscard]] double rhs_of(index_t j) const { return shifted_ ? shift_[at(j)] : sign_[at(j)]; }

    /// Moves the columns of active_ along a way on which no gradient changes, until one of them is
    /// zero or a row gets curvature; the last of them may not have its place in the factor yet, and
    /// has it in active_ only for the time of the move. False when nothing ends the way.
    bool flat_move(std::span<const double> way);
    /// The worst of the conditions of optimality.
    [[nodiscard]] double violation(std::span<const double> g, double lambda) const;
    /// The optimum at the present lambda or a little below, from the last knot or from zero
    /// coefficients.
    bool restart();
    /// Where a restart takes the path up again: a jump below lambda.
    [[nodiscard]] double past(double lambda) const;
    /// Back to the last knot. False when its columns depend on each other.
    bool take_last_knot();
    /// The optimum at the present lambda from these coefficients.
    bool find_again();
    /// The violation in the middle between the last two knots, into the last one.
    bool measure_jump();
    void record(L1Event event, index_t index, index_t newcomer = -1);

    Context& context_;
    std::unique_ptr<Context> unstoppable_;
    std::unique_ptr<L1Risk> risk_;
    index_t columns_;
    index_t rows_;
    double to_;
    Random random_;
    L1Path path_;
    double lambda_ = 0.0;
    double unit_ = 0.0;  ///< lambda_max
    std::vector<double> beta_;
    std::vector<double> g_;
    std::vector<double> sign_;     ///< of the active columns; 0: the others and the intercept
    std::vector<index_t> place_;   ///< in active_; -1: not there
    std::vector<bool> skipped_;    ///< duplicates of the active columns
    std::vector<index_t> active_;  ///< in the order of the factor
    UpdatedCholesky factor_;       ///< of H_AA
    double diagonal_ = 0.0;        ///< H_jj of the last pivot_of()
    Event pending_;                ///< that is being applied and has no knot yet
    std::vector<double> rhs_;
    std::vector<double> gamma_;
    std::vector<double> left_;
    std::vector<double> values_;
    std::vector<double> middle_;
    double between_ = 0.0;    ///< violation in the middle of the stretch before
    bool least_ = false;      ///< in doubt
    bool corrected_ = false;  ///< the last step ended in one of Newton's method
    bool ended_ = false;      ///< the last knot is there already
    // A restart: share times shift is added to the gradient, and the share goes from 1 to 0.
    double restarted_at_ = kNaN;
    double jumped_at_ = kNaN;
    double jump_ = kPastShare;  ///< share of lambda
    bool shifted_ = false;
    double share_ = 0.0;
    std::vector<double> shift_;
};

}  // namespace mercer::l1
