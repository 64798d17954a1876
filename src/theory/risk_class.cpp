// SPDX-License-Identifier: Apache-2.0
//
// src/theory/risk_class.cpp - from the traits of a loss to the classes of its problems.
#include "mercer/theory/risk_class.hpp"

#include <cmath>

#include "mercer/losses/loss.hpp"
#include "mercer/problems/problem.hpp"

namespace mercer {

namespace {

/// The loss as a term of the objective, where slack variables are allowed.
ObjectiveForm form_of(const Loss& loss) {
    if (!has_slope(loss)) {
        return ObjectiveForm::linear;
    }
    return has_box_dual(loss) ? ObjectiveForm::quadratic : ObjectiveForm::nonlinear;
}

ObjectiveForm sum_of(ObjectiveForm a, ObjectiveForm b) {
    return static_cast<int>(a) > static_cast<int>(b) ? a : b;
}

/// True when the conjugate is finite everywhere: the loss does not bound the multipliers.
bool has_free_multipliers(const Loss& loss) {
    return std::visit(
        [](const auto& kind) {
            const Interval domain = kind.conjugate_domain(1.0);
            return std::isinf(domain.lower) && std::isinf(domain.upper);
        },
        loss);
}

}  // namespace

RiskClasses classify_risk(const Loss& loss, const RiskForm& form) {
    const ObjectiveForm norm = form.rkhs ? ObjectiveForm::quadratic : ObjectiveForm::linear;
    const ObjectiveForm sum = form.hard ? norm : sum_of(norm, form_of(loss));
    const bool smooth = has_slope(loss) && !form.l1 && !form.free_width && !form.hard;
    RiskClasses classes;
    classes.primal = classify(sum, smooth ? FeasibleSet::whole_space : FeasibleSet::polyhedron);
    // Every penalty except 1/2 |f|^2 becomes a constraint on the multipliers, and so do b, the
    // width and the ends of the conjugate's domain. The conjugate has the form of the loss.
    const bool constrained =
        !form.rkhs || form.l1 || form.intercept || form.free_width || !has_free_multipliers(loss);
    classes.dual = classify(sum, constrained ? FeasibleSet::polyhedron : FeasibleSet::whole_space);
    return classes;
}

}  // namespace mercer
