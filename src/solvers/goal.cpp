// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/goal.cpp - from options to a goal.
#include "mercer/solvers/goal.hpp"

#include <utility>

#include "mercer/runtime/options.hpp"

namespace mercer {

Goal goal_of(const SolveOptions& options, double standard) {
    for (const auto& [name, value] : {std::pair{"gap_tolerance", options.gap_tolerance},
                                      std::pair{"tolerance", options.tolerance}}) {
        if (value) {
            require_in_range(name, *value, Range::positive());
        }
    }
    Goal goal{options.gap_tolerance.value_or(kNaN), options.tolerance.value_or(kNaN), options.unit};
    if (!options.gap_tolerance && !options.tolerance) {
        goal.gap = standard;
    }
    return goal;
}

double tighten(double tolerance, const Goal& goal, const Certificate& certificate) {
    double factor = 0.9;
    if (!std::isnan(goal.gap) && goal.relative(certificate) > goal.gap) {
        factor = std::clamp(0.5 * goal.gap / goal.relative(certificate), 0.01, 0.5);
    }
    if (!std::isnan(goal.violation) && certificate.kkt_violation > goal.violation) {
        factor = std::min(factor, 0.9 * goal.violation / tolerance);
    }
    return tolerance * std::clamp(factor, 0.01, 0.9);
}

}  // namespace mercer
