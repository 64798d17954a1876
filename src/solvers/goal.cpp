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
        if (!std::isnan(value)) {
            require_in_range(name, value, Range::positive());
        }
    }
    Goal goal{options.gap_tolerance, options.tolerance, options.unit};
    if (std::isnan(goal.gap) && std::isnan(goal.violation)) {
        goal.gap = standard;
    }
    return goal;
}

}  // namespace mercer
