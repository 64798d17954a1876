// SPDX-License-Identifier: Apache-2.0
//
// src/search/grid.hpp - the combinations of a grid, and the options they set.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "mercer/fit/train.hpp"
#include "mercer/search/select.hpp"

namespace mercer::search {

inline constexpr index_t kMostCombinations = 1'000'000;

/// True for the names of the weight of the losses relative to 1/2 |f|^2: C, lambda, alpha.
[[nodiscard]] bool weighs_losses(std::string_view name);

/// True for the name that increases with that weight: C.
[[nodiscard]] bool is_cost(std::string_view name);

/// Sets the option with that name.
void set_value(TrainOptions& options, std::string_view name, double value);

/// True for ascending values with factors as steps: all are positive, and the steps grow.
[[nodiscard]] bool by_factors(const std::vector<double>& values);

/// All combinations, the last axis varies fastest. Throws InvalidArgument for an axis without
/// values, or too many combinations.
[[nodiscard]] std::vector<std::vector<double>> combinations(const std::vector<GridAxis>& grid);

/// Groups of combinations that differ only in the weight of the losses, in the order of the grid:
/// what depends on a kernel is then computed once, whatever the order of the axes.
[[nodiscard]] std::vector<std::vector<std::size_t>> by_kernel(
    const std::vector<GridAxis>& axes, const std::vector<std::vector<double>>& grid);

}  // namespace mercer::search
