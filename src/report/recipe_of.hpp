// SPDX-License-Identifier: Apache-2.0
//
// src/report/recipe_of.hpp - the training options of a model, recovered from the model.
#pragma once

#include <string>

#include "mercer/base/result.hpp"
#include "mercer/fit/train.hpp"
#include "mercer/models/model.hpp"

namespace mercer::report {

/// Options that train a model like this one, and the equivalent command line.
struct Recipe {
    TrainOptions options;
    std::string words;    ///< options of `mercer train`
    std::string missing;  ///< why there is no recipe; empty if there is one
};

[[nodiscard]] Recipe recipe_of(const Model& model);

}  // namespace mercer::report
