// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/polish.cpp - an active-set method that starts where coordinate steps have stopped.
//
//     minimise   1/2 b'(K + R)b - l'b + w'|b|     in the box, sum(b) = 0 when the intercept is free
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
// Notation b  coefficients    v  l - (K + R)b    s  sign of the piece a row is on    F  free rows
#include "solvers/polish.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/checked.hpp"
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
            refined = 0;
            if (!release_worst()) {
                return true;
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
    /// flat side. The absolute loss has none.
    [[nodiscard]] double width(index_t i) const {
        const DualTerm& t = term(i);
        if (t.ridge > 0.0 || std::holds_alternative<AbsoluteLoss>(problem_.loss)) {
            return t.width;
        }
        if (is_classification(problem_.loss)) {
            return -kSpare * noise_;
        }
        return t.width - std::min(kSpare * noise_, 0.5 * t.width);
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
        return term(i).width > 0.0 && term(i).box.lower < 0.0 && term(i).box.upper > 0.0;
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

    /// How far the free rows are from having one intercept.
    [[nodiscard]] double spread() {
        double low = problem_.intercept ? kInfinity : 0.0;
        double high = problem_.intercept ? -kInfinity : 0.0;
        for (const index_t i : free_) {
            const double own = v(i) - slope(i);
            low = std::min(low, own);
            high = std::max(high, own);
        }
        return free_.empty() ? 0.0 : high - low;
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
        const auto m = static_cast<index_t>(free_.size());
        if (m < (problem_.intercept ? 2 : 1)) {
            return true;
        }
        if (!factorise()) {
            return false;
        }
        std::vector<double> right(static_cast<std::size_t>(2 * m), 1.0);
        for (index_t i = 0; i < m; ++i) {
            const index_t row = free_[static_cast<std::size_t>(i)];
            right[static_cast<std::size_t>(2 * i)] = v(row) - slope(row);
        }
        cholesky_solve(MatrixView<const double>(factor_.data(), m, m),
                       MatrixView<double>(right.data(), m, 2), context_);
        double sums[2] = {0.0, 0.0};
        for (std::size_t i = 0; i < right.size(); ++i) {
            sums[i % 2] += right[i];
        }
        const double intercept = problem_.intercept ? sums[0] / sums[1] : 0.0;
        std::vector<double> d(static_cast<std::size_t>(m));
        for (std::size_t i = 0; i < d.size(); ++i) {
            d[i] = right[2 * i] - intercept * right[2 * i + 1];
            if (!std::isfinite(d[i])) {
                return false;
            }
        }
        move(d);
        return true;
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

    /// What moving row i up (or down) would gain per unit, less the intercept; -inf where it
    /// cannot.
    [[nodiscard]] double gain(index_t i, bool up) {
        const Interval box = term(i).box;
        if (up ? b(i) >= box.upper : b(i) <= box.lower) {
            return -kInfinity;
        }
        double slope = 0.0;
        if (is_kinked(i)) {
            slope = (up ? b(i) >= 0.0 : b(i) > 0.0) ? width(i) : -width(i);
        } else {
            slope = box.upper > 0.0 ? width(i) : -width(i);
        }
        return up ? v(i) - slope : slope - v(i);
    }

    /// The intercept of the free rows, or the middle of what the others allow.
    [[nodiscard]] double intercept() {
        if (!problem_.intercept) {
            return 0.0;
        }
        double sum = 0.0;
        for (const index_t i : free_) {
            sum += v(i) - slope(i);
        }
        if (!free_.empty()) {
            return sum / static_cast<double>(free_.size());
        }
        double high = -kInfinity;
        double low = kInfinity;
        for (index_t i = 0; i < n_; ++i) {
            high = std::max(high, gain(i, true));
            low = std::min(low, -gain(i, false));
        }
        return 0.5 * (high + low);
    }

    /// Sets the rows that violate most free, one in each direction when none was. False when none
    /// violates by more than rounding.
    bool release_worst() {
        const double middle = intercept();
        const bool pair = problem_.intercept && free_.empty();
        std::vector<bool> taken(static_cast<std::size_t>(n_), false);
        for (const index_t i : free_) {
            taken[static_cast<std::size_t>(i)] = true;
        }
        bool released = false;
        for (const bool up : {true, false}) {
            index_t worst = -1;
            double most = kViolation * noise_;
            for (index_t i = 0; i < n_; ++i) {
                const double excess = gain(i, up) - (up ? middle : -middle);
                if (excess > most && !taken[static_cast<std::size_t>(i)]) {
                    most = excess;
                    worst = i;
                }
            }
            if (worst < 0) {
                continue;
            }
            if (is_kinked(worst)) {
                sign(worst) = b(worst) != 0.0 ? (b(worst) > 0.0 ? 1.0 : -1.0) : (up ? 1.0 : -1.0);
            }
            free_.push_back(worst);
            taken[static_cast<std::size_t>(worst)] = true;
            released = true;
            if (!pair) {
                break;
            }
        }
        return released;
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
    if (problem.has_mass() || !has_box_dual(problem.loss) || problem.size() > kMostPolished) {
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
