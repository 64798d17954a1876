// SPDX-License-Identifier: Apache-2.0
//
// src/fit/kept_run.hpp - a training run with a checkpoint: what it is, and its finished parts.
#pragma once

#include <optional>
#include <string>

#include "fit/calibrate.hpp"
#include "mercer/fit/checkpoint.hpp"
#include "mercer/fit/train.hpp"
#include "mercer/solvers/solve.hpp"

namespace mercer::fit {

/// What is kept of a two-class machine or a regression that was solved.
struct KeptResult {
    Solution solution;
    std::optional<Sigmoid> sigmoid;  ///< none: still to be learned, or not wanted
};

[[nodiscard]] std::string kept_bytes(const KeptResult& result);

/// The result the slot has for a problem of that many rows, if any. Throws DataError.
[[nodiscard]] std::optional<KeptResult> kept_result(const CheckpointSlot* slot, index_t size);

/// solve(problem, options, context) unless the slot (may be null) has its result already; the slot
/// keeps the state on the way and the result in the end.
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
