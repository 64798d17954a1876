// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/moving_dual.hpp - a parametric dual: its numbers are linear in a parameter t.
#pragma once

#include <array>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/problems/problem.hpp"

namespace mercer {

/// A number that is linear in the parameter: start + t * rate.
struct Moving {
    double start = 0.0;
    double rate = 0.0;

    [[nodiscard]] double at(double t) const noexcept { return start + t * rate; }
};

/// One row of the parametric dual (problems/problem.hpp, DualTerm).
struct MovingTerm {
    Moving lower;
    Moving upper;
    Moving linear;
    Moving width;
    double ridge = 0.0;
    bool kinked = false;  ///< |b| has a kink inside the box

    /// The side of zero that the box is on, for a row without a kink inside its box.
    [[nodiscard]] double only_side(double t) const { return upper.at(t) > 0.0 ? 1.0 : -1.0; }
};

/// The parametric dual of `problem`. A group is a set of rows with a sum constraint: all rows
/// (intercept or mass), or those above zero and those below (both).
struct MovingDual {
    const Problem* problem = nullptr;  ///< for its rows and kernel
    std::vector<MovingTerm> terms;
    int groups = 0;
    std::array<Moving, 2> sums;
    bool tube = false;  ///< the groups are the sides of a tube, whose width is 0 where they meet

    [[nodiscard]] index_t size() const noexcept { return static_cast<index_t>(terms.size()); }
};

/// The dual of the problem with constant numbers.
[[nodiscard]] MovingDual fixed_dual(const Problem& problem);

}  // namespace mercer
