// SPDX-License-Identifier: Apache-2.0
//
// src/search/refine.cpp - grids that narrow around the best point of the previous one.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "mercer/base/error.hpp"
#include "mercer/data/fingerprint.hpp"
#include "mercer/fit/checkpoint.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/search/select.hpp"
#include "search/choice.hpp"
#include "search/grid.hpp"
#include "search/try_grid.hpp"

namespace mercer {

namespace {

/// The distinct values of an axis, ascending.
std::vector<double> sorted_values(const GridAxis& axis) {
    std::vector<double> values = axis.values;
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
}

/// The value that continues the sequence `before`, `from`.
double next_value(double before, double from, bool factors) {
    return factors ? from * (from / before) : from + (from - before);
}

double half_way(double a, double b, bool factors) {
    return factors ? std::sqrt(a) * std::sqrt(b) : 0.5 * (a + b);
}

/// The neighbours of the value at `place`, extrapolated at an edge.
std::pair<double, double> neighbours(const std::vector<double>& values, std::size_t place) {
    const bool factors = search::by_factors(values);
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

/// Whether the hyperparameter can have that value.
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
    const bool factors = search::by_factors(values);
    const auto [lower, upper] = neighbours(values, place_of(values, value));
    out.values = {lower, half_way(lower, value, factors), value, half_way(value, upper, factors),
                  upper};
    if (axis.name == "degree") {
        std::transform(out.values.begin(), out.values.end(), out.values.begin(),
                       [](double one) { return std::round(one); });
    }
    const bool negative = values.front() < 0.0;  // a kernel hyperparameter that may be negative
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

/// The later table appended to the earlier one, each combination once, and a choice among all.
SelectResult joined(SelectResult earlier, SelectResult later, SelectionRule rule) {
    for (SelectRow& row : later.table) {
        const bool known =
            std::any_of(earlier.table.begin(), earlier.table.end(),
                        [&](const SelectRow& other) { return other.values == row.values; });
        if (!known) {
            earlier.table.push_back(std::move(row));
        }
    }
    earlier.one_decomposition = later.one_decomposition && earlier.one_decomposition;
    search::choose(earlier, rule);
    return earlier;
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

namespace {

/// The successive searches of one selection.
class Refinement {
public:
    Refinement(const Dataset& data, const SelectOptions& options, Context& context)
        : data_(data), wanted_(options), context_(context) {
        if (options.search.checkpoint != nullptr) {
            options.search.checkpoint->begin(fingerprint_of(data),
                                             search::description(data, options, context));
            memory_.emplace(*options.search.checkpoint);
        }
    }

    SelectResult run(index_t rounds) {
        result_ = search::try_wanted(data_, wanted_, memory(), context_);
        for (index_t k = 0; k < wanted_.search.extensions && extend(); ++k) {
        }
        for (index_t round = 0; round < rounds && result_.unjudged == 0; ++round) {
            wanted_.grid = grid_around(best_values(result_, wanted_.grid.size()), wanted_.grid);
            try_more(wanted_);
        }
        return std::move(result_);
    }

private:
    [[nodiscard]] search::FoldMemory* memory() { return memory_ ? &*memory_ : nullptr; }

    /// Tries the value beyond the first edge at which the best lies, with all values of the other
    /// names. False if there is no such edge, or after a stop.
    bool extend() {
        const std::vector<GridEdge> edges = edges_of_best(result_, wanted_.grid);
        if (edges.empty() || result_.unjudged > 0) {
            return false;
        }
        const GridEdge& edge = edges.front();
        SelectOptions beyond = wanted_;
        for (std::size_t a = 0; a < wanted_.grid.size(); ++a) {
            if (wanted_.grid[a].name == edge.name) {
                wanted_.grid[a].values.push_back(edge.beyond);
                beyond.grid[a].values = {edge.beyond};
            }
        }
        try_more(beyond);
        return result_.unjudged == 0;
    }

    void try_more(const SelectOptions& options) {
        try {
            SelectResult more = search::try_combinations(
                data_, options, search::combinations(options.grid), memory(), context_);
            if (more.unjudged > 0) {
                result_.unjudged = more.unjudged;
            } else {
                result_ = joined(std::move(result_), std::move(more), options.search.rule);
            }
        } catch (const Interrupted&) {
            result_.unjudged = combinations(options.grid);
        }
    }

    const Dataset& data_;
    SelectOptions wanted_;
    Context& context_;
    std::optional<search::FoldMemory> memory_;
    SelectResult result_;
};

}  // namespace

SelectResult select_refined(const Dataset& data, const SelectOptions& options, index_t rounds,
                            Context& context) {
    search::require_selectable(data, options);
    if (options.search.kind != SearchKind::grid && (rounds > 0 || options.search.extensions > 0)) {
        throw InvalidArgument("refine, extend: go with the search grid");
    }
    const auto flush = [&] {
        if (options.search.checkpoint != nullptr) {
            options.search.checkpoint->flush();
        }
    };
    SelectResult result;
    try {
        result = Refinement(data, options, context).run(rounds);
    } catch (const Interrupted&) {  // saves evaluated folds, although no combination is complete
        flush();
        throw;
    }
    flush();
    search::refit_best(data, options, result, context);
    return result;
}

}  // namespace mercer
