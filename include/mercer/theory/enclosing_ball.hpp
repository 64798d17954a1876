// SPDX-License-Identifier: Apache-2.0
//
// mercer/theory/enclosing_ball.hpp - the smallest ball around the rows in the space of a kernel.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "mercer/base/types.hpp"

namespace mercer {

class Context;

/// Writes row i of a Gram matrix into the span.
using GramRow = std::function<void(index_t, std::span<double>)>;

/// A ball that contains all rows, and a lower bound on the radius of every such ball.
struct EnclosingBall {
    double radius = 0.0;          ///< no row is farther from the centre
    double least_radius = 0.0;    ///< no ball that contains all rows is smaller
    std::vector<double> weights;  ///< the centre as a convex combination of the rows
    index_t iterations = 0;
};

/// Stops when radius^2 - least_radius^2 <= tolerance radius^2, or after `max_iterations` steps.
/// `diagonal` has the values k(x_i, x_i), which replace entry i of row i.
///
/// Cost: two rows of K and O(n) per step. Throws InvalidArgument when there are no rows or the
/// tolerance is not > 0, Interrupted.
[[nodiscard]] EnclosingBall enclosing_ball(std::span<const double> diagonal, const GramRow& row,
                                           Context& context, double tolerance = 1e-6,
                                           index_t max_iterations = 2000);

}  // namespace mercer
