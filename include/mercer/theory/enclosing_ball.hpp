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

/// A ball that holds all rows, and a proof that none is much smaller.
struct EnclosingBall {
    double radius = 0.0;          ///< every row is within it of the centre
    double least_radius = 0.0;    ///< no ball that holds all rows has a smaller one
    std::vector<double> weights;  ///< of the rows in the centre; >= 0, sum 1
    index_t iterations = 0;
};

/// Finds the ball up to radius^2 - least_radius^2 <= tolerance radius^2, or what `max_iterations`
/// steps give. `diagonal` has the values k(x_i, x_i); the entry i of row i is taken from it.
///
/// Cost: two rows of K and O(n) per step. Throws InvalidArgument when there are no rows or the
/// tolerance is not > 0, Interrupted.
[[nodiscard]] EnclosingBall enclosing_ball(std::span<const double> diagonal, const GramRow& row,
                                           Context& context, double tolerance = 1e-6,
                                           index_t max_iterations = 2000);

}  // namespace mercer
