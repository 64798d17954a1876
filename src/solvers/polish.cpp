// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/polish.cpp - an active-set method that starts where coordinate steps have stopped.
//
//     minimise   1/2 b'(K + R)b - l'b + w'|b|     in the box, sum(b) = 0 when the intercept is free
//
// With a mass the rows above zero and those below each have a sum that stays: two groups with a
// multiplier each, whose half sum is the intercept and whose half difference is the width.
//
// Method   Rows strictly between the ends of their piece (a bound, or the kink at 0) are free; one
//          Cholesky factor of their block gives the best step, which ends at the first end it
//          meets. At the best point of a set the row that violates most is set free.
// Fits     rows up to kMostPolished whose kernel matrix is nearly singular: a pair of coordinates
// then
//          moves by the square root of what is left, and 1e7 pairs are not enough.
// Cost     one factor of the free block per set.
// Stops    when no row violates by more than rounding. Each loss is met with a little to spare on
//          its flat side: a cost of 1e10 makes a loss of 1e-3 of the last bits of f.
// Notation b  coefficients    v  l - (K + R)b    r  multiplier of a group: v = r on its free rows
#include "solvers/polish.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "mercer/base/checked.hpp"
#include "mercer/base/compensated_sum.hpp"
#include "mercer/base/error.hpp"
#include "mercer/compute/linear_algebra.hpp"
#include "mercer/operators/gram.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// In units of the sum of the sizes of the terms of a value: what rounding leaves of it after
// refinement, what is kept on the flat side of a loss, and what counts as a violation.
constexpr double kNoise = 0.5 * kEpsilon;
constexpr double kSpare = 2.0;  // in units of the noise
constexpr double kViolation = 8.0;
constexpr double kUnsolved = 1000.0;   // of the free rows, when refinement has come to its end
constexpr double kFirstShift = 1e-15;  // of the diagonal, when a block is singular
constexpr double kLastShift = 1e-6;
constexpr int kRefinements = 30;
constexpr int kIdleSets = 50;  // sets in a row whose step has no length

class ActiveSet {
public:
    ActiveSet(const Problem& problem, std::span<const double> beta, Context& context)
        : problem_(problem),
          context_(context),
          n_(problem.size()),
          k_(context.allocate<double>(checked_multiply(n_, n_), "the kernel matrix to polish by")),
          factor_(context.allocate<double>(k_.size(), "its factor")),
          beta_(beta.begin(), beta.end()) {
        std::vector<index_t> all(static_cast<std::size_t>(n_));
        for (index_t i = 0; i < n_; ++i) {
            all[static_cast<std::size_t>(i)] = i;
            terms_.push_back(dual_term(problem, i));
        }
        gram_among(problem, all, Precision::float64, context)
            .copy_rows(0, MatrixView<double>(k_.data(), n_, n_), context);
        for (index_t i = 0; i < n_; ++i) {
            k(i, i) += term(i).ridge;
            largest_ = std::max(largest_, k(i, i));
        }
    }

    /// True when the best point was reached.
    bool run(double most_work) {
        measure();
        place_rows();
        int idle = 0;
        for (int refined = 0; work_ < most_work && !context_.should_stop();) {
            if (!step()) {
                return false;
            }
            if (length_ < 1.0) {  // some row has met an end: another set
                idle = length_ > 0.0 ? 0 : idle + 1;
                refined = 0;
                if (idle > kIdleSets) {
                    return false;
                }
                continue;
            }
            measure();
            if (spread() > noise_ && ++refined < kRefinements) {
                continue;  // the factor was shifted, or ill-conditioned
            }
            if (spread() > kUnsolved * noise_) {
                return false;  // the block is too near a singular one
            }
            refined = 0;
            if (!release_worst()) {
                return !is_closed();
            }
        }
        return false;
    }

    [[nodiscard]] const std::vector<double>& beta() const { return beta_; }

private:
    [[nodiscard]] double& k(index_t i, index_t j) { return k_[i * n_ + j]; }
    [[nodiscard]] const DualTerm& term(index_t i) const {
        return terms_[static_cast<std::size_t>(i)];
    }
    [[nodiscard]] double& b(index_t i) { return beta_[static_cast<std::size_t>(i)]; }
    [[nodiscard]] double& v(index_t i) { return v_[static_cast<std::size_t>(i)]; }
    [[nodiscard]] double& sign(index_t i) { return sign_[static_cast<std::size_t>(i)]; }

    /// The width a row aims at: the loss's own less what rounding may add, so that f ends on the
    /// flat side. The absolute loss has none, and a free width is a multiplier.
    [[nodiscard]] double width(index_t i) const {
        const DualTerm& t = term(i);
        if (problem_.has_mass()) {
            return 0.0;
        }
        if (t.ridge > 0.0 || std::holds_alternative<AbsoluteLoss>(problem_.loss)) {
            return t.width;
        }
        if (is_classification(problem_.loss)) {
            return -kSpare * noise_;
        }
        return t.width - std::min(kSpare * noise_, 0.5 * t.width);
    }

    /// Sums that stay: none, the one of all rows, or one of the rows above zero and one below.
    [[nodiscard]] int groups() const {
        return static_cast<int>(problem_.intercept) + static_cast<int>(problem_.has_mass());
    }
    [[nodiscard]] std::size_t group(double side) const {
        return groups() == 2 && side < 0.0 ? 1 : 0;
    }
    /// The side of zero a free row is on.
    [[nodiscard]] double side(index_t i) {
        return is_kinked(i) ? sign(i) : term(i).box.upper > 0.0 ? 1.0 : -1.0;
    }

    /// v from the coefficients, and the noise of its values.
    void measure() {
        v_.assign(static_cast<std::size_t>(n_), 0.0);
        double size = 0.0;
        for (index_t i = 0; i < n_; ++i) {
            long double sum = term(i).linear;
            double sizes = std::abs(term(i).linear);
            for (index_t j = 0; j < n_; ++j) {
                const double product = k(i, j) * b(j);
                sum -= static_cast<long double>(k(i, j)) * b(j);
                sizes += std::abs(product);
            }
            v(i) = static_cast<double>(sum);
            size = std::max(size, sizes);
        }
        noise_ = kNoise * size;
        work_ += 4.0 * static_cast<double>(n_) * static_cast<double>(n_);
    }

    /// The piece each row is on, and whether it is free there.
    void place_rows() {
        sign_.assign(static_cast<std::size_t>(n_), 0.0);
        for (index_t i = 0; i < n_; ++i) {
            if (is_kinked(i)) {
                sign(i) = b(i) > 0.0 ? 1.0 : b(i) < 0.0 ? -1.0 : 0.0;
            }
            if (strictly_inside(i)) {
                free_.push_back(i);
            }
        }
    }

    /// True when |b| has a kink inside the box.
    [[nodiscard]] bool is_kinked(index_t i) const {
        return (problem_.has_mass() || term(i).width > 0.0) && term(i).box.lower < 0.0 &&
               term(i).box.upper > 0.0;
    }
    [[nodiscard]] Interval piece(index_t i) {
        const Interval box = term(i).box;
        if (!is_kinked(i)) {
            return box;
        }
        return sign(i) > 0.0   ? Interval{0.0, box.upper}
               : sign(i) < 0.0 ? Interval{box.lower, 0.0}
                               : Interval{0.0, 0.0};
    }
    [[nodiscard]] bool strictly_inside(index_t i) {
        const Interval ends = piece(i);
        return b(i) > ends.lower && b(i) < ends.upper;
    }
    /// Slope of w|b| on the row's piece.
    [[nodiscard]] double slope(index_t i) {
        if (is_kinked(i)) {
            return sign(i) * width(i);
        }
        return term(i).box.upper > 0.0 ? width(i) : -width(i);
    }

    /// How far the free rows of a group are from having one multiplier.
    [[nodiscard]] double spread() {
        const bool fixed = groups() == 0;  // at 0
        double low[2] = {fixed ? 0.0 : kInfinity, kInfinity};
        double high[2] = {fixed ? 0.0 : -kInfinity, -kInfinity};
        double most = 0.0;
        for (const index_t i : free_) {
            const std::size_t g = group(side(i));
            low[g] = std::min(low[g], v(i) - slope(i));
            high[g] = std::max(high[g], v(i) - slope(i));
            most = std::max(most, high[g] - low[g]);
        }
        return most;
    }

    /// A free tube that would be narrower than nothing: the optimum does not use all its mass.
    [[nodiscard]] bool is_closed() {
        const std::array<double, 2> r = multipliers();
        return groups() == 2 && !is_classification(problem_.loss) && r[0] < r[1];
    }

    /// L of the free block, its diagonal shifted as little as it needs. False when it has none.
    bool factorise() {
        const auto m = static_cast<index_t>(free_.size());
        for (double shift = 0.0; shift <= kLastShift;
             shift = shift == 0.0 ? kFirstShift : 100.0 * shift) {
            const MatrixView<double> block(factor_.data(), m, m);
            for (index_t i = 0; i < m; ++i) {
                for (index_t j = 0; j <= i; ++j) {
                    block(i, j) =
                        k(free_[static_cast<std::size_t>(i)], free_[static_cast<std::size_t>(j)]);
                }
                block(i, i) += shift * largest_;
            }
            work_ += static_cast<double>(m) * static_cast<double>(m) * static_cast<double>(m) / 6.0;
            if (cholesky(block, context_)) {
                return true;
            }
        }
        return false;
    }

    /// Moves the free rows to their best point, or to the first end on the way.
    bool step() {
        length_ = 1.0;
        if (free_.empty()) {
            return true;
        }
        if (!factorise()) {
            return false;
        }
        const auto m = static_cast<index_t>(free_.size());
        const auto width = static_cast<std::size_t>(1 + groups());
        std::vector<double> x(static_cast<std::size_t>(m) * width, 0.0);  // v, then a 1 in a group
        for (std::size_t i = 0; i < free_.size(); ++i) {
            x[i * width] = v(free_[i]) - slope(free_[i]);
            if (width > 1) {
                x[i * width + 1 + group(side(free_[i]))] = 1.0;
            }
        }
        cholesky_solve(MatrixView<const double>(factor_.data(), m, m),
                       MatrixView<double>(x.data(), m, static_cast<index_t>(width)), context_);
        const std::array<double, 2> r = multipliers_of(x, width);
        std::vector<double> d(free_.size());
        for (std::size_t i = 0; i < d.size(); ++i) {
            d[i] = x[i * width];
            for (std::size_t g = 0; g + 1 < width; ++g) {
                d[i] -= r[g] * x[i * width + 1 + g];
            }
            if (!std::isfinite(d[i])) {
                return false;
            }
        }
        balance(d);
        move(d);
        return true;
    }

    /// Takes what rounding left of the groups' sums out of the step.
    void balance(std::vector<double>& d) {
        for (int g = 0; g < groups(); ++g) {
            CompensatedSum sum;
            double count = 0.0;
            for (std::size_t i = 0; i < d.size(); ++i) {
                if (group(side(free_[i])) == static_cast<std::size_t>(g)) {
                    sum.add(d[i]);
                    count += 1.0;
                }
            }
            for (std::size_t i = 0; i < d.size() && count > 0.0; ++i) {
                if (group(side(free_[i])) == static_cast<std::size_t>(g)) {
                    d[i] -= sum.value() / count;
                }
            }
        }
    }

    /// The multipliers that keep the sum of each group.
    [[nodiscard]] std::array<double, 2> multipliers_of(const std::vector<double>& x,
                                                       std::size_t width) {
        double a[2][2] = {{0.0, 0.0}, {0.0, 0.0}};
        double right[2] = {0.0, 0.0};
        for (std::size_t i = 0; i < free_.size(); ++i) {
            const std::size_t g = group(side(free_[i]));
            right[g] += x[i * width];
            for (std::size_t h = 0; h + 1 < width; ++h) {
                a[g][h] += x[i * width + 1 + h];
            }
        }
        const bool one = !(a[1][1] > 0.0);  // the other group has no free row, or there is none
        if (one || !(a[0][0] > 0.0)) {
            return {a[0][0] > 0.0 ? right[0] / a[0][0] : 0.0, one ? 0.0 : right[1] / a[1][1]};
        }
        const double determinant = a[0][0] * a[1][1] - a[0][1] * a[1][0];
        return {(right[0] * a[1][1] - a[0][1] * right[1]) / determinant,
                (a[0][0] * right[1] - a[1][0] * right[0]) / determinant};
    }

    void move(const std::vector<double>& d) {
        std::size_t met = d.size();
        for (std::size_t i = 0; i < d.size(); ++i) {
            const Interval ends = piece(free_[i]);
            const double end = d[i] > 0.0 ? ends.upper : ends.lower;
            const double room = (end - b(free_[i])) / d[i];
            if (d[i] != 0.0 && room < length_) {
                length_ = std::max(0.0, room);
                met = i;
            }
        }
        for (std::size_t i = 0; i < d.size(); ++i) {
            const Interval ends = piece(free_[i]);
            b(free_[i]) = std::clamp(b(free_[i]) + length_ * d[i], ends.lower, ends.upper);
        }
        for (index_t row = 0; row < n_; ++row) {
            double sum = 0.0;
            for (std::size_t i = 0; i < d.size(); ++i) {
                sum += k(row, free_[i]) * d[i];
            }
            v(row) -= length_ * sum;
        }
        if (met < d.size()) {
            const index_t row = free_[met];
            b(row) = d[met] > 0.0 ? piece(row).upper : piece(row).lower;
            if (b(row) == 0.0) {
                sign(row) = 0.0;
            }
            free_.erase(free_.begin() + static_cast<std::ptrdiff_t>(met));
        }
    }

    /// A row that may move: up or down, in which group, and what it gains per unit before the
    /// multiplier of the group is paid.
    struct Move {
        index_t row = -1;
        bool up = true;
        std::size_t group = 0;
        double gain = 0.0;

        [[nodiscard]] double excess(const std::array<double, 2>& r) const {
            return gain - (up ? r[group] : -r[group]);
        }
    };

    template <typename Use>
    void for_each_move(const Use& use) {
        for (index_t i = 0; i < n_; ++i) {
            const Interval box = term(i).box;
            for (const bool up : {true, false}) {
                if (up ? b(i) >= box.upper : b(i) <= box.lower) {
                    continue;
                }
                // The side of zero the row would be on, next to where it is.
                double side = box.upper > 0.0 ? 1.0 : -1.0;
                if (is_kinked(i)) {
                    side = (up ? b(i) >= 0.0 : b(i) > 0.0) ? 1.0 : -1.0;
                }
                const double value = v(i) - side * width(i);
                use(Move{i, up, group(side), up ? value : -value});
            }
        }
    }

    /// The multiplier of each group: that of its free rows, or the middle of what the others allow.
    [[nodiscard]] std::array<double, 2> multipliers() {
        std::array<double, 2> sum{};
        std::array<double, 2> count{};
        for (const index_t i : free_) {
            sum[group(side(i))] += v(i) - slope(i);
            count[group(side(i))] += 1.0;
        }
        std::array<double, 2> low{kInfinity, kInfinity};
        std::array<double, 2> high{-kInfinity, -kInfinity};
        for_each_move([&](const Move& move) {
            if (move.up) {
                high[move.group] = std::max(high[move.group], move.gain);
            } else {
                low[move.group] = std::min(low[move.group], -move.gain);
            }
        });
        std::array<double, 2> r{};
        for (std::size_t g = 0; g < 2 && groups() > 0; ++g) {
            r[g] = count[g] > 0.0 ? sum[g] / count[g] : choose_intercept({high[g], low[g]});
        }
        return r;
    }

    /// Sets the row that violates most free; in a group without free rows one in each direction.
    /// False when none violates by more than rounding.
    bool release_worst() {
        const std::array<double, 2> r = multipliers();
        std::vector<bool> taken(static_cast<std::size_t>(n_), false);
        std::array<bool, 2> used{};
        for (const index_t i : free_) {
            taken[static_cast<std::size_t>(i)] = true;
            used[group(side(i))] = true;
        }
        Move worst;
        double most = kViolation * noise_;
        for_each_move([&](const Move& move) {
            if (!taken[static_cast<std::size_t>(move.row)] && move.excess(r) > most) {
                most = move.excess(r);
                worst = move;
            }
        });
        if (worst.row < 0) {
            return false;
        }
        release(worst);
        if (groups() == 0 || used[worst.group]) {
            return true;
        }
        Move partner;
        most = -kInfinity;
        for_each_move([&](const Move& move) {
            if (move.group == worst.group && move.up != worst.up && move.row != worst.row &&
                move.excess(r) > most) {
                most = move.excess(r);
                partner = move;
            }
        });
        if (partner.row >= 0) {
            release(partner);
        }
        return true;
    }

    void release(const Move& move) {
        if (is_kinked(move.row)) {
            const bool above = move.up ? b(move.row) >= 0.0 : b(move.row) > 0.0;
            sign(move.row) = above ? 1.0 : -1.0;
        }
        free_.push_back(move.row);
    }

    const Problem& problem_;
    Context& context_;
    index_t n_;
    Buffer<double> k_;
    Buffer<double> factor_;
    std::vector<DualTerm> terms_;
    std::vector<double> beta_;
    std::vector<double> v_;
    std::vector<double> sign_;
    std::vector<index_t> free_;
    double largest_ = 0.0;
    double noise_ = 0.0;
    double length_ = 1.0;
    double work_ = 0.0;
};

}  // namespace

std::optional<std::vector<double>> polished(const Problem& problem, std::span<const double> beta,
                                            double work, Context& context) {
    if (!has_box_dual(problem.loss) || problem.size() > kMostPolished) {
        return std::nullopt;
    }
    const index_t bytes = checked_multiply(16, checked_multiply(problem.size(), problem.size()));
    if (context.memory()->left() < 2 * bytes) {
        return std::nullopt;
    }
    ActiveSet set(problem, beta, context);
    if (!set.run(work)) {
        return std::nullopt;
    }
    return set.beta();
}

}  // namespace mercer
