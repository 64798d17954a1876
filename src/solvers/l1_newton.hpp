// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/l1_newton.hpp - Newton's method on the coefficients that are not zero.
#pragma once

#include <span>

#include "mercer/base/types.hpp"
#include "solvers/l1_state.hpp"

namespace mercer {

class Context;

/// Newton steps on the coefficients of `members` (all nonzero, columns[k] is K's column of
/// members[k]) and the intercept, their signs kept: a coefficient that would change its sign stops
/// at 0 and is left out. Ends when the violations among them are at most `tolerance`, when nothing
/// moves, or after `most` steps. Returns the number of steps. Does nothing when the matrix does not
/// fit the memory. Throws Interrupted.
index_t newton_on_support(L1State& state, std::span<const index_t> members,
                          std::span<const float* const> columns, double tolerance, index_t most,
                          Context& context);

}  // namespace mercer
