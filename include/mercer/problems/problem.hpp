// SPDX-License-Identifier: Apache-2.0
//
// mercer/problems/problem.hpp - the regularised risk problem that every machine is an instance of.
//
//     minimise over f in the RKHS of k and b:   1/2 |f|^2 + sum_i c_i loss(y_i, f(x_i) + b)
//
// By the representer theorem f = sum_j beta_j k(x_j, .). The dual variables are the same beta, in
// the box -beta_i / c_i in the domain of the loss's conjugate, with sum(beta) = 0 when b is free.
//
// A nu-machine also leaves the width of its loss free (the margin rho of the hinge, the tube width
// epsilon) and adds a price for it: - mass * rho, or + mass * epsilon. In the dual that is a second
// sum constraint, sum |beta| = mass.
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
    std::shared_ptr<const GramOperator> gram;  ///< K of the rows; null if only losses are needed
    std::vector<double> targets;               ///< y_i: -1 or +1 for classification losses
    std::vector<double> costs;                 ///< c_i = C w_i >= 0, finite
    Loss loss = HingeLoss{};
    bool intercept = true;  ///< b free and not penalised; false: b = 0
    double mass = kNaN;     ///< when given: the width of the loss is free, sum |beta| = mass

    [[nodiscard]] bool has_mass() const noexcept { return mass == mass; }
    [[nodiscard]] index_t size() const noexcept { return gram == nullptr ? 0 : gram->size(); }
};

/// Throws InvalidArgument naming the row or parameter unless the problem is well formed: equal
/// lengths, finite targets (-1 or +1 where the loss requires it), finite costs >= 0; with a mass, a
/// loss that has a width and costs large enough for sum |beta| = mass.
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
    double ridge = 0.0;  ///< > 0 for a loss that is quadratic near its minimum
};

/// The term of row i; the loss must have a box dual (has_box_dual()). With a mass the width of the
/// loss is taken as 0: it is then a multiplier.
[[nodiscard]] DualTerm dual_term(const Problem& problem, index_t i);

/// Projects `beta` onto the dual set: clips it to the box; then, with an intercept, shifts all
/// coefficients by one number and clips them so that they sum to zero; with a mass, shifts the
/// positive and the negative ones by one number each. Returns the largest change of a coefficient.
double project_onto_dual(const Problem& problem, std::span<double> beta);

/// The dual point given by the slopes of the losses, a_i = -c_i loss'(y_i, f_i + b), projected onto
/// the dual set. The loss must have a slope everywhere.
[[nodiscard]] std::vector<double> multipliers_of(const Problem& problem, std::span<const double> f,
                                                 double intercept);

/// f_i = sum_j beta_j k(x_j, x_i): K beta in float64.
[[nodiscard]] std::vector<double> decision_values(const Problem& problem,
                                                  std::span<const double> beta, Context& context);

/// All minimisers b of sum_i c_i loss(y_i, f_i + b): one point, or an interval where it is flat.
/// [0, 0] when the problem has no intercept. The width of problem.loss is used, also with a mass.
[[nodiscard]] Interval best_intercepts(const Problem& problem, std::span<const double> f);

/// The problem's loss; if its width (margin or tube) is free, with the best width for these values.
/// `intercepts` receives the best b for that loss.
[[nodiscard]] Loss best_loss(const Problem& problem, std::span<const double> f,
                             Interval& intercepts);

/// The intercept to use among the minimisers: the midpoint, or the finite end.
[[nodiscard]] double choose_intercept(const Interval& interval) noexcept;

}  // namespace mercer
