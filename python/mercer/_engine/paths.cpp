// SPDX-License-Identifier: Apache-2.0
//
// python/mercer/_engine/paths.cpp - one machine for every value of a hyperparameter.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "arrays.hpp"
#include "bindings.hpp"
#include "options.hpp"
#include "results.hpp"

namespace mercer::python {

namespace {

PathOptions path_options(const nb::dict& machine, const nb::dict& range) {
    PathOptions options;
    options.machine = train_options(machine);
    OptionSetter setter(range);
    setter.text("over", options.over, "");
    setter.number("from", options.from, Range::any(), "");
    setter.number("to", options.to, Range::any(), "");
    setter.text("weight_class", options.weight_class, "");
    setter.require_all_taken();
    return options;
}

Path traced(const Dataset& data, const nb::dict& machine, const nb::dict& range,
            const nb::dict& settings) {
    const PathOptions options = path_options(machine, range);
    Call call(settings);
    std::optional<Path> path;
    call.run([&] { path = trace(data, options, call.context()); });
    call.raise_if_stopped();
    return std::move(*path);
}

/// The path with the score of other rows along it.
Path scored(const Path& path, const Dataset& validation, const nb::dict& settings) {
    Call call(settings);
    std::optional<Path> again;
    call.run([&] { again = trace(path.data(), path.options(), validation, call.context()); });
    call.raise_if_stopped();
    return std::move(*again);
}

nb::dict at(const Path& path, double value, const nb::dict& settings) {
    Call call(settings);
    std::optional<TrainResult> result;
    call.run([&] { result = path.at(value, call.context()); });
    return result_dict(std::move(*result), call);
}

nb::object predict(const Path& path, const Dataset& rows, double value, const nb::dict& settings) {
    Call call(settings);
    std::vector<double> values;
    call.run([&] { values = path.predict(rows, value, call.context()); });
    call.raise_if_stopped();
    return to_numpy(std::move(values));
}

/// (value, free rows, support, dual, |f|^2) of each knot.
nb::list knots(const Path& path) {
    nb::list out;
    for (const PathKnot& knot : path.knots()) {
        out.append(nb::make_tuple(knot.t, knot.free, knot.support, knot.dual, knot.squared_norm));
    }
    return out;
}

nb::object score(const Path& path) {
    if (!path.score) {
        return nb::none();
    }
    std::vector<double> values;
    std::vector<double> scores;
    for (const PathScore::Point& point : path.score->points) {
        values.push_back(point.value);
        scores.push_back(point.score);
    }
    nb::dict out;
    out["measure"] = path.score->measure;
    out["values"] = to_numpy(std::move(values));
    out["scores"] = to_numpy(std::move(scores));
    out["best_value"] = path.score->best_value;
    out["best_score"] = path.score->best_score;
    out["best_range"] = nb::make_tuple(path.score->best_from, path.score->best_to);
    return out;
}

nb::bytes to_bytes(const Path& path) {
    MemoryFiles files;
    save_path(path, "path", files);
    const std::string& bytes = files.contents["path"];
    return nb::bytes(bytes.data(), bytes.size());
}

Path from_bytes(const nb::bytes& bytes) {
    Context context({.threads = 1});
    MemoryFiles files;
    files.contents["path"] = std::string(bytes.c_str(), bytes.size());
    return load_path("path", context, files).value();
}

}  // namespace

void bind_paths(nb::module_& module) {
    nb::class_<Path>(module, "Path")
        .def_prop_ro("knots", &knots)
        .def_prop_ro("score", &score)
        .def_prop_ro("labels", [](const Path& path) { return path.data().label_names; })
        .def_prop_ro("columns", [](const Path& path) { return path.data().columns(); })
        .def_prop_ro("over", [](const Path& path) { return path.options().over; })
        .def_prop_ro("machine", [](const Path& path) { return path.options().machine.model; })
        .def_prop_ro("from_value", [](const Path& path) { return path.solution().from; })
        .def_prop_ro("to_value", [](const Path& path) { return path.solution().to; })
        .def_prop_ro("complete", [](const Path& path) { return path.solution().complete; })
        .def_prop_ro("restarts", [](const Path& path) { return path.solution().restarts; })
        .def_prop_ro("max_violation",
                     [](const Path& path) { return path.solution().max_violation; })
        .def_prop_ro(
            "status",
            [](const Path& path) { return std::string(to_string(path.solution().status)); })
        .def("at", &at)
        .def("predict", &predict)
        .def("scored", &scored)
        .def("to_bytes", &to_bytes)
        .def_static("from_bytes", &from_bytes)
        .def("save", [](const Path& path, const std::string& file) { save_path(path, file); });
    module.def("trace", &traced, nb::arg("data"), nb::arg("machine"), nb::arg("range"),
               nb::arg("settings"));
    module.def("path_parameters", &path_parameters);
}

}  // namespace mercer::python
