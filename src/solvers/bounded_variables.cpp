// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/bounded_variables.cpp - residuals, the reduction to rows, and the back-substitution.
//
// Method   A variable v of row i with sign s: s (K d + R d)_i + e'y + h v' = rho, h = z/above +
//          t/below. The variables of a row share (K d)_i, so two of them act as one whose 1/h is
//          the sum of theirs, and R adds to h. What a pair adds to an equation besides d is M.
// Notation h  curvature of the barrier    D = sum of 1/h in a row    o  share of a variable in D
#include "solvers/bounded_variables.hpp"

#include <algorithm>
#include <cmath>

#include "mercer/base/compensated_sum.hpp"
#include "mercer/base/index.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {

namespace {

// A variable is on its bound when it is this close to it, relative to its width, and the multiplier
// of the bound is much larger than that, relative to the largest multiplier.
constexpr double kNear = 1e-8;
constexpr double kHeld = 1e-3;
// With a zero multiplier, the distance is only as small as the square root of the remaining gap.
constexpr double kNearEnough = 1e-6;

// Products of distances and multipliers at the start, in units of the gap per bound. Measured on 36
// files, hinge and tube, C of 1, 100 and 10,000 (bench/linear): with 1, 14 of 108 runs do not
// converge, with 3, 7; with 10 and with a start in the middle of the box, 4 (2,267 and 2,548 steps
// in all); with 30, 5.
constexpr double kStartProduct = 10.0;

double barrier(const BoundedVariable& v) {
    return (v.has_lower() ? v.z / v.above : 0.0) + (v.has_upper() ? v.t / v.below : 0.0);
}

/// A row's two variables, signs +1 and -1, as one.
struct Pair {
    explicit Pair(BoundedVariable* first) : a(first), b(first + 1) {
        const double ha = barrier(*a);
        const double hb = barrier(*b);
        stiffness = ha + hb;
        share_a = hb / stiffness;
        share_b = ha / stiffness;
        together = ha * share_a;
    }
    [[nodiscard]] double sum(std::size_t j) const { return a->equation[j] + b->equation[j]; }

    BoundedVariable* a;
    BoundedVariable* b;
    double stiffness = 0.0;  ///< when both move by the same amount
    double share_a = 0.0;    ///< share of a in a step of the row
    double share_b = 0.0;
    double together = 0.0;  ///< stiffness of their difference
};

double middle(Interval bounds, double size) {
    const bool below = std::isfinite(bounds.lower);
    const bool above = std::isfinite(bounds.upper);
    if (below && above) {
        return 0.5 * (bounds.lower + bounds.upper);
    }
    return below ? bounds.lower + size : above ? bounds.upper - size : 0.0;
}

/// The distance from a bound at which gradient times distance is `mu`. `slope` is the gradient at
/// the bound, `width` the distance to the other bound, `unit` the largest distance if there is
/// none.
double path_distance(double slope, double width, double ridge, double unit, double mu) {
    if (std::isfinite(width)) {
        const double reach = slope * width;
        return 2.0 * mu * width / (reach + 2.0 * mu + std::hypot(reach, 2.0 * mu));
    }
    if (ridge > 0.0) {
        const double root = std::sqrt(slope * slope + 4.0 * ridge * mu);
        return slope > 0.0 ? 2.0 * mu / (slope + root) : 0.5 * (root - slope) / ridge;
    }
    return slope > 0.0 ? std::min(unit, mu / slope) : unit;
}

/// The part of the gap of a variable at `value`, from its gradient in v.residual.
double gap_at(const BoundedVariable& v, double value) {
    const double inside = std::clamp(value, v.bounds.lower, v.bounds.upper);
    const double room = v.residual > 0.0 ? inside - v.bounds.lower : v.bounds.upper - inside;
    return std::abs(v.residual) * std::min(room, v.unit);
}

/// Moves the variable to its place on the central path for its gradient, in v.residual, and `mu`.
void move_to_path(BoundedVariable& v, double ridge, double mu) {
    const double slope = v.residual;
    const double width = v.bounds.upper - v.bounds.lower;
    if (v.has_lower() && (slope > 0.0 || !v.has_upper())) {
        v.above = path_distance(slope, width, ridge, v.unit, mu);
        v.below = width - v.above;
        v.value = v.bounds.lower + v.above;
    } else if (v.has_upper()) {
        v.below = path_distance(-slope, width, ridge, v.unit, mu);
        v.above = width - v.below;
        v.value = v.bounds.upper - v.below;
    }
    v.z = v.has_lower() ? mu / v.above : 0.0;
    v.t = v.has_upper() ? mu / v.below : 0.0;
}

}  // namespace

BoundedVariables::BoundedVariables(const Problem& problem, Context& context)
    : mass_(problem.has_mass()),
      room_(context.allocate<BoundedVariable>(2 * problem.size(), "bounded variables",
                                              Contents::any)),
      rows_(at(problem.size())),
      ridge_(at(problem.size())),
      beta_(at(problem.size())),
      rho_(at(problem.size())) {
    const std::vector<double> diagonal = problem.gram->diagonal();
    equations_ = static_cast<index_t>(problem.intercept) + static_cast<index_t>(mass_);
    if (mass_) {
        sums_.fill(problem.intercept ? 0.5 * problem.mass : problem.mass);
    }
    std::vector<DualTerm> terms;
    double largest = 0.0;
    for (index_t i = 0; i < problem.size(); ++i) {
        terms.push_back(dual_term(problem, i));
        largest = std::max(largest, std::abs(terms.back().linear));
    }
    for (index_t i = 0; i < problem.size(); ++i) {
        const DualTerm& term = terms[at(i)];
        ridge_[at(i)] = term.ridge;
        rows_[at(i)].first = variables_.size();
        const double curvature = term.ridge + diagonal[at(i)];
        const double size = largest > 0.0 && curvature > 0.0 ? largest / curvature : 1.0;
        const auto [lower, upper] = term.box;
        if (lower < 0.0 && upper > 0.0 && (mass_ || term.width > 0.0)) {
            add(i, 1.0, {0.0, upper}, term.width - term.linear, size);
            add(i, -1.0, {0.0, -lower}, term.width + term.linear, size);
        } else if (lower < upper) {
            const double side = upper > 0.0 ? 1.0 : -1.0;  // -1: the box is below 0
            const Interval bounds = side > 0.0 ? term.box : Interval{-upper, -lower};
            add(i, side, bounds, term.width - side * term.linear, size);
        }
        rows_[at(i)].count = variables_.size() - rows_[at(i)].first;
    }
    for (BoundedVariable& v : variables_) {
        if (mass_ && problem.intercept) {
            v.equation = v.sign > 0.0 ? std::array{1.0, 0.0} : std::array{0.0, 1.0};
        } else {
            v.equation[0] = mass_ ? 1.0 : v.sign;
        }
    }
    for (std::vector<double>* values : {&multipliers_, &equation_residual_, &right_}) {
        values->assign(at(equations_), 0.0);
    }
    update_beta();
}

void BoundedVariables::add(index_t row, double sign, Interval bounds, double linear, double size) {
    BoundedVariable v;
    v.row = row;
    v.sign = sign;
    v.linear = linear;
    v.bounds = bounds;
    v.unit = std::isfinite(bounds.upper - bounds.lower) ? bounds.upper - bounds.lower : size;
    v.value = middle(bounds, size);
    v.above = v.value - bounds.lower;
    v.below = bounds.upper - v.value;
    bounds_ += static_cast<index_t>(v.has_lower()) + static_cast<index_t>(v.has_upper());
    variables_ = {room_.data(), variables_.size() + 1};
    variables_.back() = v;
}

void BoundedVariables::update_beta() {
    std::fill(beta_.begin(), beta_.end(), 0.0);
    for (const BoundedVariable& v : variables_) {
        beta_[at(v.row)] += v.sign * v.value;
    }
}

std::vector<double> BoundedVariables::settled_beta(Settling rule,
                                                   std::vector<bool>& settled) const {
    double multiplier = 0.0;
    for (const BoundedVariable& v : variables_) {
        multiplier = std::max({multiplier, v.z, v.t});
    }
    std::vector<double> beta(beta_.size(), 0.0);
    settled.assign(beta_.size(), true);
    for (const BoundedVariable& v : variables_) {
        const auto settles = [&](double distance, double holds) {
            if (rule == Settling::near) {
                return distance <= kNearEnough * v.unit;
            }
            return distance <= kNear * v.unit && distance * multiplier <= kHeld * holds * v.unit;
        };
        double value = v.value;
        if (settles(v.above, v.z)) {
            value = v.bounds.lower;
        } else if (settles(v.below, v.t)) {
            value = v.bounds.upper;
        } else if (rule == Settling::near && std::abs(value) <= kNearEnough * v.unit) {
            value = 0.0;
        } else {
            settled[at(v.row)] = false;
        }
        beta[at(v.row)] += v.sign * value;
    }
    return beta;
}

std::vector<double> BoundedVariables::missing_sums(std::span<const double> beta) const {
    std::array<CompensatedSum, 2> missing;
    for (std::size_t j = 0; j < missing.size(); ++j) {
        missing[j].add(sums_[j]);
    }
    for (const double b : beta) {
        missing[equations_ == 2 && !(b > 0.0) ? 1 : 0].add(mass_ ? -std::abs(b) : -b);
    }
    const std::array<double, 2> out{missing[0].value(), missing[1].value()};
    return {out.begin(), out.begin() + equations_};
}

void BoundedVariables::start_multipliers(std::span<const double> f) {
    update(f);  // all multipliers are zero: the residual is the gradient
    double mean = 0.0;
    for (const BoundedVariable& v : variables_) {
        mean += std::abs(v.residual) / static_cast<double>(variables_.size());
    }
    mean = mean > 0.0 ? mean : 1.0;
    for (BoundedVariable& v : variables_) {
        v.z = v.has_lower() ? std::max(v.residual, 0.0) + mean : 0.0;
        v.t = v.has_upper() ? std::max(-v.residual, 0.0) + mean : 0.0;
    }
}

void BoundedVariables::start_on_path(std::span<const double> from, std::span<const double> f,
                                     double intercept) {
    multipliers_.assign(at(equations_), intercept);
    double gap = 0.0;
    for (BoundedVariable& v : variables_) {
        const std::size_t i = at(v.row);
        v.residual = v.sign * (f[i] + ridge_[i] * from[i] + intercept) + v.linear;
        gap += gap_at(v, v.sign * from[i]);
    }
    const double mean = bounds_ > 0 && gap > 0.0 ? gap / static_cast<double>(bounds_) : 1.0;
    const double mu = kStartProduct * mean;
    for (BoundedVariable& v : variables_) {
        move_to_path(v, ridge_[at(v.row)], mu);
    }
    update_beta();
}

void BoundedVariables::update(std::span<const double> f) {
    complementarity_ = 0.0;
    dual_value_ = 0.0;
    gap_estimate_ = 0.0;
    for (std::size_t j = 0; j < equation_residual_.size(); ++j) {
        equation_residual_[j] = -sums_[j];
    }
    for (BoundedVariable& v : variables_) {
        const std::size_t i = at(v.row);
        const double slope = v.sign * (f[i] + ridge_[i] * beta_[i]);
        v.residual = slope + v.linear - v.z + v.t;
        for (std::size_t j = 0; j < multipliers_.size(); ++j) {
            v.residual += v.equation[j] * multipliers_[j];
            equation_residual_[j] += v.equation[j] * v.value;
        }
        complementarity_ +=
            (v.has_lower() ? v.above * v.z : 0.0) + (v.has_upper() ? v.below * v.t : 0.0);
        gap_estimate_ += std::abs(v.residual * v.value);
        dual_value_ -= v.value * (0.5 * slope + v.linear);
    }
    gap_estimate_ += complementarity_;
    for (std::size_t j = 0; j < multipliers_.size(); ++j) {
        gap_estimate_ += std::abs(multipliers_[j] * equation_residual_[j]);
    }
}

double BoundedVariables::mean_complementarity() const {
    return bounds_ > 0 ? complementarity_ / static_cast<double>(bounds_) : 0.0;
}

void BoundedVariables::fill(RowSystem& system) {
    const auto q = at(equations_);
    system.equations = equations_;
    system.weights.assign(rows_.size(), 0.0);
    system.border.assign(rows_.size() * q, 0.0);
    system.corner.assign(q * q, 0.0);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        double* e = system.border.data() + i * q;
        if (rows_[i].count == 1) {
            const BoundedVariable& v = first(i);
            system.weights[i] = 1.0 / (barrier(v) + ridge_[i]);
            for (std::size_t j = 0; j < q; ++j) {
                e[j] = v.sign * v.equation[j];
            }
        } else if (rows_[i].count == 2) {
            const Pair pair(&first(i));
            system.weights[i] = 1.0 / (pair.together + ridge_[i]);
            for (std::size_t j = 0; j < q; ++j) {
                e[j] = pair.share_a * pair.a->equation[j] - pair.share_b * pair.b->equation[j];
                for (std::size_t l = 0; l < q; ++l) {
                    system.corner[j * q + l] += pair.sum(j) * pair.sum(l) / pair.stiffness;
                }
            }
        }
    }
}

void BoundedVariables::aim(double target, bool corrects) {
    std::fill(rho_.begin(), rho_.end(), 0.0);
    for (std::size_t j = 0; j < right_.size(); ++j) {
        right_[j] = -equation_residual_[j];
    }
    for (BoundedVariable& v : variables_) {
        const double z_product = target - (corrects ? v.step * v.z_step : 0.0);
        const double t_product = target + (corrects ? v.step * v.t_step : 0.0);
        v.z_step = v.has_lower() ? z_product / v.above - v.z : 0.0;
        v.t_step = v.has_upper() ? t_product / v.below - v.t : 0.0;
        v.step = v.z_step - v.t_step - v.residual;
    }
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        if (rows_[i].count == 1) {
            rho_[i] = first(i).sign * first(i).step;
        } else if (rows_[i].count == 2) {
            const Pair pair(&first(i));
            rho_[i] = pair.share_a * pair.a->step - pair.share_b * pair.b->step;
            for (std::size_t j = 0; j < right_.size(); ++j) {
                right_[j] -= pair.sum(j) * (pair.a->step + pair.b->step) / pair.stiffness;
            }
        }
    }
}

void BoundedVariables::take_back(const RowStep& step) {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        if (rows_[i].count == 1) {
            first(i).step = first(i).sign * step.rows[i];
        } else if (rows_[i].count == 2) {
            const Pair pair(&first(i));
            double common = pair.a->step + pair.b->step;
            for (std::size_t j = 0; j < step.equations.size(); ++j) {
                common -= pair.sum(j) * step.equations[j];
            }
            common /= pair.stiffness;
            pair.a->step = common + pair.share_a * step.rows[i];
            pair.b->step = common - pair.share_b * step.rows[i];
        }
    }
    for (BoundedVariable& v : variables_) {
        v.z_step -= v.has_lower() ? v.z / v.above * v.step : 0.0;
        v.t_step += v.has_upper() ? v.t / v.below * v.step : 0.0;
    }
    equation_step_ = step.equations;
}

double BoundedVariables::longest() const {
    double length = kInfinity;
    const auto meet = [&](double distance, double speed) {
        length = speed < 0.0 ? std::min(length, -distance / speed) : length;
    };
    for (const BoundedVariable& v : variables_) {
        if (v.has_lower()) {
            meet(v.above, v.step);
            meet(v.z, v.z_step);
        }
        if (v.has_upper()) {
            meet(v.below, -v.step);
            meet(v.t, v.t_step);
        }
    }
    return length;
}

double BoundedVariables::complementarity_after(double length) const {
    double sum = 0.0;
    for (const BoundedVariable& v : variables_) {
        sum += v.has_lower() ? (v.above + length * v.step) * (v.z + length * v.z_step) : 0.0;
        sum += v.has_upper() ? (v.below - length * v.step) * (v.t + length * v.t_step) : 0.0;
    }
    return bounds_ > 0 ? sum / static_cast<double>(bounds_) : 0.0;
}

void BoundedVariables::advance(double length) {
    for (BoundedVariable& v : variables_) {
        v.value += length * v.step;
        v.above += length * v.step;
        v.below -= length * v.step;
        v.z += length * v.z_step;
        v.t += length * v.t_step;
    }
    for (std::size_t j = 0; j < multipliers_.size(); ++j) {
        multipliers_[j] += length * equation_step_[j];
    }
    update_beta();
}

}  // namespace mercer
