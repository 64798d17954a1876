// SPDX-License-Identifier: Apache-2.0
//
// python/mercer/_engine/search.cpp - many machines, and the one that is best on rows it did not see.
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>

#include "bindings.hpp"
#include "options.hpp"
#include "results.hpp"

namespace mercer::python {

namespace {

struct Search {
    SelectOptions options;
    index_t rounds = 0;  ///< number of finer grids around the best
    index_t nested = 0;  ///< outer folds; 0: none
};

using Rows = nb::ndarray<const index_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::vector<index_t> numbers_of(const nb::handle& array) {
    const auto rows = nb::cast<Rows>(array);
    return {rows.data(), rows.data() + rows.size()};
}

/// How rows are divided: by groups, or into given folds.
FoldChoices division_of(const nb::dict& judged) {
    FoldChoices choices;
    if (judged.contains("groups")) {
        choices.groups = numbers_of(judged["groups"]);
    }
    if (judged.contains("given")) {
        for (const nb::handle fold : judged["given"]) {
            GivenFold split{numbers_of(fold[0]), numbers_of(fold[1])};
            std::sort(split.train.begin(), split.train.end());
            std::sort(split.test.begin(), split.test.end());
            choices.given.push_back(std::move(split));
        }
    }
    return choices;
}

void set_search(OptionSetter& setter, SearchChoices& choices) {
    std::string kind = "grid";
    std::string rule = "best";
    setter.choice("search", kind, {"grid", "random", "halving"}, "");
    setter.choice("rule", rule, {"best", "one-standard-error"}, "");
    setter.integer("draws", choices.draws, Range::non_negative(), "");
    setter.integer("extend", choices.extensions, Range::non_negative(), "");
    choices.kind = kind == "random"    ? SearchKind::random
                   : kind == "halving" ? SearchKind::halving
                                       : SearchKind::grid;
    choices.rule = rule == "best" ? SelectionRule::best : SelectionRule::one_standard_error;
}

Search search_of(const nb::dict& machine, const nb::dict& grid, const nb::dict& judged) {
    Search search;
    SelectOptions& options = search.options;
    options.train = train_options(machine);
    for (const auto& [name, values] : grid) {
        options.grid.push_back(
            {nb::cast<std::string>(name), nb::cast<std::vector<double>>(values)});
    }
    options.division = division_of(judged);
    nb::dict plain;
    for (const auto& [name, value] : judged) {
        const auto word = nb::cast<std::string>(name);
        if (word != "groups" && word != "given") {
            plain[name] = value;
        }
    }
    OptionSetter setter(plain);
    setter.integer("repeats", options.division.repeats, Range::at_least(1.0), "");
    setter.flag("time_ordered", options.division.time_ordered, "");
    set_search(setter, options.search);
    setter.integer("nested", search.nested, Range::non_negative(), "");
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
        nb::dict beside;
        beside["scores"] = nb::cast(row.scores);
        beside["standard_error"] = row.standard_error;
        beside["converged"] = row.converged;
        beside["rows"] = row.rows;
        table.append(nb::make_tuple(nb::cast(row.values), measures, beside));
    }
    return table;
}

nb::dict estimate_dict(const MeanEstimate& estimate) {
    nb::dict out;
    out["mean"] = estimate.mean;
    out["standard_error"] = estimate.standard_error;
    out["lower"] = estimate.lower;
    out["upper"] = estimate.upper;
    return out;
}

/// The uncertainty of the choice: the comparison with the second best, and the nested estimate.
void put_certainty(const SelectResult& result, const std::optional<NestedResult>& nested,
                   nb::dict& out) {
    out["top"] = result.top;
    out["runner_up"] = nb::none();
    out["nested"] = nb::none();
    if (result.runner_up) {
        nb::dict pair = estimate_dict(result.runner_up->comparison.difference);
        pair["p_value"] = result.runner_up->comparison.p_value;
        pair["row"] = result.runner_up->row;
        out["runner_up"] = pair;
    }
    if (nested) {
        nb::dict outer = estimate_dict(nested->estimate);
        outer["measure"] = nested->measure;
        outer["scores"] = nb::cast(nested->scores);
        outer["choices"] = nb::cast(nested->choices);
        out["nested"] = outer;
    }
}

nb::dict select(const Dataset& data, const nb::dict& machine, const nb::dict& grid,
                const nb::dict& judged, const nb::dict& settings) {
    const Search search = search_of(machine, grid, judged);
    Call call(settings);
    std::optional<SelectResult> result;
    std::optional<NestedResult> nested;
    try {
        call.run([&] {
            result = select_refined(data, search.options, search.rounds, call.context());
            if (search.nested > 0 && result->unjudged == 0) {
                nested = nested_estimate(data, search.options, search.nested, search.rounds,
                                         call.context());
            }
        });
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
    put_certainty(*result, nested, out);
    nb::list edges;
    const bool drawn = search.options.search.draws > 0;
    for (const GridEdge& edge :
         drawn ? std::vector<GridEdge>() : edges_of_best(*result, search.options.grid)) {
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
