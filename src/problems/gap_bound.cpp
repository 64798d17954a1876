// SPDX-License-Identifier: Apache-2.0
//
// src/problems/gap_bound.cpp - Fenchel-Young terms at the worst values that rounding allows.
//
// Let beta' be beta with a few coefficients moved so that the sum constraints hold exactly. Then
//     P(f, b) - D(beta') = 1/2 |f - f'|^2 + sum_i t_i,
//     t_i = c_i [loss(y_i, z_i) + conjugate(y_i, -beta'_i / c_i)] + beta'_i z_i >= 0.
// A term is convex in z_i, so over all z_i within the error of the computed one it is largest at an
// end. The gap is also bounded at beta itself, where the sum is off by a rounding error r and
//     P(f, b) - D(beta) = sum_i t_i - b r:
// it proves nothing, but it is what a reader of the model file computes. Terms are products of
// nonnegative factors, so their own rounding error is relative. A tube may leave a part of the mass
// unused; the gap then has one more term, that part times the width.
//
// Notation   z = f + b   t  term of a row   u  unit roundoff
#include "problems/gap_bound.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <variant>

#include "mercer/base/roundoff.hpp"
#include "mercer/operators/precise_values.hpp"
#include "mercer/problems/mass.hpp"
#include "mercer/runtime/context.hpp"
#include "problems/value_refinement.hpp"

namespace mercer {

namespace {

// Largest number of roundings in the formula of a term.
constexpr double kTermOperations = 32.0;

/// The maximum of the convex term over [z - error, z + error].
template <typename LossType, typename Real>
Real most_within(const LossType& loss, double y, Real z, Real error, double c, Real a) {
    const Real below = loss.young_gap(y, z - error, c, a);
    const Real above = loss.young_gap(y, z + error, c, a);
    return below > above ? below : above;
}

/// Bound on the rounding of f + b and of y - z.
double rounding_of_sums(double z, double y) {
    return 4.0 * kRoundoff * (std::abs(z) + std::abs(y - z));
}

}  // namespace

GapBound::GapBound(const Problem& problem, const Loss& loss, std::span<const double> beta,
                   std::span<const double> f, double intercept)
    : problem_(problem),
      loss_(loss),
      beta_(beta),
      f_(f),
      intercept_(intercept),
      errors_(*problem.gram, beta),
      terms_(beta.size()),
      is_precise_(beta.size()) {
    measure_rows();
    repair_sums();
    sum_up();
}

void GapBound::measure_rows() {
    std::visit(
        [&](const auto& loss) {
            for (std::size_t i = 0; i < f_.size(); ++i) {
                const double c = problem_.costs[i];
                if (c == 0.0) {
                    continue;
                }
                const double y = problem_.targets[i];
                const double z = f_[i] + intercept_;
                const double error = errors_.at(i) + rounding_of_sums(z, y);
                terms_[i].computed = loss.young_gap(y, z, c, beta_[i]);
                terms_[i].most = most_within(loss, y, z, error, c, beta_[i]);
            }
        },
        loss_);
}

void GapBound::repair_sums() {
    const double constant = std::abs(intercept_);
    const bool leaves = problem_.has_mass() && leaves_mass();
    if (problem_.has_mass() && !leaves) {
        const double price = constant + std::abs(width_of(loss_));
        repair_sum(1.0, problem_.intercept ? 0.5 * problem_.mass : problem_.mass, price);
        if (problem_.intercept) {
            repair_sum(-1.0, -0.5 * problem_.mass, price);
        }
        unsure_ = mass_rounding() * (price + farthest_repaired());
    } else if (problem_.intercept) {
        const double width = leaves ? width_of(loss_) : 0.0;
        repair_sum(0.0, 0.0, constant + width);
        for (const Repair& repair : repairs_) {
            const Quad moved = repair.coefficient - beta_[static_cast<std::size_t>(repair.row)];
            unsure_ += width * std::abs(static_cast<double>(moved));
        }
    }
}

bool GapBound::leaves_mass() {
    if (width_kind(loss_) != Width::tube) {
        return false;
    }
    const SideSums<Quad> sums = side_sums<Quad>(beta_);
    const Quad used = problem_.intercept ? sums.balanced() : sums.total();
    const double width = width_of(loss_);
    const double limit = width == 0.0 ? problem_.mass - mass_rounding() : problem_.mass * kUsesMass;
    if (used > limit) {
        return false;
    }
    unused_ = width * static_cast<double>(problem_.mass - sums.total());
    unsure_ = width * mass_rounding();
    return true;
}

double GapBound::mass_rounding() const {
    return rounding_of(static_cast<double>(beta_.size()) + 2.0) * problem_.mass;
}

double GapBound::farthest_repaired() const {
    double farthest = 0.0;
    for (const Repair& repair : repairs_) {
        const auto i = static_cast<std::size_t>(repair.row);
        farthest = std::max(farthest, std::abs(problem_.targets[i] - f_[i]) + errors_.at(i));
    }
    return farthest;
}

void GapBound::repair_sum(double sign, double sum, double price) {
    Quad excess = -Quad(sum);
    for (const double value : beta_) {
        // Additions in 113 bits are slow: skip the zeros.
        if (value != 0.0 && (sign == 0.0 || value * sign > 0.0)) {
            excess += value;
        }
    }
    if (excess == 0.0) {
        return;
    }
    unrepaired_ += std::abs(static_cast<double>(excess)) * price;
    const index_t row = cheapest_repair(sign, static_cast<double>(excess));
    if (row < 0) {
        shift_ = kInfinity;
        return;
    }
    repairs_.push_back({row, Quad(beta_[static_cast<std::size_t>(row)]) - excess});
    const auto i = static_cast<std::size_t>(row);
    shift_ += std::abs(static_cast<double>(excess)) * errors_.norm_of(i) * (1.0 + 4.0 * kRoundoff);
    const double z = f_[i] + intercept_;
    set_term(row, Quad(f_[i]), errors_.at(i) + rounding_of_sums(z, problem_.targets[i]));
    is_precise_[i] = false;  // its value of f is still the one from float64
}

index_t GapBound::cheapest_repair(double sign, double excess) const {
    index_t best = -1;
    double least = kInfinity;
    const double slack = 2.0 * std::abs(excess);  // twice: the comparisons are rounded
    std::visit(
        [&](const auto& loss) {
            for (std::size_t i = 0; i < beta_.size(); ++i) {
                const double c = problem_.costs[i];
                const bool shrinks = excess * sign > 0.0;  // the sign must not change
                if (c == 0.0 || beta_[i] * sign < (shrinks ? slack : 0.0)) {
                    continue;
                }
                const Interval box = dual_box(problem_, static_cast<index_t>(i));
                const double moved = beta_[i] - excess;
                const bool room =
                    excess > 0.0 ? beta_[i] - box.lower >= slack : box.upper - beta_[i] >= slack;
                if (!room) {
                    continue;
                }
                const double z = f_[i] + intercept_;
                const double shift = shift_ + std::abs(excess) * errors_.norm_of(i);
                const double price = most_within(loss, problem_.targets[i], z, errors_.at(i), c,
                                                 std::clamp(moved, box.lower, box.upper)) -
                                     terms_[i].most + 0.5 * shift * shift;
                if (price < least) {
                    least = price;
                    best = static_cast<index_t>(i);
                }
            }
        },
        loss_);
    return best;
}

Quad GapBound::coefficient_of(index_t row) const {
    for (const Repair& repair : repairs_) {
        if (repair.row == row) {
            return repair.coefficient;
        }
    }
    return beta_[static_cast<std::size_t>(row)];
}

void GapBound::set_term(index_t row, Quad value, double error) {
    const auto i = static_cast<std::size_t>(row);
    std::visit(
        [&](const auto& loss) {
            const Quad z = value + intercept_;
            const double y = problem_.targets[i];
            const double c = problem_.costs[i];
            const auto most = [&](Quad a) {
                return static_cast<double>(most_within(loss, y, z, Quad(error), c, a)) *
                       (1.0 + 4.0 * kRoundoff);
            };
            const Quad a = coefficient_of(row);
            terms_[i].computed = static_cast<double>(loss.young_gap(y, z, c, a));
            terms_[i].most = std::max(most(a), most(beta_[i]));
            is_precise_[i] = true;
        },
        loss_);
}

std::vector<double> GapBound::excesses() const {
    std::vector<double> out;
    out.reserve(terms_.size());
    for (std::size_t i = 0; i < terms_.size(); ++i) {
        out.push_back(is_precise_[i] ? 0.0 : terms_[i].most - terms_[i].computed);
    }
    return out;
}

bool GapBound::refine(double wanted, Context& context) {
    ValueRefinement values(*problem_.gram, beta_, errors_);
    bool refined = false;
    while (
        bound_ > wanted && 2.0 * computed_ - bound_ <= wanted &&
        values.step(excesses(), wanted - computed_, context,
                    [&](index_t row, Quad value, double error) { set_term(row, value, error); })) {
        refined = true;
        sum_up();
    }
    return refined;
}

double GapBound::blur() const {
    double sum = bound_ - computed_;  // the largest part if the loss is quadratic
    for (std::size_t i = 0; i < beta_.size(); ++i) {
        sum += (std::abs(beta_[i]) + problem_.costs[i]) * errors_.at(i) +
               rounding_of(2.0) * std::abs(beta_[i] * f_[i]);
    }
    return sum;
}

GapBound::PreciseRows GapBound::precise_rows(Context& context) const {
    std::vector<index_t> all(beta_.size());
    std::iota(all.begin(), all.end(), index_t{0});
    if (problem_.gram->precise_operations(static_cast<index_t>(all.size()), beta_) >
        ValueRefinement::kMostOperations) {
        return {};
    }
    const PreciseValues precise =
        problem_.gram->multiply_precisely(all, beta_, problem_.gram->rounding(), context);
    Quad norm = 0.0;
    for (std::size_t i = 0; i < beta_.size(); ++i) {
        norm += Quad(beta_[i]) * precise.values[i];
    }
    return {{precise.values.begin(), precise.values.end()}, static_cast<double>(norm)};
}

void GapBound::sum_up() {
    double computed = 0.0;
    double most = 0.0;
    for (const Term& term : terms_) {
        computed += term.computed;
        most += term.most;
    }
    const double above = 1.0 + rounding_of(static_cast<double>(terms_.size()) + kTermOperations);
    computed_ = computed + unused_;
    bound_ = (most + std::max(0.5 * shift_ * shift_, unrepaired_) + unused_ + unsure_) * above;
}

}  // namespace mercer
