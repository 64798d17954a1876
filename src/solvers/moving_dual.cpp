// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/moving_dual.cpp - the dual of a problem as a parametric one with constant numbers.
#include "solvers/moving_dual.hpp"

namespace mercer {

MovingDual fixed_dual(const Problem& problem) {
    MovingDual dual;
    dual.problem = &problem;
    dual.groups = static_cast<int>(problem.intercept) + static_cast<int>(problem.has_mass());
    if (problem.has_mass()) {
        const double part = problem.intercept ? 0.5 * problem.mass : problem.mass;
        dual.sums[0].start = part;
        dual.sums[1].start = -part;
        dual.tube = problem.intercept && !is_classification(problem.loss);
    }
    for (index_t i = 0; i < problem.size(); ++i) {
        const DualTerm term = dual_term(problem, i);
        MovingTerm moving;
        moving.lower.start = term.box.lower;
        moving.upper.start = term.box.upper;
        moving.linear.start = term.linear;
        moving.width.start = problem.has_mass() ? 0.0 : term.width;
        moving.ridge = term.ridge;
        moving.kinked = (problem.has_mass() || term.width > 0.0) && term.box.lower < 0.0 &&
                        term.box.upper > 0.0;
        dual.terms.push_back(moving);
    }
    return dual;
}

}  // namespace mercer
