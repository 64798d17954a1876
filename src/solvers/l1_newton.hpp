// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/l1_newton.hpp - Newton's method on the nonzero coefficients.
#pragma once

#include <span>

#include "mercer/base/types.hpp"
#include "solvers/l1_state.hpp"

namespace mercer {

class Context;

struct NewtonOutcome {
    index_t steps = 0;
    double violation = kInfinity;  ///< the greatest in the set, at the end
};

/// Newton steps on the nonzero coefficients of `set`, on zero ones that violate optimality, and on
/// the intercept; columns[k] is Z's column of set[k]. Ends when the violations in the set are at
/// most `tolerance`, when nothing moves, or after `most` steps. Takes no step if the matrix does
/// not fit the memory. Throws Interrupted.
NewtonOutcome newton_on_set(L1State& state, std::span<const index_t> set,
                            std::span<const double* const> columns, double tolerance, index_t most,
                            Context& context);

}  // namespace mercer
