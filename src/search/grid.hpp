// SPDX-License-Identifier: Apache-2.0
//
// src/search/grid.hpp - the combinations of a grid, and where their values go.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "mercer/fit/train.hpp"
#include "mercer/search/select.hpp"

namespace mercer::search {

inline constexpr index_t kMostCombinations = 1'000'000;

/// True for a name of the weight of the losses against 1/2 |f|^2: C, lambda, alpha.
[[nodiscard]] bool weighs_losses(std::string_view name);

/// True for the one that grows with that weight: C.
[[nodiscard]] bool is_cost(std::string_view name);

/// Puts one value of the grid where it belongs.
void set_value(TrainOptions& options, std::string_view name, double value);

/// True for ascending values whose steps are factors: all are positive, and the steps grow.
[[nodiscard]] bool by_factors(const std::vector<double>& values);

/// All combinations, the last axis fastest. Throws InvalidArgument for an axis without values, or
/// too many combinations.
[[nodiscard]] std::vector<std::vector<double>> combinations(const std::vector<GridAxis>& grid);

/// Combinations that differ by the weight of the losses only, in the order of the grid: what is
/// computed for a kernel is then computed once, whatever the order of the axes.
[[nodiscard]] std::vector<std::vector<std::size_t>> by_kernel(
    const std::vector<GridAxis>& axes, const std::vector<std::vector<double>>& grid);

}  // namespace mercer::search
