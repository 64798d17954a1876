// SPDX-License-Identifier: Apache-2.0
//
// mercer/solvers/solution_state.hpp - a solution as part of a saved state (runtime/state_keeper).
#pragma once

#include "mercer/base/types.hpp"
#include "mercer/solvers/solve.hpp"

namespace mercer {

class StateReader;
class StateWriter;

/// Writes the coefficients, certificate, status, iterations and the solver's name, not the seconds.
void save_solution(const Solution& solution, StateWriter& state);

/// The solution of a problem of `size` rows. Throws DataError when the state is not such a
/// solution.
[[nodiscard]] Solution restore_solution(index_t size, StateReader& state);

}  // namespace mercer
