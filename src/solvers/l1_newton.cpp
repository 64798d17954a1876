// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/l1_newton.cpp - Newton's method for l1 problems whose columns are nearly parallel.
//
// Method   With the signs g of m coefficients fixed the objective is smooth in them and b:
//              (rho G_SS + Z_S' D Z_S) delta = r_S - l1 g,   bordered for b,   D = diag(c loss''),
//          where S holds the nonzero coefficients and the worst of the zero ones, whose sign is
//          that of r_j (feature-sign search: Lee, Battle, Raina, Ng, NIPS 2006). Along delta the
//          whole objective is minimised, including its kinks; if the minimum is at a kink, a
//          coefficient becomes zero. For piecewise quadratic losses this takes finitely many steps;
//          for the logistic loss it converges quadratically.
// Fits     m up to a few thousand.
// Cost     n m^2 + m^3/3 for a step; memory 2 m^2 and blocks of columns.
// Notation e  right-hand side     H  the matrix     t  share of the step
#include "solvers/l1_newton.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "mercer/base/checked.hpp"
#include "mercer/base/index.hpp"
#include "mercer/compute/linear_algebra.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {

namespace {

constexpr index_t kRowsAtOnce = 1024;
// The ridge on the diagonal, relative to its greatest entry or, for columns of different scales, to
// each entry. Columns may be parallel, and far from the optimum a step along a direction in which
// nearly nothing changes only leads to the next kink: short steps increase the ridge, full steps
// decrease it.
constexpr double kLeastRidge = 1e-14;
constexpr double kFirstRidge = 1e-10;
constexpr double kMostRidge = 1e-2;
constexpr double kRidgeFactor = 100.0;
constexpr double kEarly = 0.1;
constexpr double kFlat = 0.1;        // slope at the end of a step relative to the start
constexpr double kWorst = 0.5;       // zeros above this share of the greatest violation are added
constexpr double kProgress = 1e-26;  // of the objective: a smaller predicted gain is rounding
constexpr int kMostSecants = 30;

class SetNewton {
public:
    SetNewton(L1State& state, std::span<const index_t> set, std::span<const double* const> columns)
        : state_(state),
          set_(set),
          columns_(columns),
          border_(state.basis().risk().intercept ? 1 : 0) {}

    /// The greatest violation in the set.
    double look() {
        r_.resize(set_.size());
        worst_zero_ = 0.0;
        double worst = 0.0;
        for (std::size_t k = 0; k < set_.size(); ++k) {
            r_[k] = state_.product(set_[k], columns_[k]);
            const double violation = state_.violation(set_[k], r_[k]);
            worst = std::max(worst, violation);
            if (beta(k) == 0.0) {
                worst_zero_ = std::max(worst_zero_, violation);
            }
        }
        return worst;
    }

    /// One step from the state of the last look(); false when nothing moved.
    bool step(Context& context) {
        // First several zeros are added together. If one of them would move against its sign, only
        // the worst is added: with the others at their optimum it moves in the right direction.
        for (const double share : {kWorst, 1.0}) {
            gather(newcomers(share * worst_zero_));
            if (!fits(context) || !direction(context)) {
                return false;
            }
            if (!has_wrong_ways()) {
                return go();
            }
        }
        gather({});
        return direction(context) && go();
    }

private:
    [[nodiscard]] double beta(std::size_t k) const { return state_.beta()[at(set_[k])]; }
    [[nodiscard]] index_t width() const { return static_cast<index_t>(members_.size()) + border_; }

    [[nodiscard]] bool fits(const Context& context) const {
        const auto m = static_cast<double>(width());
        return 8.0 * m * (3.0 * m + kRowsAtOnce) <=
               0.5 * static_cast<double>(context.memory()->left());
    }

    /// Places of zeros whose violation is at least `least`, the worst first. Of several nearly
    /// parallel columns only one is added: the others would share its weight and have to leave
    /// again.
    [[nodiscard]] std::vector<std::size_t> newcomers(double least) const {
        std::vector<std::size_t> all;
        for (std::size_t k = 0; k < set_.size(); ++k) {
            const double violation = state_.violation(set_[k], r_[k]);
            if (beta(k) == 0.0 && violation > 0.0 && violation >= least) {
                all.push_back(k);
            }
        }
        std::stable_sort(all.begin(), all.end(), [this](std::size_t a, std::size_t b) {
            return std::abs(r_[a]) > std::abs(r_[b]);
        });
        std::vector<std::size_t> out;
        for (const std::size_t k : all) {
            const bool apart = std::all_of(out.begin(), out.end(), [&](std::size_t other) {
                return !state_.basis().alike({set_[k], columns_[k]},
                                             {set_[other], columns_[other]});
            });
            if (apart) {
                out.push_back(k);
            }
        }
        return out;
    }

    /// Collects the members of the step and the right-hand side: nonzero coefficients and added
    /// zeros.
    void gather(const std::vector<std::size_t>& joining) {
        const double l1 = state_.basis().l1();
        members_.clear();
        places_.clear();
        e_.clear();
        for (std::size_t k = 0; k < set_.size(); ++k) {
            if (beta(k) != 0.0 || std::find(joining.begin(), joining.end(), k) != joining.end()) {
                members_.push_back(set_[k]);
                places_.push_back(k);
                e_.push_back(r_[k] - std::copysign(l1, beta(k) != 0.0 ? beta(k) : r_[k]));
            }
        }
        if (border_ != 0) {
            e_.push_back(state_.imbalance());
        }
    }

    /// True when an added zero would move against its sign, which increases the objective.
    [[nodiscard]] bool has_wrong_ways() const {
        for (std::size_t k = 0; k < members_.size(); ++k) {
            if (beta(places_[k]) == 0.0 && delta_[k] * e_[k] <= 0.0) {
                return true;
            }
        }
        return false;
    }

    /// Z_S' D Z_S with the border, over the rows that have a curvature.
    void add_curvature(MatrixView<double> h, Context& context) {
        const std::span<const double> d = state_.curvatures();
        std::vector<std::size_t> rows;
        for (std::size_t i = 0; i < d.size(); ++i) {
            if (d[i] > 0.0) {
                rows.push_back(i);
            }
        }
        const index_t w = width();
        Buffer<double> block =
            context.allocate<double>(checked_multiply(w, kRowsAtOnce), "columns of the support");
        for (std::size_t begin = 0; begin < rows.size(); begin += kRowsAtOnce) {
            const std::size_t count = std::min<std::size_t>(kRowsAtOnce, rows.size() - begin);
            const MatrixView<double> part(block.data(), w, static_cast<index_t>(count));
            for (std::size_t k = 0; k < at(w); ++k) {
                double* out = part.row(static_cast<index_t>(k));
                const double* column = k < members_.size() ? columns_[places_[k]] : nullptr;
                for (std::size_t i = 0; i < count; ++i) {
                    const std::size_t row = rows[begin + i];
                    out[i] = std::sqrt(d[row]) * (column != nullptr ? column[row] : 1.0);
                }
            }
            const MatrixView<const double> view(block.data(), w, static_cast<index_t>(count));
            multiply(view, false, view, true, 1.0, 1.0, h, context);
        }
    }

    /// H delta = e; false when no small ridge makes H positive definite.
    bool direction(Context& context) {
        const index_t w = width();
        if (w == 0) {
            return false;
        }
        Buffer<double> sum = context.allocate<double>(checked_multiply(w, w), "Newton's matrix");
        const MatrixView<double> h(sum.data(), w, w);
        add_curvature(h, context);
        if (state_.basis().norm() && !members_.empty()) {
            state_.basis().add_norm(members_, h, context);
        }
        double greatest = 0.0;
        for (index_t k = 0; k < w; ++k) {
            greatest = std::max(greatest, h(k, k));
        }
        if (!(greatest > 0.0) || !std::isfinite(greatest)) {
            return false;
        }
        Buffer<double> factor = context.allocate<double>(checked_multiply(w, w), "Newton's matrix");
        const MatrixView<double> l(factor.data(), w, w);
        for (; ridge_ <= kMostRidge; ridge_ *= kRidgeFactor) {
            std::copy(sum.span().begin(), sum.span().end(), factor.span().begin());
            for (index_t k = 0; k < w; ++k) {
                // Columns may have very different scales; kernel functions at the rows do not.
                l(k, k) += ridge_ * (state_.basis().orthonormal() ? l(k, k) : greatest);
            }
            if (cholesky(l, context)) {
                delta_ = e_;
                cholesky_solve(MatrixView<const double>(factor.data(), w, w), {delta_.data(), w, 1},
                               context);
                return std::all_of(delta_.begin(), delta_.end(),
                                   [](double value) { return std::isfinite(value); });
            }
        }
        ridge_ = kMostRidge;
        return false;
    }

    /// Where a coefficient changes its sign, and by how much the slope grows there.
    struct Kink {
        double t;
        double jump;
    };

    [[nodiscard]] std::vector<Kink> kinks() const {
        std::vector<Kink> out;
        for (std::size_t k = 0; k < members_.size(); ++k) {
            const double t = -beta(places_[k]) / delta_[k];
            if (t > 0.0 && t <= 1.0) {
                out.push_back({t, 2.0 * state_.basis().l1() * std::abs(delta_[k])});
            }
        }
        std::sort(out.begin(), out.end(), [](const Kink& a, const Kink& b) { return a.t < b.t; });
        return out;
    }

    /// Moves to the minimum along delta, or close to it.
    bool go() {
        const double intercept = border_ != 0 ? delta_.back() : 0.0;
        values_.assign(at(state_.rows()), intercept);
        double first = 0.0;
        for (std::size_t k = 0; k < e_.size(); ++k) {
            first -= e_[k] * delta_[k];
        }
        for (std::size_t k = 0; k < members_.size(); ++k) {
            const double* column = columns_[places_[k]];
            for (std::size_t i = 0; i < values_.size(); ++i) {
                values_[i] += delta_[k] * column[i];
            }
        }
        if (!(first < -kProgress * std::abs(state_.value()))) {
            return false;
        }
        const L1State::Move move{members_, std::span(delta_).first(members_.size()), intercept,
                                 values_};
        const double t = minimum_along(move, first);
        state_.apply(move, t);
        ridge_ = t < kEarly ? std::min(kMostRidge, ridge_ * kRidgeFactor)
                 : t == 1.0 ? std::max(kLeastRidge, ridge_ / kRidgeFactor)
                            : ridge_;
        return true;
    }

    [[nodiscard]] double minimum_along(const L1State::Move& move, double first) const {
        const std::vector<Kink> bends = kinks();
        double low = 0.0;
        double low_slope = first;
        double high = 1.0;
        double jumps = 0.0;
        for (const Kink& bend : bends) {
            jumps += bend.jump;
        }
        double high_slope = first + jumps + state_.slope_change(move, 1.0);
        if (high_slope <= -kFlat * first) {
            return 1.0;
        }
        // The first kink after which the objective increases, by bisection.
        std::size_t begin = 0;
        std::size_t end = bends.size();
        double before = 0.0;  // sum of the jumps at the kinks before `begin`
        while (begin < end) {
            const std::size_t middle = begin + (end - begin) / 2;
            double sum = before;
            for (std::size_t k = begin; k <= middle; ++k) {
                sum += bends[k].jump;
            }
            const double after = first + sum + state_.slope_change(move, bends[middle].t);
            if (after < 0.0) {
                low = bends[middle].t;
                low_slope = after;
                before = sum;
                begin = middle + 1;
            } else if (after - bends[middle].jump <= 0.0) {
                return bends[middle].t;
            } else {
                high = bends[middle].t;
                high_slope = after - bends[middle].jump;
                end = middle;
            }
        }
        return smooth_minimum(move, first, before, {low, high}, {low_slope, high_slope});
    }

    /// Between two kinks the slope is smooth: secant steps until it is flat.
    [[nodiscard]] double smooth_minimum(const L1State::Move& move, double first, double jumps,
                                        Interval place, Interval slopes) const {
        double t = place.lower;
        for (int round = 0; round < kMostSecants; ++round) {
            const double share = slopes.lower / (slopes.lower - slopes.upper);
            t = place.lower + (place.upper - place.lower) * std::clamp(share, 0.1, 0.9);
            const double slope = first + jumps + state_.slope_change(move, t);
            if (std::abs(slope) <= -kFlat * first) {
                break;
            }
            (slope < 0.0 ? place.lower : place.upper) = t;
            (slope < 0.0 ? slopes.lower : slopes.upper) = slope;
        }
        return t;
    }

    L1State& state_;
    std::span<const index_t> set_;
    std::span<const double* const> columns_;
    index_t border_;
    double ridge_ = kFirstRidge;
    double worst_zero_ = 0.0;
    std::vector<double> r_;
    std::vector<index_t> members_;
    std::vector<std::size_t> places_;  ///< of the members in the set
    std::vector<double> e_;
    std::vector<double> delta_;
    std::vector<double> values_;
};

}  // namespace

NewtonOutcome newton_on_set(L1State& state, std::span<const index_t> set,
                            std::span<const double* const> columns, double tolerance, index_t most,
                            Context& context) {
    SetNewton newton(state, set, columns);
    NewtonOutcome out;
    for (;;) {
        context.throw_if_stopped("Newton steps on the support");
        out.violation = newton.look();
        if (out.violation <= tolerance || out.steps >= most || !newton.step(context)) {
            return out;
        }
        ++out.steps;
    }
}

}  // namespace mercer
