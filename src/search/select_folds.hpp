// SPDX-License-Identifier: Apache-2.0
//
// src/search/select_folds.hpp - the folds a selection is judged by.
#pragma once

#include <string>
#include <vector>

#include "mercer/data/split.hpp"
#include "mercer/search/select.hpp"

namespace mercer::search {

/// Folds of rows, of whole queries for a ranking, or of one row each.
[[nodiscard]] std::vector<Split> folds_of(const Dataset& data, const SelectOptions& options,
                                          Context& context);

/// What the names of the measures begin with: `cv_`, `loo_` or `validation_`.
[[nodiscard]] std::string prefix_of(const SelectOptions& options);

}  // namespace mercer::search
