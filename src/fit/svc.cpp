// SPDX-License-Identifier: Apache-2.0
//
// src/fit/svc.cpp - the support vector classifier: hinge loss, costs C w_class w_row.
#include "fit/recipe.hpp"
#include "mercer/solvers/solve.hpp"

namespace mercer::fit {

TrainResult train_svc(const Dataset& data, const TrainOptions& options, Context& context) {
    const ClassMachine machine{"svc", HingeLoss{}, kDefaultGapTolerance, solve, {}};
    return train_classes(data, options, machine, context);
}

}  // namespace mercer::fit
