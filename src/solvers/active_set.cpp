// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/active_set.cpp - equality-constrained steps on the free rows, exchanges, pricing.
//
// Method   Active set for a convex quadratic programme (Scheinberg, JMLR 7, 2006). The sums are
//          taken into the factor: M = K + R + sigma E E', E the indicators of the groups, has the
//          same minimisers on E'x = d, and is positive definite exactly when K + R is on E'x = 0.
//          So one plain Cholesky factor does, with no pivot row.
// Fits     every dual with a box, up to a few thousand free rows.
// Cost     m^2 for each change of the set of m free rows, n m for each step.
// Stops    when no row gains by moving more than rounding explains.
// Notation b  coefficients   v  l - (K + R) b   r  multiplier of a group: v - slope = r when free
#include "solvers/active_set.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mercer/base/checked.hpp"
#include "mercer/base/compensated_sum.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// A row whose pivot is this small a part of its diagonal depends on the free ones: the pivot of a
// row that does is rounding, some tens of epsilons for a hundred rows.
constexpr double kDependent = 1e-12;
constexpr double kSumNoise = 4.0 * kEpsilon;
constexpr double kStepNoise = 4.0 * kEpsilon;
constexpr double kViolation = 8.0;  // in units of the noise
constexpr int kRefinements = 5;
// Free rows from which one factorisation is worth it: loading BLAS takes 4 ms, and the whole path
// of heart_scale is 10 ms.
constexpr index_t kTogether = 256;
constexpr index_t kSteps = 500;
constexpr index_t kStepsPerRow = 50;
constexpr index_t kIdleSteps = 1000;  // steps of no length in a row: a cycle
constexpr index_t kExchanges = 20;    // in a row, beside one for each row, before gains are doubted
constexpr double kMoreDoubt = 8.0;
constexpr std::uint64_t kOrderStream = 51;  // of the rows' order in cyclic pricing
constexpr index_t kBlock = 64;              // rows that partial pricing looks at together

}  // namespace

MovingDual fixed_dual(const Problem& problem) {
    MovingDual dual;
    dual.problem = &problem;
    dual.groups = static_cast<int>(problem.intercept) + static_cast<int>(problem.has_mass());
    if (problem.has_mass()) {
        const double part = problem.intercept ? 0.5 * problem.mass : problem.mass;
        dual.sums[0].start = part;
        dual.sums[1].start = -part;
        dual.tube = problem.intercept && !is_classification(problem.loss);
    }
    for (index_t i = 0; i < problem.size(); ++i) {
        const DualTerm term = dual_term(problem, i);
        MovingTerm moving;
        moving.lower.start = term.box.lower;
        moving.upper.start = term.box.upper;
        moving.linear.start = term.linear;
        moving.width.start = problem.has_mass() ? 0.0 : term.width;
        moving.ridge = term.ridge;
        moving.kinked = (problem.has_mass() || term.width > 0.0) && term.box.lower < 0.0 &&
                        term.box.upper > 0.0;
        dual.terms.push_back(moving);
    }
    return dual;
}

ActiveSet::ActiveSet(const MovingDual& dual, std::span<const double> beta, double t,
                     Context& context)
    : dual_(dual),
      context_(context),
      columns_(*dual.problem, context),
      t_(t),
      beta_(beta.begin(), beta.end()),
      drive_(beta.size(), 0.0),
      places_(beta.size(), Place::zero),
      sign_(beta.size(), 0),
      product_(beta.size(), 0.0) {
    double sum = 0.0;
    for (index_t i = 0; i < size(); ++i) {
        sum += columns_.diagonal(i);
        largest_ = std::max(largest_, columns_.diagonal(i) + term(i).ridge);
    }
    sigma_ = size() > 0 && sum > 0.0 ? sum / static_cast<double>(size()) : 1.0;
    std::vector<index_t> inside;
    std::vector<index_t> all(beta.size());
    std::vector<index_t> driven;
    std::vector<double> rates;
    for (index_t i = 0; i < size(); ++i) {
        all[at(i)] = i;
        const double lower = term(i).lower.at(t);
        const double upper = term(i).upper.at(t);
        const double b = beta_[at(i)];
        if (b >= upper && !(term(i).kinked && upper <= 0.0)) {
            places_[at(i)] = Place::upper;
            beta_[at(i)] = upper;
        } else if (b <= lower) {
            places_[at(i)] = Place::lower;
            beta_[at(i)] = lower;
        } else if (term(i).kinked && b == 0.0) {
            places_[at(i)] = Place::zero;
        } else {
            inside.push_back(i);
            places_[at(i)] = Place::free;
            sign_[at(i)] = b > 0.0 ? 1 : -1;
            continue;
        }
        if (bound_rate(i) != 0.0) {
            driven.push_back(i);
            rates.push_back(bound_rate(i));
        }
    }
    if (!driven.empty()) {
        drive_ = dual.problem->gram->multiply(all, driven, rates, Precision::float64, context);
        for (std::size_t k = 0; k < driven.size(); ++k) {
            drive_[at(driven[k])] += term(driven[k]).ridge * rates[k];
        }
    }
    refresh();
    if (!free_together(inside)) {
        std::vector<double> column(beta_.size());
        for (const index_t row : inside) {
            // Towards zero: that end is finite in every box.
            columns_.copy(row, column, context_);
            static_cast<void>(set_free(row, beta_[at(row)] < 0.0, column));
        }
    }
    measure();
}

namespace {

/// A sum, and what its terms weigh: what rounding alone leaves of the first is none.
struct WeighedSum {
    CompensatedSum sum;
    double weight = 0.0;

    void add(double term) {
        sum.add(term);
        weight += std::abs(term);
    }
    /// `wanted` less the sum.
    [[nodiscard]] double missing_from(double wanted) const {
        const double missing = wanted - sum.value();
        return std::abs(missing) <= kSumNoise * (weight + std::abs(wanted)) ? 0.0 : missing;
    }
};

}  // namespace

index_t ActiveSet::free_in(std::size_t group) const {
    return std::count_if(free_.begin(), free_.end(),
                         [&](index_t row) { return group_of(row) == group; });
}

double ActiveSet::meeting(index_t i, index_t j, double value) const {
    double sum = value;
    if (dual_.groups > 0 && group_of(i) == group_of(j)) {
        sum += sigma_;
    }
    return i == j ? sum + term(i).ridge : sum;
}

bool ActiveSet::depends(double pivot, index_t row) const {
    return !(pivot > kDependent * meeting(row, row, columns_.diagonal(row)));
}

void ActiveSet::add_free(index_t row, double pivot, std::span<const double> column) {
    columns_.insert(row, column, context_);
    factor_.append(pivot, context_);
    free_.push_back(row);
    places_[at(row)] = Place::free;
}

void ActiveSet::set_bound(index_t row, bool at_upper_end) {
    const MovingTerm& moving = term(row);
    if (moving.kinked && sign_[at(row)] != (at_upper_end ? 1 : -1)) {
        places_[at(row)] = Place::zero;
        beta_[at(row)] = 0.0;
    } else {
        places_[at(row)] = at_upper_end ? Place::upper : Place::lower;
        beta_[at(row)] = (at_upper_end ? moving.upper : moving.lower).at(t_);
    }
}

void ActiveSet::leave(std::size_t position, bool at_upper_end) {
    const index_t row = free_[position];
    columns_.copy(row, product_, context_);
    columns_.remove(row);
    factor_.remove(static_cast<index_t>(position));
    free_.erase(free_.begin() + static_cast<std::ptrdiff_t>(position));
    set_bound(row, at_upper_end);
    if (const double rate = bound_rate(row); rate != 0.0) {
        product_[at(row)] += term(row).ridge;
        for (std::size_t i = 0; i < drive_.size(); ++i) {
            drive_[i] += rate * product_[i];
        }
    }
}

ActiveSet::Entered ActiveSet::enter(index_t row, bool up) {
    std::vector<double> column(beta_.size());
    columns_.copy(row, column, context_);
    if (const double rate = bound_rate(row); rate != 0.0) {
        for (std::size_t i = 0; i < drive_.size(); ++i) {
            drive_[i] -= rate * column[i];
        }
        drive_[at(row)] -= rate * term(row).ridge;
    }
    const double side = side_of(row);
    sign_[at(row)] = (side != 0.0 ? side > 0.0 : up) ? 1 : -1;
    places_[at(row)] = Place::free;
    return set_free(row, up, column);
}

/// All of them at once, by one factorisation. False, and none free, when some depend on others or
/// there are few.
bool ActiveSet::free_together(std::span<const index_t> rows) {
    const auto count = static_cast<index_t>(rows.size());
    if (count < kTogether) {
        return false;
    }
    Buffer<double> store =
        context_.allocate<double>(checked_multiply(count, count), "the matrix of the free rows");
    MatrixView<double> m(store.data(), count, count);
    columns_.insert(rows, context_);
    for (index_t i = 0; i < count; ++i) {
        for (index_t j = 0; j <= i; ++j) {
            const double value = columns_.value(rows[at(i)], rows[at(j)]);
            m(i, j) = meeting(rows[at(i)], rows[at(j)], value);
        }
    }
    if (!factor_.assign(m, kDependent, context_)) {
        std::for_each(rows.begin(), rows.end(), [this](index_t row) { columns_.remove(row); });
        return false;
    }
    free_.assign(rows.begin(), rows.end());
    return true;
}

ActiveSet::Entered ActiveSet::set_free(index_t row, bool up, std::span<const double> column) {
    while (true) {
        std::vector<double> meets;
        for (const index_t other : free_) {
            meets.push_back(meeting(row, other, column[at(other)]));
        }
        const double pivot = factor_.pivot(meets, meeting(row, row, columns_.diagonal(row)));
        if (!depends(pivot, row)) {
            add_free(row, pivot, column);
            return Entered::free;
        }
        Entered ended = Entered::free;
        if (!slide(row, up, column, ended)) {
            return ended;
        }
    }
}

/// Moves along the direction in which the entering row is explained by the free ones, until one of
/// them meets an end and leaves (true), the row meets its own other end, or nothing ever does.
bool ActiveSet::slide(index_t row, bool up, std::span<const double> column, Entered& ended) {
    ++exchanges_;
    const std::vector<double> x = factor_.explained();
    const double sign = up ? 1.0 : -1.0;
    double room =
        up ? upper_end(row).at(t_) - beta_[at(row)] : beta_[at(row)] - lower_end(row).at(t_);
    std::size_t met = free_.size();
    double steepest = 0.0;
    for (const double entry : x) {
        steepest = std::max(steepest, std::abs(entry));
    }
    for (std::size_t k = 0; k < free_.size(); ++k) {
        const double rate = -sign * x[k];
        if (std::abs(rate) <= kEpsilon * steepest) {
            continue;
        }
        const Moving end = rate > 0.0 ? upper_end(free_[k]) : lower_end(free_[k]);
        const double until = std::max(0.0, (end.at(t_) - beta_[at(free_[k])]) / rate);
        if (until < room || (until == room && met < x.size() && free_[k] < free_[met])) {
            room = until;
            met = k;
        }
    }
    if (!std::isfinite(room)) {
        ray_.assign(beta_.size(), 0.0);
        ray_[at(row)] = sign;
        for (std::size_t k = 0; k < free_.size(); ++k) {
            ray_[at(free_[k])] = -sign * x[k];
        }
        ended = Entered::unbounded;
        return false;
    }
    columns_.multiply(free_, x, product_, context_);
    for (std::size_t i = 0; i < values_.size(); ++i) {
        values_[i] -= sign * room * (column[i] - product_[i]);
    }
    values_[at(row)] -= sign * room * term(row).ridge;
    for (std::size_t k = 0; k < free_.size(); ++k) {
        values_[at(free_[k])] += sign * room * x[k] * term(free_[k]).ridge;
        const double moved = beta_[at(free_[k])] - sign * room * x[k];
        beta_[at(free_[k])] =
            std::clamp(moved, lower_end(free_[k]).at(t_), upper_end(free_[k]).at(t_));
    }
    beta_[at(row)] += sign * room;
    if (met == free_.size()) {
        set_bound(row, up);
        if (const double rate = bound_rate(row); rate != 0.0) {
            for (std::size_t i = 0; i < drive_.size(); ++i) {
                drive_[i] += rate * column[i];
            }
            drive_[at(row)] += rate * term(row).ridge;
        }
        ended = Entered::other_end;
        return false;
    }
    leave(met, -sign * x[met] > 0.0);
    return true;
}

namespace {

double squared_length(std::span<const double> x) {
    return std::inner_product(x.begin(), x.end(), x.begin(), 0.0);
}

}  // namespace

ActiveSet::FreeSolution ActiveSet::solve_free(std::vector<double> h,
                                              const std::array<double, 2>& d) {
    FreeSolution out;
    std::array<std::vector<double>, 2> unit;
    for (std::size_t g = 0; g < static_cast<std::size_t>(dual_.groups); ++g) {
        unit[g].assign(free_.size(), 0.0);
    }
    for (std::size_t k = 0; k < free_.size() && dual_.groups > 0; ++k) {
        const std::size_t g = group_of(free_[k]);
        h[k] += sigma_ * d[g];
        unit[g][k] = 1.0;
    }
    // R'y = h and R'u = e for each group: E'M^-1 E and E'M^-1 h are products of y and u.
    factor_.solve_lower(h);
    double a[2][2] = {{0.0, 0.0}, {0.0, 0.0}};
    double right[2] = {0.0, 0.0};
    for (std::size_t g = 0; g < static_cast<std::size_t>(dual_.groups); ++g) {
        factor_.solve_lower(unit[g]);
        for (std::size_t other = 0; other <= g; ++other) {
            a[g][other] = a[other][g] =
                std::inner_product(unit[g].begin(), unit[g].end(), unit[other].begin(), 0.0);
        }
        right[g] = std::inner_product(unit[g].begin(), unit[g].end(), h.begin(), -d[g]);
    }
    const bool first = a[0][0] > 0.0;
    const bool second = a[1][1] > 0.0;
    if (first && second) {
        const double determinant = a[0][0] * a[1][1] - a[0][1] * a[1][0];
        out.r = {(right[0] * a[1][1] - a[0][1] * right[1]) / determinant,
                 (a[0][0] * right[1] - a[1][0] * right[0]) / determinant};
    } else {
        out.r = {first ? right[0] / a[0][0] : 0.0, second ? right[1] / a[1][1] : 0.0};
    }
    const double before = squared_length(h);
    for (std::size_t g = 0; g < static_cast<std::size_t>(dual_.groups); ++g) {
        for (std::size_t k = 0; k < free_.size() && out.r[g] != 0.0; ++k) {
            h[k] -= out.r[g] * unit[g][k];
        }
    }
    const double after = squared_length(h);
    out.x = std::move(h);
    factor_.solve_upper(out.x);
    // What rounding alone leaves is no step: a row at its end would be turned away for it. What the
    // multipliers take away leaves the rounding of what was there before.
    double size = 0.0;
    for (const double x : out.x) {
        size = std::max(size, std::abs(x));
    }
    size *= before > after ? std::sqrt(before / after) : 1.0;
    for (double& x : out.x) {
        x = std::abs(x) <= kStepNoise * size ? 0.0 : x;
    }
    return out;
}

SetDirection ActiveSet::direction() {
    SetDirection out;
    std::vector<double> h;
    for (const index_t row : free_) {
        const double side = side_of(row);
        h.push_back(term(row).linear.rate - side * term(row).width.rate - drive_[at(row)]);
    }
    std::array<WeighedSum, 2> bound;
    for (index_t i = 0; i < size(); ++i) {
        if (const double rate = bound_rate(i); rate != 0.0) {
            bound[group_of(i)].add(rate);
        }
    }
    const FreeSolution solution = solve_free(
        std::move(h),
        {bound[0].missing_from(dual_.sums[0].rate), bound[1].missing_from(dual_.sums[1].rate)});
    out.beta = solution.x;
    out.multipliers = solution.r;
    out.values.resize(values_.size());
    // In all rows: without the free ones a path of 1,000 rows, 400 of them free, takes 6 to 15 %
    // less time, but their conditions would then hold by construction and check nothing.
    columns_.multiply(free_, out.beta, out.values, context_);
    for (index_t i = 0; i < size(); ++i) {
        double& rate = out.values[at(i)];
        out.scale = std::max(out.scale, std::abs(drive_[at(i)]));
        rate = term(i).linear.rate - drive_[at(i)] - rate;
    }
    double total = 0.0;
    for (std::size_t k = 0; k < free_.size(); ++k) {
        out.values[at(free_[k])] -= term(free_[k]).ridge * out.beta[k];
        total += std::abs(out.beta[k]);
    }
    out.scale += largest_ * total;
    return out;
}

void ActiveSet::advance(const SetDirection& direction, double step) {
    t_ += step;
    for (std::size_t k = 0; k < free_.size(); ++k) {
        beta_[at(free_[k])] += step * direction.beta[k];
    }
    for (index_t i = 0; i < size(); ++i) {
        if (places_[at(i)] == Place::lower) {
            beta_[at(i)] = term(i).lower.at(t_);
        } else if (places_[at(i)] == Place::upper) {
            beta_[at(i)] = term(i).upper.at(t_);
        }
        values_[at(i)] += step * direction.values[at(i)];
    }
    for (std::size_t g = 0; g < 2; ++g) {
        multipliers_[g] += step * direction.multipliers[g];
    }
}

void ActiveSet::refresh() {
    values_ = columns_.product(beta_, context_);
    double total = 0.0;
    double linear = 0.0;
    for (index_t i = 0; i < size(); ++i) {
        double& v = values_[at(i)];
        v = term(i).linear.at(t_) - v - term(i).ridge * beta_[at(i)];
        total += std::abs(beta_[at(i)]);
        linear = std::max(linear, std::abs(term(i).linear.at(t_)) + term(i).width.at(t_));
    }
    noise_ = 0.5 * kEpsilon * (linear + largest_ * total);
}

/// The multipliers from the free rows; of a group without any, the middle of what the others allow.
void ActiveSet::measure() {
    std::array<double, 2> sum{};
    std::array<double, 2> count{};
    for (const index_t row : free_) {
        const std::size_t g = group_of(row);
        sum[g] += values_[at(row)] - side_of(row) * width(row);
        count[g] += 1.0;
    }
    std::array<Interval, 2> open;
    multipliers_ = {0.0, 0.0};
    for_each_move(nullptr, [&](const Move& move) {
        Interval& interval = open[group_of(move)];
        if (move.up) {
            interval.lower = std::max(interval.lower, move.gain);
        } else {
            interval.upper = std::min(interval.upper, -move.gain);
        }
    });
    for (std::size_t g = 0; g < static_cast<std::size_t>(dual_.groups); ++g) {
        multipliers_[g] = count[g] > 0.0 ? sum[g] / count[g] : choose_intercept(open[g]);
    }
}

Move ActiveSet::best_move(std::size_t group, bool up, index_t except) const {
    Move best;
    best.gain = -kInfinity;
    for_each_move(nullptr, [&](const Move& move) {
        if (move.up == up && move.row != except && group_of(move) == group &&
            move.gain > best.gain) {
            best = move;
        }
    });
    return best;
}

bool ActiveSet::hand_over(std::size_t position, bool up) {
    const index_t row = free_[position];
    const std::size_t group = group_of(row);
    const Move next = best_move(group, up, row);
    if (next.row < 0) {
        return false;
    }
    multipliers_[group] += up ? next.gain : -next.gain;
    leave(position, up);
    return enter(next.row, next.up) != Entered::unbounded;
}

double ActiveSet::violation() const {
    double most = 0.0;
    for_each_move(nullptr, [&](const Move& move) { most = std::max(most, move.gain); });
    for (const index_t row : free_) {
        const double off =
            values_[at(row)] - side_of(row) * width(row) - multipliers_[group_of(row)];
        most = std::max(most, std::abs(off));
    }
    return most;
}

/// Moves the free rows to their best point, or to the first end on the way. False when the numbers
/// are not finite.
bool ActiveSet::step_to_best(double& length, bool past_ends) {
    length = 1.0;
    moved_ = false;
    if (free_.empty()) {
        return true;
    }
    std::array<WeighedSum, 2> sums;
    for (index_t i = 0; i < size(); ++i) {
        if (beta_[at(i)] != 0.0) {
            sums[group_of(i)].add(beta_[at(i)]);
        }
    }
    std::vector<double> h;
    for (const index_t row : free_) {
        h.push_back(values_[at(row)] - side_of(row) * width(row));
    }
    const FreeSolution best = solve_free(
        std::move(h),
        {sums[0].missing_from(dual_.sums[0].at(t_)), sums[1].missing_from(dual_.sums[1].at(t_))});
    std::size_t met = free_.size();
    for (std::size_t k = 0; k < free_.size(); ++k) {
        const double d = best.x[k];
        if (!std::isfinite(d)) {
            return false;
        }
        if (d == 0.0 || past_ends) {
            continue;
        }
        const Moving end = d > 0.0 ? upper_end(free_[k]) : lower_end(free_[k]);
        const double room = (end.at(t_) - beta_[at(free_[k])]) / d;
        if (room < length) {
            length = std::max(0.0, room);
            met = k;
        }
    }
    const bool moves = std::any_of(best.x.begin(), best.x.end(), [](double d) { return d != 0.0; });
    moved_ = moves;
    if (!moves) {
        return true;
    }
    columns_.multiply(free_, best.x, product_, context_);
    const auto m = static_cast<double>(free_.size());
    work_ += m * (static_cast<double>(size()) + 3.0 * m);
    for (std::size_t i = 0; i < values_.size(); ++i) {
        values_[i] -= length * product_[i];
    }
    for (std::size_t k = 0; k < free_.size(); ++k) {
        const index_t row = free_[k];
        values_[at(row)] -= length * best.x[k] * term(row).ridge;
        beta_[at(row)] = std::clamp(beta_[at(row)] + length * best.x[k], lower_end(row).at(t_),
                                    upper_end(row).at(t_));
    }
    if (met < free_.size()) {
        leave(met, best.x[met] > 0.0);
    }
    return true;
}

bool ActiveSet::place_free() {
    double length = 1.0;
    const bool finite = step_to_best(length, true);
    refresh();
    return finite;
}

double ActiveSet::ray_gain() const {
    double gain = 0.0;
    for (index_t i = 0; i < size(); ++i) {
        const double width = term(i).width.at(t_);
        gain += values_[at(i)] * ray_[at(i)] - width * std::abs(ray_[at(i)]);
    }
    return gain;
}

bool ActiveSet::price(Pricing pricing, double doubt, Move& chosen) {
    const double least = kViolation * doubt * noise_;
    chosen = Move{};
    chosen.gain = least;
    if (pricing == Pricing::worst) {
        for_each_move(nullptr, [&](const Move& move) {
            if (move.gain > chosen.gain) {
                chosen = move;
            }
        });
        return chosen.row >= 0;
    }
    if (order_.empty()) {
        order_.resize(beta_.size());
        std::iota(order_.begin(), order_.end(), index_t{0});
        if (pricing == Pricing::cyclic) {
            order_ = context_.random(kOrderStream).permutation(size());
        }
    }
    const index_t block = pricing == Pricing::cyclic ? 1 : kBlock;
    std::array<Move, 2> moves;
    for (index_t looked = 0; looked < size(); ++looked) {
        const index_t place = (cursor_ + looked) % size();
        const int count = moves_of(order_[at(place)], nullptr, moves);
        for (int k = 0; k < count; ++k) {
            if (moves[static_cast<std::size_t>(k)].gain > chosen.gain) {
                chosen = moves[static_cast<std::size_t>(k)];
            }
        }
        if (chosen.row >= 0 && (looked + 1) % block == 0) {
            cursor_ = (place + 1) % size();
            return true;
        }
    }
    return chosen.row >= 0;
}

ActiveSet::Ending ActiveSet::settle(const Context& stop, Pricing pricing, const Limits& limits) {
    const index_t most_steps = steps_ + limits.steps;
    const double most_work = work_ + limits.work;
    index_t left = kSteps + kStepsPerRow * size();
    index_t idle = 0;
    int refined = 0;
    double doubt = 1.0;
    index_t exchanged = exchanges_;
    for (; left > 0 && work_ <= most_work; --left) {
        if (stop.should_stop()) {
            return Ending::stopped;
        }
        if (limits.steps > 0 && steps_ >= most_steps) {
            return Ending::out_of_steps;
        }
        double length = 1.0;
        if (!step_to_best(length, false)) {
            return Ending::out_of_steps;
        }
        steps_ += static_cast<index_t>(moved_ && refined == 0);
        idle = length > 0.0 ? 0 : idle + 1;
        if (idle > kIdleSteps) {
            return Ending::out_of_steps;
        }
        if (length < 1.0) {
            refined = 0;
            continue;
        }
        measure();
        double spread = 0.0;
        for (const index_t row : free_) {
            spread = std::max(spread, std::abs(values_[at(row)] - side_of(row) * width(row) -
                                               multipliers_[group_of(row)]));
        }
        if (spread > noise_ && refined < kRefinements) {
            ++refined;
            continue;
        }
        Move move;
        if (exchanges_ - exchanged > kExchanges + size()) {
            // Nearly dependent rows change places for gains that are rounding: look for more.
            doubt *= kMoreDoubt;
            exchanged = exchanges_;
        }
        if (!price(pricing, doubt, move)) {
            if (refined < kRefinements + 1) {
                refined = kRefinements + 1;  // once more, with exact values
                refresh();
                continue;
            }
            return Ending::optimal;
        }
        refined = 0;
        const std::size_t group = group_of(move);
        if (dual_.groups > 0 && free_in(group) == 0) {
            // The first row of a group fixes its multiplier; the next to be set free moves with it.
            multipliers_[group] += move.up ? move.gain : -move.gain;
        }
        if (enter(move.row, move.up) == Entered::unbounded) {
            return Ending::unbounded;
        }
    }
    return Ending::out_of_steps;
}

}  // namespace mercer
