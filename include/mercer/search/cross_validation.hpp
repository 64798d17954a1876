// SPDX-License-Identifier: Apache-2.0
//
// mercer/search/cross_validation.hpp - predictions for rows by machines trained without them.
#pragma once

#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/data/dataset.hpp"
#include "mercer/fit/folds.hpp"
#include "mercer/fit/train.hpp"

namespace mercer {

class Context;

/// For each row the prediction of the machine trained on the other folds: the class index, the
/// value of a regression, or 1 inside and -1 outside. Folds are stratified by class and depend only
/// on the context's seed. `folds` is at most the number of rows. Throws what train() throws.
///
/// A class without training rows in a fold is left out of that fold's machine; if only one class is
/// left, it is the prediction. `listener` is called with every machine.
[[nodiscard]] std::vector<double> cross_validate(const Dataset& data, const TrainOptions& options,
                                                 index_t folds, Context& context,
                                                 const fit::FoldListener& listener = {});

}  // namespace mercer
