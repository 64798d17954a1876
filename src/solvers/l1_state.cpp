// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/l1_state.cpp - values, slopes and the one-dimensional steps of l1_descent.cpp.
#include "solvers/l1_state.hpp"

#include <algorithm>
#include <cmath>
#include <variant>

#include "mercer/base/compensated_sum.hpp"

namespace mercer {

namespace {

// After a step the slope may have changed sign by this share of the first slope: rounding does
// that.
constexpr double kOvershoot = 1e-3;

constexpr double kArrived = 1e-14;  // a coefficient below this share of its old value is zero

constexpr std::size_t kLanes = 8;

/// Sums term(i) over i < n in a fixed order of several lanes, which the compiler can vectorise.
template <typename Term>
double lane_sum(std::size_t n, const Term& term) {
    double lanes[kLanes] = {};
    std::size_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
        for (std::size_t k = 0; k < kLanes; ++k) {
            lanes[k] += term(i + k);
        }
    }
    double sum = 0.0;
    for (; i < n; ++i) {
        sum += term(i);
    }
    for (const double lane : lanes) {
        sum += lane;
    }
    return sum;
}

double steepest_curvature(const Loss& loss) {
    return std::visit([](const auto& kind) { return kind.kGreatestCurvature; }, loss);
}

double soft_threshold(double value, double width) {
    return value > width ? value - width : value < -width ? value + width : 0.0;
}

}  // namespace

L1State::L1State(const L1Basis& basis, std::span<const double> beta)
    : basis_(basis),
      steepest_(steepest_curvature(basis.risk().loss)),
      beta_(beta.begin(), beta.end()),
      ones_(at(rows()), 1.0) {
    beta_.resize(at(size()), 0.0);
    start_ = beta_;
    exact_.assign(beta_.size(), 0.0);
    z_.assign(at(rows()), 0.0);
    a_ = d_ = base_ = change_ = z_;
}

void L1State::refresh(Context& context) {
    const Problem& risk = basis_.risk();
    const std::vector<double> f = basis_.values(beta_, context);
    const double intercept = choose_intercept(best_intercepts(risk, f));
    CompensatedSum value;
    for (std::size_t j = 0; j < beta_.size(); ++j) {
        const double along = basis_.orthonormal() ? beta_[j] : f[j];  // G beta
        value.add(basis_.l1() * std::abs(beta_[j]));
        value.add(basis_.norm() ? 0.5 * beta_[j] * along : 0.0);
    }
    for (std::size_t i = 0; i < f.size(); ++i) {
        z_[i] = f[i] + intercept;
        base_[i] = 0.0;
    }
    intercept_ = intercept;
    set_slopes();
    base_ = change_;
    start_ = beta_;
    std::fill(change_.begin(), change_.end(), 0.0);
    std::visit(
        [&](const auto& loss) {
            for (std::size_t i = 0; i < z_.size(); ++i) {
                value.add(risk.costs[i] * loss.value(risk.targets[i], z_[i]));
            }
        },
        risk.loss);
    value_ = value.value();
    exact_ = basis_.slopes(a_, beta_, context);
}

bool L1State::is_finite() const noexcept {
    return std::isfinite(value_) &&
           std::all_of(exact_.begin(), exact_.end(), [](double r) { return std::isfinite(r); });
}

double L1State::product(index_t j, const double* column) const {
    const double* change = change_.data();
    const double own = basis_.norm() && basis_.orthonormal() ? beta_[at(j)] - start_[at(j)] : 0.0;
    return exact_[at(j)] - own +
           lane_sum(change_.size(), [=](std::size_t i) { return column[i] * change[i]; });
}

double L1State::violation(index_t j, double r) const {
    const double beta = beta_[at(j)];
    if (beta == 0.0) {
        return std::max(0.0, std::abs(r) - basis_.l1());
    }
    return std::abs(r - (beta > 0.0 ? basis_.l1() : -basis_.l1()));
}

double L1State::imbalance() const {
    const double* a = a_.data();
    return lane_sum(a_.size(), [=](std::size_t i) { return a[i]; });
}

double L1State::step(index_t j, const double* column) {
    const double r = product(j, column);
    const double violation = this->violation(j, r);
    if (violation == 0.0) {
        return 0.0;
    }
    const double quadratic = basis_.norm() ? basis_.own_norm({j, column}) : 0.0;
    const double t = best_step(column, r, quadratic, basis_.l1(), beta_[at(j)]);
    if (t != 0.0) {
        beta_[at(j)] += t;
        move_values(column, t);
    }
    return violation;
}

double L1State::step_intercept() {
    if (!basis_.risk().intercept) {
        return 0.0;
    }
    const double sum = imbalance();
    const double t = best_step(ones_.data(), sum, 0.0, 0.0, 0.0);
    if (t != 0.0) {
        intercept_ += t;
        move_values(ones_.data(), t);
    }
    return std::abs(sum);
}

/// The minimum of -r t + 1/2 h t^2 + l1 |beta + t|: first with the curvature here (Newton); if that
/// overshoots the minimum, with an upper bound on the curvature, which cannot overshoot.
double L1State::best_step(const double* column, double r, double diagonal, double l1,
                          double beta) const {
    const double* d = d_.data();
    const double* c = basis_.risk().costs.data();
    const double here = diagonal + lane_sum(d_.size(), [=](std::size_t i) {
                            const double k = column[i];
                            return d[i] * k * k;
                        });
    const auto minimum = [&](double h) {
        const double place = soft_threshold(beta + r / h, l1 / h);
        return std::isfinite(place) ? place - beta : 0.0;
    };
    if (here > 0.0) {
        const double t = minimum(here);
        const double end = beta + t;
        const double side = end != 0.0 ? end : beta;  // the side that the step comes from
        const double first = std::abs(r - std::copysign(l1, beta != 0.0 ? beta : t));
        const double slope =
            std::copysign(l1, side) - r - multiplier_change(column, t) + diagonal * t;
        if (slope * (t > 0.0 ? 1.0 : -1.0) <= kOvershoot * first) {
            return t;
        }
    }
    const double steepest = steepest_;
    const double everywhere = diagonal + lane_sum(d_.size(), [=](std::size_t i) {
                                  const double k = column[i];
                                  return steepest * c[i] * k * k;
                              });
    return everywhere > 0.0 ? minimum(everywhere) : -beta;
}

/// column' (a(z + t column) - a(z)).
double L1State::multiplier_change(const double* column, double t) const {
    const Problem& risk = basis_.risk();
    return std::visit(
        [&](const auto& loss) {
            return lane_sum(z_.size(), [&](std::size_t i) {
                const double k = column[i];
                const double a = -risk.costs[i] * loss.derivative(risk.targets[i], z_[i] + t * k);
                return k * (a - a_[i]);
            });
        },
        risk.loss);
}

void L1State::move_values(const double* column, double t) {
    for (std::size_t i = 0; i < z_.size(); ++i) {
        z_[i] += t * column[i];
    }
    set_slopes();
}

void L1State::set_slopes() {
    const Problem& risk = basis_.risk();
    const bool rho = basis_.norm() && !basis_.orthonormal();
    std::visit(
        [&](const auto& loss) {
            for (std::size_t i = 0; i < z_.size(); ++i) {
                const double y = risk.targets[i];
                a_[i] = -risk.costs[i] * loss.derivative(y, z_[i]);
                d_[i] = risk.costs[i] * loss.curvature(y, z_[i]);
                change_[i] = a_[i] - (rho ? beta_[i] : 0.0) - base_[i];
            }
        },
        risk.loss);
}

double L1State::slope_change(const Move& move, double t) const {
    const Problem& risk = basis_.risk();
    const double losses = std::visit(
        [&](const auto& loss) {
            return lane_sum(z_.size(), [&](std::size_t i) {
                const double dz = move.values[i];
                const double a = -risk.costs[i] * loss.derivative(risk.targets[i], z_[i] + t * dz);
                return dz * (a_[i] - a);
            });
        },
        risk.loss);
    double norm = 0.0;
    for (std::size_t k = 0; basis_.norm() && k < move.members.size(); ++k) {
        norm += move.beta[k] * (basis_.orthonormal()
                                    ? move.beta[k]
                                    : move.values[at(move.members[k])] - move.intercept);
    }
    return losses + t * std::max(0.0, norm);
}

void L1State::apply(const Move& move, double t) {
    for (std::size_t k = 0; k < move.members.size(); ++k) {
        double& beta = beta_[at(move.members[k])];
        const double next = beta + t * move.beta[k];
        beta = std::abs(next) <= kArrived * std::abs(beta) ? 0.0 : next;
    }
    intercept_ += t * move.intercept;
    for (std::size_t i = 0; i < z_.size(); ++i) {
        z_[i] += t * move.values[i];
    }
    set_slopes();
}

}  // namespace mercer
