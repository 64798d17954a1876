// SPDX-License-Identifier: Apache-2.0
//
// src/search/select_folds.hpp - the folds on which a selection is evaluated.
#pragma once

#include <string>
#include <vector>

#include "mercer/data/split.hpp"
#include "mercer/search/select.hpp"

namespace mercer::search {

/// Folds of rows, of whole groups (queries for a ranking), of periods of time, of one row each, or
/// the given ones; if repeated, one division after the other. Throws InvalidArgument for choices
/// that conflict or do not fit the data.
[[nodiscard]] std::vector<Split> folds_of(const Dataset& data, const SelectOptions& options,
                                          Context& context);

/// The number of folds of one division, if there are `folds` in total.
[[nodiscard]] index_t folds_per_division(const SelectOptions& options, std::size_t folds);

/// The prefix of the names of the measures: `cv_`, `loo_` or `validation_`.
[[nodiscard]] std::string prefix_of(const SelectOptions& options);

}  // namespace mercer::search
