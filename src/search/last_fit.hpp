// SPDX-License-Identifier: Apache-2.0
//
// src/search/last_fit.hpp - the machine of all rows that a search ends with, after a stop as well.
#pragma once

#include "mercer/base/error.hpp"
#include "mercer/fit/train.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/status.hpp"

namespace mercer::search {

/// A machine that is trained to its end; one that was stopped is not to be judged by.
[[nodiscard]] inline TrainResult finished(TrainResult result) {
    if (result.model.status == to_string(SolveStatus::interrupted)) {
        throw Interrupted("select: stopped before it was done");
    }
    return result;
}

/// Trains on all rows. A stop leaves it a moment: most machines are done by then, and the others
/// say how far they are.
[[nodiscard]] inline TrainResult last_fit(const Dataset& data, const TrainOptions& options,
                                          Context& context) {
    constexpr double kGrantedSeconds = 0.3;
    if (!context.should_stop()) {
        return train(data, options, context);
    }
    return train(data, options, *Context::granted(context, kGrantedSeconds));
}

}  // namespace mercer::search
