// SPDX-License-Identifier: Apache-2.0
//
// src/search/last_fit.hpp - the final fit of a search on all rows, also after a stop.
#pragma once

#include "mercer/base/error.hpp"
#include "mercer/fit/train.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/solvers/status.hpp"

namespace mercer::search {

/// Passes on a machine that was trained to the end; a stopped one must not be evaluated.
[[nodiscard]] inline TrainResult finished(TrainResult result) {
    if (result.model.status == to_string(SolveStatus::interrupted)) {
        throw Interrupted("select: stopped before it was done");
    }
    return result;
}

/// Trains on all rows. After a stop it gets a short time: most machines finish within it, and the
/// others report their gap.
[[nodiscard]] inline TrainResult last_fit(const Dataset& data, const TrainOptions& options,
                                          Context& context) {
    constexpr double kGrantedSeconds = 0.3;
    if (!context.should_stop()) {
        return train(data, options, context);
    }
    return train(data, options, *Context::granted(context, kGrantedSeconds));
}

}  // namespace mercer::search
