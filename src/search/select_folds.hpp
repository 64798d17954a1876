// SPDX-License-Identifier: Apache-2.0
//
// src/search/select_folds.hpp - the folds a selection is judged by.
#pragma once

#include <string>
#include <vector>

#include "mercer/data/split.hpp"
#include "mercer/search/select.hpp"

namespace mercer::search {

/// Folds of rows, of whole groups (queries for a ranking), of stretches of time, of one row each, or
/// those that were given; one division after the other when they are repeated. Throws
/// InvalidArgument for choices that do not go together or do not fit the data.
[[nodiscard]] std::vector<Split> folds_of(const Dataset& data, const SelectOptions& options,
                                          Context& context);

/// Folds of one division among so many.
[[nodiscard]] index_t folds_per_division(const SelectOptions& options, std::size_t folds);

/// What the names of the measures begin with: `cv_`, `loo_` or `validation_`.
[[nodiscard]] std::string prefix_of(const SelectOptions& options);

}  // namespace mercer::search
