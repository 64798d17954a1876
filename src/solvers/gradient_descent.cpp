// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/gradient_descent.cpp - steepest descent.
//
// Method   x <- x - step * gradient, with a fixed step or a line search (Cauchy 1847).
// Fits     when gradients are cheap and low accuracy suffices.
// Cost     one gradient per step, more with a line search; memory O(n).
// Stops    at the gradient's tolerance; a fixed step that is too long is detected and reported.
#include <fmt/core.h>

#include <cmath>

#include "solvers/descent.hpp"

namespace mercer {

OptimiserResult gradient_descent(Objective& objective, std::span<const double> start,
                                 const OptimiserOptions& options, Context& context) {
    Descent descent(objective, start, options, context);
    const bool fixed = !std::isnan(options.step);
    std::vector<double> direction(start.size());
    double first = 1.0;
    while (!descent.ended()) {
        if (fixed && descent.running_away()) {
            descent.result().remedy = fmt::format(
                "the step {} is too long: it must be below 2 over the greatest curvature; halve "
                "it, or leave the step to the line search",
                options.step);
            break;
        }
        for (std::size_t i = 0; i < direction.size(); ++i) {
            direction[i] = -descent.gradient()[i];
        }
        if (fixed) {
            descent.move(direction, options.step);
        } else if (!descent.search(direction, first,
                                   options.exact ? kWolfeExact : kWolfeConjugate)) {
            descent.stall("no lower value along the gradient in double precision");
            break;
        }
    }
    return std::move(descent).release();
}

}  // namespace mercer
