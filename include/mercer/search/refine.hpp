// SPDX-License-Identifier: Apache-2.0
//
// mercer/search/refine.hpp - where the best of a grid lies in it, and finer grids around it.
#pragma once

#include <string>
#include <vector>

#include "mercer/search/select.hpp"

namespace mercer {

/// A name whose best value is the least or the greatest of its grid: a better one may lie beyond.
struct GridEdge {
    std::string name;
    double value = kNaN;
    bool greatest = false;  ///< false: it is the least
    double beyond = kNaN;   ///< the next value in that direction, by the step of the grid
};

/// The edges that the best combination lies on. A grid of one value has none.
[[nodiscard]] std::vector<GridEdge> edges_of_best(const SelectResult& result,
                                                  const std::vector<GridAxis>& grid);

/// A grid around the values: of each name its neighbours in `grid` (beyond an edge the value that
/// follows by the step of the grid), and the two values half way to them. Half way is the geometric
/// mean where the grid's steps are factors, and a whole number for `degree`.
[[nodiscard]] std::vector<GridAxis> grid_around(const std::vector<double>& values,
                                                const std::vector<GridAxis>& grid);

/// select_model(), and then so many times again on a grid around the best. The table holds every
/// combination once, in the order of their trial. A stop leaves the best of the last grid that was
/// tried as a whole, and counts what it left out.
[[nodiscard]] SelectResult select_refined(const Dataset& data, const SelectOptions& options,
                                          index_t rounds, Context& context);

}  // namespace mercer
