// SPDX-License-Identifier: Apache-2.0
//
// src/fit/kept_run.hpp - a training run with a checkpoint: its description, and its finished parts.
#pragma once

#include <optional>
#include <string>

#include "fit/calibrate.hpp"
#include "mercer/fit/checkpoint.hpp"
#include "mercer/fit/train.hpp"
#include "mercer/solvers/solve.hpp"

namespace mercer::fit {

/// The stored result of a two-class machine or a regression.
struct KeptResult {
    Solution solution;
    std::optional<Sigmoid> sigmoid;  ///< empty: still to be learned, or not requested
};

[[nodiscard]] std::string kept_bytes(const KeptResult& result);

/// The slot's result for a problem of that many rows, if any. Throws DataError.
[[nodiscard]] std::optional<KeptResult> kept_result(const CheckpointSlot* slot, index_t size);

/// Calls solve(problem, options, context) unless the slot (may be null) already has the result; the
/// slot stores the state during the run and the result at the end.
template <typename Solve>
[[nodiscard]] KeptResult solve_kept(const Problem& problem, SolveOptions options,
                                    CheckpointSlot* slot, Context& context, const Solve& solve) {
    if (std::optional<KeptResult> before = kept_result(slot, problem.size())) {
        return std::move(*before);
    }
    options.keeper = slot;
    KeptResult result{solve(problem, options, context), std::nullopt};
    if (slot != nullptr && result.solution.status != SolveStatus::interrupted) {
        slot->finish(kept_bytes(result));
    }
    return result;
}

}  // namespace mercer::fit
