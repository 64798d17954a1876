// SPDX-License-Identifier: Apache-2.0
//
// mercer/search/cross_validation.hpp - what machines say of rows they have not seen.
#pragma once

#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/data/dataset.hpp"
#include "mercer/fit/folds.hpp"
#include "mercer/fit/train.hpp"

namespace mercer {

class Context;

/// For each row the prediction of the machine trained on the other folds: the class index, the
/// value of a regression, or 1 inside and -1 outside. Folds keep the share of every class and depend on the context's seed
/// alone. `folds` is at most the number of rows. Throws what train() throws.
///
/// A class that a fold's training rows lack is left out of that fold's machine; when only one class
/// is left it is the prediction. `listener` is told of every machine.
[[nodiscard]] std::vector<double> cross_validate(const Dataset& data, const TrainOptions& options,
                                                 index_t folds, Context& context,
                                                 const fit::FoldListener& listener = {});

}  // namespace mercer
