// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/l1_newton.cpp - the tail of coordinate descent, where columns are nearly parallel.
//
// Method   With the signs fixed the objective is smooth in the m nonzero coefficients and b:
//              (rho K_SS + K_S' D K_S) delta = r_S - l1 sgn(beta_S),   bordered for b,
//          D = diag(c loss''). Coefficients that would cross zero are stopped there. A step is
//          shortened until the slope at its end is not uphill. For the piecewise quadratic losses
//          this ends after finitely many steps, for the logistic one it is quadratic.
// Fits     m up to a few thousand.
// Cost     n m^2 + m^3/3 for a step; memory m^2 and blocks of columns.
// Notation e  right-hand side     H  the matrix     dz  change of the values
#include "solvers/l1_newton.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "mercer/base/checked.hpp"
#include "mercer/compute/linear_algebra.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {

namespace {

constexpr index_t kRowsAtOnce = 1024;
constexpr double kLeastRidge = 1e-13;  // of the greatest diagonal entry: columns may be parallel
constexpr double kMostRidge = 1e-3;    // beyond, coordinate steps do as well
constexpr double kUphill = 0.1;        // slope at a step's end, of that at its start
constexpr int kMostShortenings = 30;

std::size_t at(index_t i) { return static_cast<std::size_t>(i); }

class SupportNewton {
public:
    SupportNewton(L1State& state, std::span<const index_t> members,
                  std::span<const float* const> columns)
        : state_(state),
          members_(members.begin(), members.end()),
          columns_(columns.begin(), columns.end()),
          border_(state.problem().risk.intercept ? 1 : 0) {}

    [[nodiscard]] bool fits(const Context& context) const {
        const double m = static_cast<double>(width());
        return 16.0 * m * (m + kRowsAtOnce) <= 0.5 * static_cast<double>(context.memory()->left());
    }

    /// The greatest violation among the members.
    double look() {
        e_.assign(at(width()), 0.0);
        double worst = 0.0;
        for (std::size_t k = 0; k < members_.size(); ++k) {
            const double beta = state_.beta()[at(members_[k])];
            const double r = state_.product(members_[k], columns_[k]);
            e_[k] = r - std::copysign(state_.problem().l1, beta);
            worst = std::max(worst, std::abs(e_[k]));
        }
        if (border_ != 0) {
            e_.back() = state_.imbalance();
        }
        return worst;
    }

    /// One step; false when nothing moved.
    bool step(Context& context) {
        if (!direction(context)) {
            return false;
        }
        const auto m = members_.size();
        std::vector<double> whole(delta_.begin(), delta_.begin() + static_cast<std::ptrdiff_t>(m));
        std::vector<double> clipped = whole;
        double most = 1.0;  // share of the step up to the first change of a sign
        for (std::size_t k = 0; k < m; ++k) {
            const double beta = state_.beta()[at(members_[k])];
            if (beta * (beta + whole[k]) < 0.0) {
                clipped[k] = -beta;
                most = std::min(most, -beta / whole[k]);
            }
        }
        if (go(clipped)) {
            return drop_zeros();
        }
        if (most < 1.0) {
            for (std::size_t k = 0; k < m; ++k) {
                const double beta = state_.beta()[at(members_[k])];
                whole[k] =
                    -beta / whole[k] <= most && -beta / whole[k] > 0.0 ? -beta : most * whole[k];
            }
            if (border_ != 0) {
                delta_.back() *= most;
            }
            return go(whole) && drop_zeros();
        }
        return false;
    }

    [[nodiscard]] bool empty() const noexcept { return members_.empty(); }

private:
    [[nodiscard]] index_t width() const { return static_cast<index_t>(members_.size()) + border_; }

    /// K_S' D K_S with the border, over the rows that have a curvature.
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
            for (std::size_t i = 0; i < count; ++i) {
                const std::size_t row = rows[begin + i];
                const double root = std::sqrt(d[row]);
                const auto column = static_cast<index_t>(i);
                for (std::size_t k = 0; k < members_.size(); ++k) {
                    part(static_cast<index_t>(k), column) = root * columns_[k][row];
                }
                if (border_ != 0) {
                    part(w - 1, column) = root;
                }
            }
            const MatrixView<const double> view(block.data(), w, static_cast<index_t>(count));
            multiply(view, false, view, true, 1.0, 1.0, h, context);
        }
    }

    void add_norm(MatrixView<double> h, Context& context) {
        const auto m = static_cast<index_t>(members_.size());
        Buffer<double> values =
            context.allocate<double>(checked_multiply(m, m), "K of the support");
        const MatrixView<double> view(values.data(), m, m);
        gram_among(state_.problem().risk, members_, Precision::float64, context)
            .copy_rows(0, view, context);
        for (index_t i = 0; i < m; ++i) {
            for (index_t j = 0; j < m; ++j) {
                h(i, j) += view(i, j);
            }
        }
    }

    /// H delta = e; false when no ridge makes H positive definite.
    bool direction(Context& context) {
        const index_t w = width();
        Buffer<double> sum = context.allocate<double>(checked_multiply(w, w), "Newton's matrix");
        const MatrixView<double> h(sum.data(), w, w);
        add_curvature(h, context);
        if (state_.problem().rkhs) {
            add_norm(h, context);
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
        for (double ridge = kLeastRidge; ridge <= kMostRidge; ridge *= 100.0) {
            std::copy(sum.span().begin(), sum.span().end(), factor.span().begin());
            for (index_t k = 0; k < w; ++k) {
                l(k, k) += ridge * greatest;
            }
            if (cholesky(l, context)) {
                delta_ = e_;
                cholesky_solve(MatrixView<const double>(factor.data(), w, w), {delta_.data(), w, 1},
                               context);
                return std::all_of(delta_.begin(), delta_.end(),
                                   [](double value) { return std::isfinite(value); });
            }
        }
        return false;
    }

    /// Goes along `beta` and the intercept's part of delta, as far as it is downhill.
    bool go(std::span<const double> beta) {
        const double intercept = border_ != 0 ? delta_.back() : 0.0;
        double first = border_ != 0 ? -e_.back() * intercept : 0.0;
        values_.assign(at(state_.size()), intercept);
        for (std::size_t k = 0; k < beta.size(); ++k) {
            first -= e_[k] * beta[k];
            if (beta[k] != 0.0) {
                for (std::size_t i = 0; i < values_.size(); ++i) {
                    values_[i] += beta[k] * static_cast<double>(columns_[k][i]);
                }
            }
        }
        if (!(first < 0.0)) {
            return false;
        }
        const L1State::Move move{members_, beta, intercept, values_};
        double low = 0.0;
        double low_slope = first;
        double t = 1.0;
        double high = 1.0;
        double high_slope = first + state_.slope_change(move, 1.0);
        if (high_slope > -kUphill * first) {
            for (int round = 0; round < kMostShortenings; ++round) {
                // The secant's root, kept off the ends.
                const double share = low_slope / (low_slope - high_slope);
                t = low + (high - low) * std::clamp(share, 0.1, 0.9);
                const double slope = first + state_.slope_change(move, t);
                if (std::abs(slope) <= -kUphill * first) {
                    break;
                }
                (slope < 0.0 ? low : high) = t;
                (slope < 0.0 ? low_slope : high_slope) = slope;
            }
        }
        state_.apply(move, t);
        return true;
    }

    /// Leaves out the members that arrived at zero.
    bool drop_zeros() {
        std::size_t kept = 0;
        for (std::size_t k = 0; k < members_.size(); ++k) {
            if (state_.beta()[at(members_[k])] != 0.0) {
                members_[kept] = members_[k];
                columns_[kept++] = columns_[k];
            }
        }
        members_.resize(kept);
        columns_.resize(kept);
        return true;
    }

    L1State& state_;
    std::vector<index_t> members_;
    std::vector<const float*> columns_;
    index_t border_;
    std::vector<double> e_;
    std::vector<double> delta_;
    std::vector<double> values_;
};

}  // namespace

index_t newton_on_support(L1State& state, std::span<const index_t> members,
                          std::span<const float* const> columns, double tolerance, index_t most,
                          Context& context) {
    SupportNewton newton(state, members, columns);
    if (!newton.fits(context)) {
        return 0;
    }
    index_t steps = 0;
    double before = kInfinity;
    while (steps < most && !newton.empty()) {
        context.throw_if_stopped("Newton steps on the support");
        const double worst = newton.look();
        if (worst <= tolerance || !(worst < 2.0 * before)) {
            break;
        }
        before = std::min(before, worst);
        ++steps;
        if (!newton.step(context)) {
            break;
        }
    }
    return steps;
}

}  // namespace mercer
