// SPDX-License-Identifier: Apache-2.0
//
// src/search/try_grid.hpp - a list of combinations, each judged; what every search is made of.
#pragma once

#include <string>
#include <vector>

#include "mercer/search/select.hpp"
#include "search/fold_memory.hpp"

namespace mercer::search {

/// Values in the order of the grid.
using Combination = std::vector<double>;

/// The machine at these values; of the path too, when there is one and it has a value.
[[nodiscard]] TrainOptions options_at(const SelectOptions& options, const Combination& values);

/// Throws InvalidArgument for options that do not go together, or do not fit the data.
void require_selectable(const Dataset& data, const SelectOptions& options);

/// Judges the combinations and chooses among them; nothing is trained on all rows, but some of a time
/// limit is kept back when that is to follow. A stop leaves the ones judged so far; throws
/// Interrupted when there are none. `memory` may be null.
[[nodiscard]] SelectResult try_combinations(const Dataset& data, const SelectOptions& options,
                                            const std::vector<Combination>& combinations,
                                            FoldMemory* memory, Context& context);

/// The combinations of the options: all of the grid, or random draws.
[[nodiscard]] std::vector<Combination> wanted_combinations(const SelectOptions& options,
                                                           const Context& context);

/// The search that the options ask for, without extensions and finer grids.
[[nodiscard]] SelectResult try_wanted(const Dataset& data, const SelectOptions& options,
                                      FoldMemory* memory, Context& context);

/// Everything the table depends on beside the rows, as lines `name=value`.
[[nodiscard]] std::string description(const Dataset& data, const SelectOptions& options,
                                      const Context& context);

/// The machine of the best values on all rows, when it is asked for.
void refit_best(const Dataset& data, const SelectOptions& options, SelectResult& result,
                Context& context);

}  // namespace mercer::search
