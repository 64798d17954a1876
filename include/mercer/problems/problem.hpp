// SPDX-License-Identifier: Apache-2.0
//
// mercer/problems/problem.hpp - the one sentence every machine is an instance of.
//
//     minimise over f in the RKHS of k and b:   1/2 |f|^2 + sum_i c_i loss(y_i, f(x_i) + b)
//
// By the representer theorem f = sum_j beta_j k(x_j, .). The dual variables are the same beta, in
// the box -beta_i / c_i in the domain of the loss's conjugate, with sum(beta) = 0 when b is free.
//
// A nu-machine leaves the width of its loss free, too (the margin rho of the hinge, the tube
// epsilon) and pays for it: - mass * rho, or + mass * epsilon. In the dual that is one more
// equation, sum |beta| = mass.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/losses/loss.hpp"
#include "mercer/operators/gram_operator.hpp"

namespace mercer {

class Context;

/// A regularised risk problem.
struct Problem {
    std::shared_ptr<const GramOperator> gram;  ///< K of the rows; null where only losses are asked
    std::vector<double> targets;               ///< y_i: -1 or +1 for classification losses
    std::vector<double> costs;                 ///< c_i = C w_i >= 0, finite
    Loss loss = HingeLoss{};
    bool intercept = true;  ///< b free and not penalised; false: b = 0
    double mass = kNaN;     ///< when given: the width of the loss is free, sum |beta| = mass

    [[nodiscard]] bool has_mass() const noexcept { return mass == mass; }
    [[nodiscard]] index_t size() const noexcept { return gram == nullptr ? 0 : gram->size(); }
};

/// Throws InvalidArgument naming the row or parameter unless the problem is well formed: equal
/// lengths, finite targets (-1 or +1 where the loss wants it), finite costs >= 0; with a mass, a
/// loss that has a width and costs that can carry the mass.
void require_well_formed(const Problem& problem);

/// The interval of beta_i in the dual: [-c u_max, -c u_min] over the conjugate's domain [u_min,
/// u_max].
[[nodiscard]] Interval dual_box(const Problem& problem, index_t i);

/// One row of the dual as a quadratic programme: minimise over the box
///     1/2 beta' (K + diag(ridge)) beta - linear' beta + width' |beta|.
struct DualTerm {
    Interval box{0.0, 0.0};
    double linear = 0.0;
    double width = 0.0;  ///< epsilon of the tube
    double ridge = 0.0;  ///< of a loss that is quadratic near its minimum
};

/// The row's term, of a loss that has_box_dual(). With a mass the width of the loss counts as 0: it
/// is a multiplier then.
[[nodiscard]] DualTerm dual_term(const Problem& problem, index_t i);

/// The dual set's nearest point in the inf-norm sense of a common shift: clip to the box, then,
/// with an intercept, shift all by one number and clip so that the sum is zero; with a mass, shift
/// the positive and the negative ones by a number each. Returns how far the largest coefficient
/// moved.
double project_onto_dual(const Problem& problem, std::span<double> beta);

/// The dual point that the slopes of the losses make: a_i = -c_i loss'(y_i, f_i + b), moved into
/// the dual set. The loss has a slope everywhere.
[[nodiscard]] std::vector<double> multipliers_of(const Problem& problem, std::span<const double> f,
                                                 double intercept);

/// f_i = sum_j beta_j k(x_j, x_i): K beta in float64.
[[nodiscard]] std::vector<double> decision_values(const Problem& problem,
                                                  std::span<const double> beta, Context& context);

/// All minimisers b of sum_i c_i loss(y_i, f_i + b): one point, or an interval where it is flat.
/// [0, 0] when the problem has no intercept. The width of the loss is the problem's.
[[nodiscard]] Interval best_intercepts(const Problem& problem, std::span<const double> f);

/// The problem's loss with the width (margin or tube) that is best for these values when the
/// problem leaves it free; `intercepts` gets the best b beside it.
[[nodiscard]] Loss best_loss(const Problem& problem, std::span<const double> f,
                             Interval& intercepts);

/// The one used when there are many: the midpoint, or the finite end.
[[nodiscard]] double choose_intercept(const Interval& interval) noexcept;

}  // namespace mercer
