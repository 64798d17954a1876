// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/active_sets.hpp - the loop the coordinate solvers share: solve on the active
// variables, bring the others up to date, look again.
#pragma once

#include <optional>

#include "mercer/runtime/state_keeper.hpp"
#include "mercer/solvers/status.hpp"
#include "solvers/dual_variables.hpp"

namespace mercer {

/// How the active variables ended while the others lag behind; nothing when there is no such end.
using PendingStatus = std::optional<SolveStatus>;

inline void save_pending(StateWriter& state, const PendingStatus& pending) {
    state.number(pending ? static_cast<index_t>(*pending) : index_t{-1});
}

[[nodiscard]] inline PendingStatus read_pending(StateReader& state) {
    const index_t pending = state.integer(-1, static_cast<index_t>(SolveStatus::reduced));
    return pending < 0 ? PendingStatus() : static_cast<SolveStatus>(pending);
}

/// `solve_active` works on the active variables to its own end. `look_again`, with all values right
/// again, is told that end and says whether it is the end of all.
template <class SolveActive, class LookAgain>
SolveStatus solve_on_active_sets(DualVariables& vars, PendingStatus& pending, Context& context,
                                 const SolveActive& solve_active, const LookAgain& look_again) {
    while (true) {
        if (!pending) {
            const SolveStatus status = solve_active();
            vars.store();
            if (status == SolveStatus::interrupted || !vars.shrunk()) {
                return status;
            }
            pending = status;
        }
        vars.restore_values(context);  // a stop in here leaves `pending` to go on with
        const SolveStatus status = *pending;
        if (look_again(status)) {
            return status;
        }
    }
}

}  // namespace mercer
