// SPDX-License-Identifier: Apache-2.0
//
// src/search/choice.hpp - which row of a table is taken, and how sure that is.
#pragma once

#include "mercer/search/select.hpp"

namespace mercer::search {

/// The rows that may be taken, the best first: converged ones before others, by the measure; equal
/// ones in the order of the table.
[[nodiscard]] std::vector<std::size_t> ranked(const SelectResult& result);

/// Fills in `top`, `best` and `runner_up`. Rows whose machines did not all converge come after those
/// whose did; rows that were judged on fewer rows than others are not taken. Throws InvalidArgument
/// when the measure is not defined for any row, or the rule has no standard error to go by.
void choose(SelectResult& result, SelectionRule rule);

}  // namespace mercer::search
