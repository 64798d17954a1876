// SPDX-License-Identifier: Apache-2.0
//
// src/search/try_grid.hpp - evaluation of a list of combinations; the building block of all
// searches.
#pragma once

#include <string>
#include <vector>

#include "mercer/search/select.hpp"
#include "search/fold_memory.hpp"

namespace mercer::search {

/// Values in the order of the grid.
using Combination = std::vector<double>;

/// The machine at these values, including that of the path if there is one.
[[nodiscard]] TrainOptions options_at(const SelectOptions& options, const Combination& values);

/// Throws InvalidArgument for options that conflict or do not fit the data.
void require_selectable(const Dataset& data, const SelectOptions& options);

/// Evaluates the combinations and selects one; does not train on all rows, but reserves part of a
/// time limit if that is to follow. A stop leaves the combinations evaluated so far; throws
/// Interrupted if there are none. `memory` may be null.
[[nodiscard]] SelectResult try_combinations(const Dataset& data, const SelectOptions& options,
                                            const std::vector<Combination>& combinations,
                                            FoldMemory* memory, Context& context);

/// The combinations of the options: the whole grid, or random draws.
[[nodiscard]] std::vector<Combination> wanted_combinations(const SelectOptions& options,
                                                           const Context& context);

/// The search that the options specify, without extensions and refinements.
[[nodiscard]] SelectResult try_wanted(const Dataset& data, const SelectOptions& options,
                                      FoldMemory* memory, Context& context);

/// Everything except the rows that the table depends on, as lines `name=value`.
[[nodiscard]] std::string description(const Dataset& data, const SelectOptions& options,
                                      const Context& context);

/// Trains the machine with the best values on all rows, if requested.
void refit_best(const Dataset& data, const SelectOptions& options, SelectResult& result,
                Context& context);

}  // namespace mercer::search
