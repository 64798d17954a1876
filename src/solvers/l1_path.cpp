// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/l1_path.cpp - from event to event down the weight of the penalty.
//
// Method   Rosset and Zhu, Annals of Statistics 35, 2007; with a squared loss the LASSO by Efron,
//          Hastie, Johnstone and Tibshirani, Annals of Statistics 32, 2004. Events: a coefficient's
//          gradient reaches lambda, a coefficient reaches zero, a row reaches the end of a piece of
//          its loss. Events at the same lambda are taken one at a time, when in doubt the one of
//          least index (Murty, 1974), which ends where the Hessian is regular. A column that
//          depends on the active ones in the curved rows is exchanged at a fixed lambda, on which
//          neither gradient nor objective depend along that way.
// Cost     two products with Z for each event, and the square of the number of coefficients.
// Stops    at the end asked for. Every knot's gradient is computed anew from its coefficients.
// Where
//          it is not optimal, the optimum is found again from zero coefficients (a restart): the
//          gradient is shifted so that zero is optimal, and the shift is taken back, which is
//          another path of the same events.
// Notation A  active columns, s their signs     H  Hessian of the pieces the rows are on
//          g  gradient of all but the penalty, with the shift of a restart
//          a = H_.A gamma, H_AA gamma = s: g changes by a when lambda falls by 1
#include "mercer/solvers/l1_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "mercer/base/error.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/options.hpp"
#include "solvers/l1_risk.hpp"
#include "solvers/updated_cholesky.hpp"

namespace mercer {

namespace {

// Gradients are relative to lambda_max.
constexpr double kTie = 1e-13;        // of lambda: events so near are one
constexpr double kIdle = 1e-11;       // of lambda: a stretch so short does not count as progress
constexpr double kEnd = 1e-12;        // events so near the end are not looked for
constexpr double kResidual = 1e-12;   // of the active gradients, before a step of Newton's method
constexpr double kTolerated = 1e-9;   // violation before a restart
constexpr double kJumped = 5e-9;      // violation where the path is taken up again
constexpr double kPast = 1e-8;        // how far below a point where events do not end, at most
constexpr double kPastShare = 1e-3;   // of lambda
constexpr double kRateNoise = 1e-11;  // of a gradient's rate, relative to its terms
constexpr double kRefined = 1e-12;    // residual of a direction, before it is refined
constexpr double kUnrefined = 1e3;    // times that, which is still of use
constexpr int kRefinements = 4;       // steps
constexpr double kRegular = 1e-13;    // part of a diagonal that is left by a column that is new
constexpr double kNone = 1e-14;       // gradient at zero that is rounding, relative to its terms
constexpr index_t kRestarts = 20;     // and one for so many knots, before the path ends
constexpr index_t kDoubtful = 16;     // short stretches in a row before the least index goes

std::size_t at(index_t i) { return static_cast<std::size_t>(i); }

struct Event {
    double length = kInfinity;
    L1Event kind = L1Event::end;
    index_t index = -1;  ///< column or row
    double sign = 0.0;   ///< of a column that enters
    double rate = 0.0;
    ZoneChange zone;
};

class Tracer {
public:
    Tracer(const L1PathProblem& problem, double to, Context& context)
        : context_(context),
          unstoppable_(Context::unstoppable(context)),
          risk_(make_l1_risk(problem, *unstoppable_)),
          columns_(problem.columns.rows),
          rows_(problem.columns.columns),
          to_(to),
          random_(context.random(0)) {
        path_.columns = columns_;
    }

    L1Path run() {
        if (begin() > to_) {
            follow();
        } else {
            lambda_ = to_;
        }
        if (path_.status != SolveStatus::reduced) {
            record(L1Event::end, -1);
        }
        return std::move(path_);
    }

private:
    /// Zero coefficients: lambda_max.
    double begin() {
        clear();
        refresh();
        double scale = 0.0;
        for (index_t j = 0; j < columns_; ++j) {
            scale = std::max(scale, std::sqrt(2.0 * risk_->diagonal()[at(j)] * risk_->value()));
            unit_ = std::max(unit_, std::abs(g_[at(j)]));
        }
        unit_ = unit_ > kNone * scale ? unit_ : 0.0;
        path_.lambda_max = lambda_ = unit_;
        return lambda_;
    }

    /// No active column but the intercept.
    void clear() {
        const auto count = at(risk_->variables());
        risk_->reset();
        beta_.assign(count, 0.0);
        sign_.assign(count, 0.0);
        place_.assign(count, -1);
        skipped_.assign(count, false);
        active_.clear();
        factor_.clear();
        if (const index_t b = risk_->free_column(); b >= 0) {
            beta_[at(b)] = risk_->intercept();
            const double diagonal = risk_->diagonal()[at(b)];
            static_cast<void>(factor_.pivot({}, diagonal));
            append(b, diagonal);
        }
    }

    void follow() {
        const index_t patience = 100 + 4 * (columns_ + rows_);
        index_t idle = 0;
        while (lambda_ > to_) {
            if (context_.should_stop()) {
                path_.status = SolveStatus::interrupted;
                return;
            }
            context_.report({.stage = "path", .done = static_cast<index_t>(path_.knots.size())});
            const double before = lambda_;
            const std::size_t knots = path_.knots.size();
            least_ = idle > kDoubtful;
            const bool good = step() && violation_since(knots) <= kTolerated * unit_;
            idle = before - lambda_ > kIdle * before ? 0 : idle + 1;
            if (!good || idle > patience) {
                if (!good) {
                    forget(knots);
                    lambda_ = before;
                }
                const std::size_t count = path_.knots.size();
                if (path_.restarts > kRestarts + static_cast<index_t>(knots) / kRestarts ||
                    !restart(patience)) {
                    forget(count);
                    path_.status = SolveStatus::reduced;
                    return;
                }
                idle = 0;
            }
        }
    }

    /// The worst violation of this point and of the knots from the given one on.
    [[nodiscard]] double violation_since(std::size_t knot) const {
        double worst = std::max(between_, violation(g_, lambda_));
        for (; knot < path_.knots.size(); ++knot) {
            worst = std::max(worst, path_.knots[knot].violation);
        }
        return worst;
    }

    /// Takes knots back.
    void forget(std::size_t count) {
        if (count < path_.knots.size()) {
            path_.index.resize(at(path_.knots[count].begin));
            path_.value.resize(path_.index.size());
            path_.knots.resize(count);
        }
        path_.max_violation = 0.0;
        for (const L1Knot& knot : path_.knots) {
            path_.max_violation = std::max(path_.max_violation, knot.violation);
        }
    }

    /// One stretch and the event at its end. False when the factor failed.
    bool step() {
        if (!direct()) {
            return false;
        }
        const double rest = shifted_ ? share_ : lambda_ - to_;
        const Event event = next_event();
        if (event.length >= rest - kEnd * (shifted_ ? 1.0 : unit_)) {
            advance(rest);
            (shifted_ ? share_ : lambda_) = shifted_ ? 0.0 : to_;
            return true;
        }
        advance(event.length);
        return apply(event);
    }

    /// gamma and a. False when the factor is of no use.
    bool direct() {
        rhs_.resize(active_.size());
        for (std::size_t k = 0; k < active_.size(); ++k) {
            rhs_[k] = shifted_ ? shift_[at(active_[k])] : sign_[at(active_[k])];
        }
        for (int attempt = 0; attempt < 2; ++attempt) {
            gamma_ = rhs_;
            factor_.solve(gamma_);
            risk_->direct(active_, gamma_);
            for (int k = 0; k < kRefinements && !is_refined(1.0); ++k) {
                residual();
                factor_.solve(left_);
                for (std::size_t i = 0; i < left_.size(); ++i) {
                    gamma_[i] += left_[i];
                }
                risk_->direct(active_, gamma_);
            }
            if (is_refined(1.0)) {
                return true;
            }
            if (attempt == 0 && !refactor()) {
                return false;
            }
        }
        return is_refined(kUnrefined);
    }

    /// Whether the direction is good for the rest of the path, but for what a step of Newton's
    /// method at its end makes good.
    bool is_refined(double factor) {
        const double rest = shifted_ ? 1.0 : lambda_ / unit_;
        return residual() * rest <= factor * kRefined;
    }

    /// How far H_AA gamma is from the right side, relative to it.
    double residual() {
        left_.resize(active_.size());
        double worst = 0.0;
        double size = 0.0;
        for (std::size_t k = 0; k < active_.size(); ++k) {
            left_[k] = rhs_[k] - risk_->gradient_rates()[at(active_[k])];
            worst = std::max(worst, std::abs(left_[k]));
            size = std::max(size, std::abs(rhs_[k]));
        }
        return size > 0.0 ? worst / size : worst;
    }

    bool refactor() {
        const std::vector<index_t> active = active_;
        factor_.clear();
        active_.clear();
        for (const index_t j : active) {
            const double pivot = pivot_of(j);
            if (!(pivot > 0.0)) {
                return false;
            }
            append(j, pivot);
        }
        return true;
    }

    /// What the active columns leave of H_jj.
    double pivot_of(index_t j) {
        active_.push_back(j);
        std::vector<double> column(active_.size());
        risk_->hessian(j, active_, column);
        active_.pop_back();
        diagonal_ = column.back();
        column.pop_back();
        return factor_.pivot(column, diagonal_);
    }

    void append(index_t j, double pivot) {
        factor_.append(pivot, *unstoppable_);
        place_[at(j)] = static_cast<index_t>(active_.size());
        active_.push_back(j);
    }

    void remove(index_t j) {
        const index_t place = place_[at(j)];
        factor_.remove(place);
        active_.erase(active_.begin() + place);
        for (std::size_t k = at(place); k < active_.size(); ++k) {
            place_[at(active_[k])] = static_cast<index_t>(k);
        }
        place_[at(j)] = -1;
        sign_[at(j)] = 0.0;
        beta_[at(j)] = 0.0;
    }

    [[nodiscard]] Event next_event() const {
        Event best;
        double curvature = 0.0;  // gamma'H gamma
        double largest = 0.0;
        for (std::size_t k = 0; k < gamma_.size(); ++k) {
            curvature += rhs_[k] * gamma_[k];
            const double h = risk_->diagonal()[at(active_[k])];
            largest = std::max(largest, std::abs(gamma_[k]) * std::sqrt(h));
        }
        curvature = std::max(0.0, curvature);
        const double tie = (least_ ? kIdle : kTie) * (shifted_ ? share_ : lambda_);
        for (index_t j = 0; j < columns_; ++j) {
            offer(place_[at(j)] >= 0 ? leaving(j, largest) : entering(j, curvature), tie, best);
        }
        const ZoneChange zone = risk_->next_change(tie, least_, false);
        if (zone.row >= 0) {
            offer({zone.length, L1Event::zone, zone.row, 0.0, kInfinity, zone}, tie, best);
        }
        return best;
    }

    /// Takes the better of two events: the sooner; at once, the one that came first when in doubt,
    /// else the one that leaves no choice.
    void offer(const Event& each, double tie, Event& best) const {
        const bool sooner = each.length < best.length - tie;
        const bool at_once = each.length <= best.length + tie;
        if (sooner || (at_once && !least_ && each.rate > best.rate)) {
            const double length = std::min(each.length, best.length);
            best = each;
            best.length = length;
        }
    }

    [[nodiscard]] Event leaving(index_t j, double largest) const {
        const double rate = gamma_[at(place_[at(j)])];
        const double h = std::sqrt(risk_->diagonal()[at(j)]);
        if (sign_[at(j)] * rate * h >= -kTie * largest) {
            return {};
        }
        return {std::max(0.0, -beta_[at(j)] / rate), L1Event::leave, j, 0.0, kInfinity, {}};
    }

    [[nodiscard]] Event entering(index_t j, double curvature) const {
        if (skipped_[at(j)]) {
            return {};
        }
        const double a = risk_->gradient_rates()[at(j)] - (shifted_ ? shift_[at(j)] : 0.0);
        const double fall = shifted_ ? 0.0 : 1.0;
        const double noise = kRateNoise * (fall + std::abs(shifted_ ? shift_[at(j)] : 0.0) +
                                           std::sqrt(risk_->diagonal()[at(j)] * curvature));
        Event best;
        for (const double s : {1.0, -1.0}) {
            const double decline = fall - s * a;
            if (decline > noise) {
                const double length = std::max(0.0, (lambda_ + s * g_[at(j)]) / decline);
                if (length < best.length) {
                    best = {length, L1Event::enter, j, s, decline, {}};
                }
            }
        }
        return best;
    }

    /// Follows the direction.
    void advance(double length) {
        if (length <= 0.0) {
            return;
        }
        for (std::size_t k = 0; k < active_.size(); ++k) {
            beta_[at(active_[k])] += length * gamma_[k];
        }
        const double before = lambda_;
        (shifted_ ? share_ : lambda_) -= length;
        middle_.assign(g_.begin(), g_.end());
        refresh();
        between_ = std::max(between_, correct());
        for (std::size_t j = 0; j < middle_.size(); ++j) {
            middle_[j] = 0.5 * (middle_[j] + g_[j]);
        }
        between_ = std::max(between_, violation(middle_, 0.5 * (before + lambda_)));
        std::fill(skipped_.begin(), skipped_.end(), false);
    }

    /// The gradient at the coefficients, after those have gone that rounding gave the wrong sign.
    void refresh() {
        values_.resize(active_.size());
        for (std::size_t k = 0; k < active_.size(); ++k) {
            double& value = beta_[at(active_[k])];
            value = sign_[at(active_[k])] * value < 0.0 ? 0.0 : value;  // it stays there
            values_[k] = value;
        }
        risk_->move(active_, values_);
        g_.assign(risk_->gradient().begin(), risk_->gradient().end());
        for (std::size_t j = 0; j < g_.size() && shifted_; ++j) {
            g_[j] += share_ * shift_[j];
        }
    }

    /// A step of Newton's method where rounding has added up. Returns the violation before it.
    double correct() {
        left_.resize(active_.size());
        double worst = 0.0;
        for (std::size_t k = 0; k < active_.size(); ++k) {
            left_[k] = -g_[at(active_[k])] - lambda_ * sign_[at(active_[k])];
            worst = std::max(worst, std::abs(left_[k]));
        }
        if (worst > kResidual * unit_) {
            factor_.solve(left_);
            for (std::size_t k = 0; k < active_.size(); ++k) {
                beta_[at(active_[k])] += left_[k];
            }
            refresh();
        }
        return worst;
    }

    bool apply(const Event& event) {
        pending_ = event;
        bool good = true;
        switch (event.kind) {
            case L1Event::enter:
                sign_[at(event.index)] = event.sign;
                good = enter(event.index);
                break;
            case L1Event::leave:
                leave(event.index);
                break;
            case L1Event::zone:
                good = cross(event.zone);
                break;
            case L1Event::restart:
            case L1Event::end:
                break;
        }
        record_pending();
        return good;
    }

    /// Takes a coefficient out that is zero but for rounding.
    void leave(index_t j) {
        double largest = 0.0;
        for (const index_t k : active_) {
            largest = std::max(largest, risk_->diagonal()[at(k)]);
        }
        const double change =
            std::abs(beta_[at(j)]) * std::sqrt(risk_->diagonal()[at(j)] * largest);
        remove(j);
        if (change > kTie * unit_) {
            refresh();
            correct();
        }
    }

    /// The event that is being applied, once.
    void record_pending() {
        const Event event = pending_;
        pending_ = Event();
        if (event.index >= 0) {
            record(event.kind, event.index, event.kind == L1Event::enter ? event.index : -1);
        }
    }

    /// Makes a column active; one that depends on the others takes the place of one of them, or
    /// moves rows into curved zones first.
    bool enter(index_t j) {
        for (;;) {
            const double pivot = pivot_of(j);
            if (pivot > kRegular * diagonal_) {
                append(j, pivot);
                return true;
            }
            std::vector<double> way = factor_.explained();
            for (double& each : way) {
                each *= -sign_[at(j)];
            }
            way.push_back(sign_[at(j)]);
            active_.push_back(j);
            const bool moved = flat_move(way);
            if (!moved) {
                active_.pop_back();
                skipped_[at(j)] = true;
                pending_ = Event();
                const bool untouched = beta_[at(j)] == 0.0;
                sign_[at(j)] = 0.0;
                return untouched;
            }
        }
    }

    /// Takes a row into its next zone.
    bool cross(const ZoneChange& change) {
        const double weight = risk_->weight_change(change);
        risk_->change(change);
        for (;;) {
            std::vector<double> w(active_.size());
            risk_->row_values(change.row, active_, w);
            for (double& each : w) {
                each *= std::sqrt(std::abs(weight));
            }
            if (weight > 0.0) {
                factor_.add(w);
                return true;
            }
            if (1.0 - factor_.leverage(w) > kRegular) {
                factor_.subtract();
                return true;
            }
            // Nothing is left in this direction. It leads on the way the row came, further.
            std::vector<double> way = factor_.explained();
            double rise = 0.0;
            for (std::size_t k = 0; k < way.size(); ++k) {
                rise += rhs_of(active_[k]) * way[k];
            }
            for (double& each : way) {
                each = rise < 0.0 ? -each : each;
            }
            if (!flat_move(way)) {
                return false;
            }
        }
    }

    [[nodiscard]] double rhs_of(index_t j) const { return shifted_ ? shift_[at(j)] : sign_[at(j)]; }

    /// Moves the columns of active_ along a way on which no gradient changes, until one of them is
    /// zero or a row gets curvature; the last of them may not have its place in the factor yet, and
    /// has it in active_ only for the time of the move. False when nothing ends the way.
    bool flat_move(std::span<const double> way) {
        const bool joining = static_cast<index_t>(active_.size()) > factor_.size();
        risk_->direct(active_, way);
        double largest = 0.0;
        for (std::size_t k = 0; k < way.size(); ++k) {
            largest = std::max(largest, std::abs(way[k]));
        }
        double length = kInfinity;
        index_t blocked = -1;
        for (std::size_t k = 0; k < way.size(); ++k) {
            const index_t j = active_[k];
            if (sign_[at(j)] * way[k] < -kTie * largest &&
                std::max(0.0, -beta_[at(j)] / way[k]) < length) {
                length = std::max(0.0, -beta_[at(j)] / way[k]);
                blocked = j;
            }
        }
        const ZoneChange zone = risk_->next_change(0.0, least_, true);
        if (zone.row >= 0 && zone.length < length) {
            length = zone.length;
            blocked = -1;
        }
        if (!std::isfinite(length)) {
            return false;
        }
        const index_t newcomer = active_.back();
        if (length > 0.0) {
            record_pending();
        }
        for (std::size_t k = 0; k < way.size(); ++k) {
            beta_[at(active_[k])] += length * way[k];
        }
        refresh();
        ++path_.flat_moves;
        if (joining) {
            active_.pop_back();
        }
        if (blocked >= 0) {
            remove(blocked);
            record(L1Event::leave, blocked, joining ? newcomer : -1);
            return true;
        }
        std::vector<double> w(active_.size());
        risk_->row_values(zone.row, active_, w);
        const double weight = risk_->weight_change(zone);
        for (double& each : w) {
            each *= std::sqrt(std::max(0.0, weight));
        }
        risk_->change(zone);
        factor_.add(w);
        record(L1Event::zone, zone.row, joining ? newcomer : -1);
        return true;
    }

    /// The worst of the conditions of optimality.
    [[nodiscard]] double violation(std::span<const double> g, double lambda) const {
        double worst = 0.0;
        for (std::size_t j = 0; j < g.size(); ++j) {
            const bool free = static_cast<index_t>(j) == risk_->free_column();
            const double each = place_[j] >= 0 ? std::abs(g[j] + (free ? 0.0 : lambda * sign_[j]))
                                : free         ? std::abs(g[j])
                                               : std::abs(g[j]) - lambda;
            worst = std::max(worst, each);
        }
        return worst;
    }

    /// The optimum at the present lambda or a little below, from zero coefficients.
    bool restart(index_t patience) {
        ++path_.restarts;
        if (lambda_ == restarted_at_) {  // from another side it was no better
            lambda_ = std::max(to_, lambda_ - std::min(kPast * unit_, kPastShare * lambda_));
        }
        restarted_at_ = lambda_;
        clear();
        shifted_ = false;
        refresh();
        shift_.assign(g_.size(), 0.0);
        for (index_t j = 0; j < columns_; ++j) {
            const double most = lambda_ * random_.uniform(0.2, 0.9);
            const double g = g_[at(j)];
            shift_[at(j)] = std::abs(g) > most ? std::copysign(most, g) - g : 0.0;
        }
        shifted_ = true;
        share_ = 1.0;
        refresh();
        index_t idle = 0;
        bool good = true;
        while (share_ > 0.0 && good && idle <= patience && !context_.should_stop()) {
            const double before = share_;
            least_ = idle > kDoubtful;
            good = step();
            idle = before - share_ > kIdle * before ? 0 : idle + 1;
        }
        shifted_ = false;
        refresh();
        correct();
        between_ = 0.0;
        pending_ = Event();
        if (!good || share_ > 0.0 || violation(g_, lambda_) > kTolerated * unit_) {
            return false;
        }
        record(L1Event::restart, -1);
        return measure_jump();
    }

    /// The violation in the middle between the last two knots, into the last one.
    bool measure_jump() {
        L1Knot& last = path_.knots.back();
        if (path_.knots.size() > 1) {
            const double middle = 0.5 * ((path_.knots.end() - 2)->lambda + last.lambda);
            const L1Point point = path_.at(middle);
            std::vector<index_t> columns;
            std::vector<double> values;
            for (index_t j = 0; j < columns_; ++j) {
                columns.push_back(j);
                values.push_back(point.beta[at(j)]);
            }
            if (risk_->free_column() >= 0) {
                columns.push_back(risk_->free_column());
                values.push_back(point.intercept);
            }
            risk_->move(columns, values);
            for (std::size_t j = 0; j < at(columns_); ++j) {
                const double g = risk_->gradient()[j];
                const double each = values[j] == 0.0
                                        ? std::abs(g) - middle
                                        : std::abs(g + std::copysign(middle, values[j]));
                last.violation = std::max(last.violation, each);
            }
            path_.max_violation = std::max(path_.max_violation, last.violation);
            refresh();
        }
        return last.violation <= kJumped * unit_;
    }

    void record(L1Event event, index_t index, index_t newcomer = -1) {
        if (shifted_) {
            return;
        }
        L1Knot knot;
        knot.lambda = lambda_;
        knot.event = event;
        knot.index = index;
        knot.intercept = risk_->intercept();
        knot.violation = std::max(between_, violation(g_, lambda_));
        knot.begin = static_cast<index_t>(path_.index.size());
        between_ = 0.0;
        double sizes = 0.0;
        for (index_t j = 0; j < columns_; ++j) {
            knot.active += place_[at(j)] >= 0 || j == newcomer ? 1 : 0;
            if (const double value = beta_[at(j)]; value != 0.0) {
                path_.index.push_back(j);
                path_.value.push_back(value);
                sizes += std::abs(value);
            }
        }
        knot.objective = risk_->value() + lambda_ * sizes;
        path_.max_violation = std::max(path_.max_violation, knot.violation);
        path_.knots.push_back(knot);
    }

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
    double between_ = 0.0;  ///< violation in the middle of the stretch before
    bool least_ = false;    ///< in doubt
    // A restart: share times shift is added to the gradient, and the share goes from 1 to 0.
    double restarted_at_ = kNaN;
    bool shifted_ = false;
    double share_ = 0.0;
    std::vector<double> shift_;
};

void require_well_formed(const L1PathProblem& problem, double to) {
    const auto n = at(problem.columns.columns);
    if (problem.targets.size() != n || problem.costs.size() != n || n == 0) {
        throw InvalidArgument(fmt::format("targets, costs: got {} and {}, must be {} > 0",
                                          problem.targets.size(), problem.costs.size(), n));
    }
    if (problem.ridge == L1Ridge::gram && problem.columns.rows != problem.columns.columns) {
        throw InvalidArgument(fmt::format("columns: got {} x {}, a kernel's matrix is square",
                                          problem.columns.rows, problem.columns.columns));
    }
    const std::vector<std::string_view> known = l1_path_losses();
    if (std::find(known.begin(), known.end(), name_of(problem.loss)) == known.end()) {
        throw InvalidArgument(fmt::format("loss: got '{}', must be one of {}",
                                          name_of(problem.loss), fmt::join(known, ", ")));
    }
    for (std::size_t i = 0; i < n; ++i) {
        const double y = problem.targets[i];
        if (!std::isfinite(y) || (is_classification(problem.loss) && y != 1.0 && y != -1.0)) {
            throw InvalidArgument(
                fmt::format("targets: got {} in row {}, must be {}", y, i + 1,
                            is_classification(problem.loss) ? "-1 or +1" : "finite"));
        }
        require_in_range("costs", problem.costs[i], Range::positive());
    }
    require_in_range("to", to, Range::non_negative());
}

}  // namespace

std::vector<std::string_view> l1_path_losses() {
    return {SquaredLoss::kName, HalfSquaredLoss::kName, SquaredHingeLoss::kName,
            ModifiedHuberLoss::kName};
}

std::string_view to_string(L1Event event) noexcept {
    switch (event) {
        case L1Event::enter:
            return "enter";
        case L1Event::leave:
            return "leave";
        case L1Event::zone:
            return "zone";
        case L1Event::restart:
            return "restart";
        case L1Event::end:
            break;
    }
    return "end";
}

L1Point L1Path::at(double lambda) const {
    if (knots.empty() || !(lambda >= knots.back().lambda)) {
        throw InvalidArgument(fmt::format("lambda: got {}, the path ends at {}", lambda,
                                          knots.empty() ? kNaN : knots.back().lambda));
    }
    L1Point out;
    out.lambda = lambda;
    out.beta.assign(mercer::at(columns), 0.0);
    const auto after = std::partition_point(
        knots.begin(), knots.end(), [&](const L1Knot& knot) { return knot.lambda >= lambda; });
    const auto take = [&](std::vector<L1Knot>::const_iterator knot, double share) {
        const auto next = knot + 1;
        const auto end = next == knots.end() ? static_cast<index_t>(index.size()) : next->begin;
        for (index_t k = knot->begin; k < end; ++k) {
            out.beta[mercer::at(index[mercer::at(k)])] += share * value[mercer::at(k)];
        }
        out.intercept += share * knot->intercept;
    };
    if (after == knots.begin()) {  // above lambda_max
        take(after, 1.0);
    } else if (after == knots.end()) {
        take(after - 1, 1.0);
    } else {
        const auto before = after - 1;
        const double share = (before->lambda - lambda) / (before->lambda - after->lambda);
        take(before, 1.0 - share);
        take(after, share);
    }
    return out;
}

L1Path trace_l1_path(const L1PathProblem& problem, double to, Context& context) {
    require_well_formed(problem, to);
    return Tracer(problem, to, context).run();
}

}  // namespace mercer
