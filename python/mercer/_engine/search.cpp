// SPDX-License-Identifier: Apache-2.0
//
// python/mercer/_engine/search.cpp - many machines, and the one that is best on rows it did not see.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "bindings.hpp"
#include "options.hpp"
#include "results.hpp"

namespace mercer::python {

namespace {

struct Search {
    SelectOptions options;
    index_t rounds = 0;  ///< finer grids around the best
};

Search search_of(const nb::dict& machine, const nb::dict& grid, const nb::dict& judged) {
    Search search;
    SelectOptions& options = search.options;
    options.train = train_options(machine);
    for (const auto& [name, values] : grid) {
        options.grid.push_back(
            {nb::cast<std::string>(name), nb::cast<std::vector<double>>(values)});
    }
    OptionSetter setter(judged);
    setter.integer("folds", options.folds, Range::at_least(2.0), "");
    setter.flag("leave_one_out", options.leave_one_out, "");
    setter.flag("warm_start", options.warm_start, "");
    setter.text("metric", options.metric, "");
    setter.integer("refine", search.rounds, Range::non_negative(), "");
    setter.require_all_taken();
    return search;
}

nb::list table_of(const SelectResult& result) {
    nb::list table;
    for (const SelectRow& row : result.table) {
        nb::dict measures;
        for (const auto& [name, value] : row.measures) {
            measures[name.c_str()] = value;
        }
        table.append(nb::make_tuple(nb::cast(row.values), measures));
    }
    return table;
}

nb::dict select(const Dataset& data, const nb::dict& machine, const nb::dict& grid,
                const nb::dict& judged, const nb::dict& settings) {
    const Search search = search_of(machine, grid, judged);
    Call call(settings);
    std::optional<SelectResult> result;
    try {
        call.run(
            [&] { result = select_refined(data, search.options, search.rounds, call.context()); });
    } catch (const Interrupted&) {
        call.raise_if_stopped();
        throw;
    }
    nb::dict out;
    out["names"] = nb::cast(result->names);
    out["table"] = table_of(*result);
    out["best"] = result->best;
    out["measure"] = result->measure;
    out["unjudged"] = result->unjudged;
    nb::list edges;
    for (const GridEdge& edge : edges_of_best(*result, search.options.grid)) {
        edges.append(nb::make_tuple(edge.name, edge.value, edge.beyond));
    }
    out["edges"] = edges;
    out["refit"] = result_dict(std::move(*result->refit), call);
    return out;
}

}  // namespace

void bind_search(nb::module_& module) {
    module.def("select", &select, nb::arg("data"), nb::arg("machine"), nb::arg("grid"),
               nb::arg("judged"), nb::arg("settings"),
               "Tries every combination, and trains with the best on all rows.");
    module.def(
        "grid_values",
        [](const std::string& name, const std::string& text) {
            const Result<GridAxis> axis = parse_grid_axis(name + "=" + text);
            if (!axis) {
                throw InvalidArgument("grid: " + axis.diagnostic().message);
            }
            return axis.value().values;
        },
        "The numbers of `0.1,1,10` or `0.1:100:log10`.");
}

}  // namespace mercer::python
