// SPDX-License-Identifier: Apache-2.0
//
// src/report/recipe_of.hpp - what a model was trained with, read back from it.
#pragma once

#include <string>

#include "mercer/base/result.hpp"
#include "mercer/fit/train.hpp"
#include "mercer/models/model.hpp"

namespace mercer::report {

/// Options that train a model like this one, and the command line that says the same.
struct Recipe {
    TrainOptions options;
    std::string words;    ///< options of `mercer train`
    std::string missing;  ///< why there is no recipe; empty: there is one
};

[[nodiscard]] Recipe recipe_of(const Model& model);

}  // namespace mercer::report
