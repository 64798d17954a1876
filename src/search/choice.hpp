// SPDX-License-Identifier: Apache-2.0
//
// src/search/choice.hpp - which row of a table is selected, and its comparison with the next.
#pragma once

#include "mercer/search/select.hpp"

namespace mercer::search {

/// The eligible rows, best first: converged ones before others, then by the measure; ties in the
/// order of the table.
[[nodiscard]] std::vector<std::size_t> ranked(const SelectResult& result);

/// Sets `top`, `best` and `runner_up`. Rows with machines that did not converge come last; rows
/// evaluated on fewer data rows than others are not eligible. Throws InvalidArgument if no row has
/// the measure, or if the rule needs a standard error and there is none.
void choose(SelectResult& result, SelectionRule rule);

}  // namespace mercer::search
