// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/moving_dual.hpp - a dual whose numbers move with a parameter t.
#pragma once

#include <array>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/problems/problem.hpp"

namespace mercer {

/// A number that moves with the parameter: start + t * rate.
struct Moving {
    double start = 0.0;
    double rate = 0.0;

    [[nodiscard]] double at(double t) const noexcept { return start + t * rate; }
};

/// One row of the dual (problems/problem.hpp, DualTerm) whose numbers move.
struct MovingTerm {
    Moving lower;
    Moving upper;
    Moving linear;
    Moving width;
    double ridge = 0.0;
    bool kinked = false;  ///< |b| has a kink inside the box

    /// The side of zero a coefficient is on that is not at the kink and not across it.
    [[nodiscard]] double only_side(double t) const { return upper.at(t) > 0.0 ? 1.0 : -1.0; }
};

/// The dual of `problem` with numbers that move. A group is a set of rows whose coefficients have a
/// given sum: all rows (intercept or mass), or those above zero and those below (both).
struct MovingDual {
    const Problem* problem = nullptr;  ///< for its rows and kernel
    std::vector<MovingTerm> terms;
    int groups = 0;
    std::array<Moving, 2> sums;
    bool tube = false;  ///< the two groups are the sides of a tube, which closes where they meet

    [[nodiscard]] index_t size() const noexcept { return static_cast<index_t>(terms.size()); }
};

/// The dual of the problem as it is: nothing moves.
[[nodiscard]] MovingDual fixed_dual(const Problem& problem);

}  // namespace mercer
