// SPDX-License-Identifier: Apache-2.0
//
// src/search/refine.cpp - grids that close in on the best of the one before.
#include <algorithm>
#include <cmath>
#include <utility>

#include "mercer/base/error.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/search/select.hpp"

namespace mercer {

namespace {

/// The values of an axis, ascending, each once.
std::vector<double> sorted_values(const GridAxis& axis) {
    std::vector<double> values = axis.values;
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
}

/// Steps of a grid are factors when all values are positive and the steps grow.
bool by_factors(const std::vector<double>& values) {
    const std::size_t n = values.size();
    return n >= 2 && values.front() > 0.0 &&
           (n == 2 || values[n - 1] - values[n - 2] > 1.5 * (values[1] - values[0]));
}

/// The number that follows `from` when `before` is in front of it.
double next_value(double before, double from, bool factors) {
    return factors ? from * (from / before) : from + (from - before);
}

double half_way(double a, double b, bool factors) {
    return factors ? std::sqrt(a) * std::sqrt(b) : 0.5 * (a + b);
}

/// What lies on both sides of the value at `place`, also beyond an edge.
std::pair<double, double> neighbours(const std::vector<double>& values, std::size_t place) {
    const bool factors = by_factors(values);
    const double lower = place > 0 ? values[place - 1] : next_value(values[1], values[0], factors);
    const double upper = place + 1 < values.size()
                             ? values[place + 1]
                             : next_value(values[place - 1], values[place], factors);
    return {lower, upper};
}

std::size_t place_of(const std::vector<double>& values, double value) {
    const auto found = std::lower_bound(values.begin(), values.end(), value);
    return static_cast<std::size_t>(std::min(found, values.end() - 1) - values.begin());
}

/// Values that the name can have.
bool is_possible(const std::string& name, double value) {
    const bool from_zero = name == "epsilon" || name == "alpha" || name == "lambda";
    return std::isfinite(value) && (from_zero ? value >= 0.0 : value > 0.0) &&
           (name != "nu" || value <= 1.0);
}

GridAxis axis_around(double value, const GridAxis& axis) {
    const std::vector<double> values = sorted_values(axis);
    GridAxis out{axis.name, {value}};
    if (values.size() < 2) {
        return out;
    }
    const bool factors = by_factors(values);
    const auto [lower, upper] = neighbours(values, place_of(values, value));
    out.values = {lower, half_way(lower, value, factors), value, half_way(value, upper, factors),
                  upper};
    if (axis.name == "degree") {
        std::transform(out.values.begin(), out.values.end(), out.values.begin(),
                       [](double one) { return std::round(one); });
    }
    const bool negative = values.front() < 0.0;  // a parameter of a kernel that may be so
    std::erase_if(out.values,
                  [&](double one) { return !negative && !is_possible(axis.name, one); });
    out.values = sorted_values(out);
    return out;
}

/// The values of the best combination, without that of a path.
std::vector<double> best_values(const SelectResult& result, std::size_t count) {
    const std::vector<double>& values = result.table[result.best].values;
    return {values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count)};
}

/// The later table behind the earlier one, each combination once; the best is the later one's.
SelectResult joined(SelectResult earlier, SelectResult later) {
    std::vector<SelectRow> table = std::move(earlier.table);
    std::vector<std::size_t> places;
    for (SelectRow& row : later.table) {
        const auto same = std::find_if(table.begin(), table.end(), [&](const SelectRow& other) {
            return other.values == row.values;
        });
        places.push_back(static_cast<std::size_t>(same - table.begin()));
        if (same == table.end()) {
            table.push_back(std::move(row));
        }
    }
    later.best = places[later.best];
    later.table = std::move(table);
    later.one_decomposition = later.one_decomposition && earlier.one_decomposition;
    return later;
}

index_t combinations(const std::vector<GridAxis>& grid) {
    index_t count = 1;
    for (const GridAxis& axis : grid) {
        count *= static_cast<index_t>(axis.values.size());
    }
    return count;
}

}  // namespace

std::vector<GridEdge> edges_of_best(const SelectResult& result, const std::vector<GridAxis>& grid) {
    std::vector<GridEdge> edges;
    const std::vector<double> best = best_values(result, grid.size());
    for (std::size_t a = 0; a < grid.size(); ++a) {
        const std::vector<double> values = sorted_values(grid[a]);
        if (values.size() < 2) {
            continue;
        }
        const std::size_t place = place_of(values, best[a]);
        const bool greatest = place + 1 == values.size();
        const auto [lower, upper] = neighbours(values, place);
        const double beyond = greatest ? upper : lower;
        if ((greatest || place == 0) && is_possible(grid[a].name, beyond)) {
            edges.push_back({grid[a].name, best[a], greatest, beyond});
        }
    }
    return edges;
}

std::vector<GridAxis> grid_around(const std::vector<double>& values,
                                  const std::vector<GridAxis>& grid) {
    std::vector<GridAxis> around;
    for (std::size_t a = 0; a < grid.size(); ++a) {
        around.push_back(axis_around(values[a], grid[a]));
    }
    return around;
}

SelectResult select_refined(const Dataset& data, const SelectOptions& options, index_t rounds,
                            Context& context) {
    SelectOptions wanted = options;
    SelectResult result = select_model(data, wanted, context);
    for (index_t round = 0; round < rounds && result.unjudged == 0; ++round) {
        wanted.grid = grid_around(best_values(result, wanted.grid.size()), wanted.grid);
        try {
            SelectResult finer = select_model(data, wanted, context);
            if (finer.unjudged > 0) {
                result.unjudged = finer.unjudged;
                break;
            }
            result = joined(std::move(result), std::move(finer));
        } catch (const Interrupted&) {
            result.unjudged = combinations(wanted.grid);
        }
    }
    return result;
}

}  // namespace mercer
