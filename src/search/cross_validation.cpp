// SPDX-License-Identifier: Apache-2.0
//
// src/search/cross_validation.cpp - train on all folds but one, predict that one.
#include "mercer/search/cross_validation.hpp"

#include "mercer/fit/folds.hpp"
#include "mercer/fit/machines.hpp"

namespace mercer {

std::vector<double> cross_validate(const Dataset& data, const TrainOptions& options, index_t folds,
                                   Context& context, const fit::FoldListener& listener) {
    require_trainable(data, options.model);
    std::vector<double> predicted = fit::held_out_predictions(
        data, fit::seeded_folds(data, folds, context), options, context, listener);
    if (machine_of(options.model).task == Task::inliers) {
        for (double& value : predicted) {
            value = value > 0.0 ? 1.0 : -1.0;
        }
    }
    return predicted;
}

}  // namespace mercer
