// SPDX-License-Identifier: Apache-2.0
//
// python/mercer/_engine/report.cpp - a model and its rows as one page, and as JSON.
#include <nanobind/stl/string.h>

#include "bindings.hpp"
#include "call.hpp"

namespace mercer::python {

namespace {

/// The page and the JSON text. `data` and `validation` may be None.
nb::tuple report(const Model& model, const nb::object& data, const nb::object& validation,
                 const nb::dict& wanted, const nb::dict& settings) {
    ReportSources sources;
    sources.data = data.is_none() ? nullptr : nb::cast<const Dataset*>(data);
    sources.validation = validation.is_none() ? nullptr : nb::cast<const Dataset*>(validation);
    ReportOptions options;
    options.title = nb::cast<std::string>(wanted["title"]);
    options.verify = nb::cast<bool>(wanted["verify"]);
    options.refits = nb::cast<bool>(wanted["refits"]);
    options.version = MERCER_VERSION;
    Call call(settings);
    std::string page;
    std::string json;
    try {
        call.run([&] {
            const Report found = make_report(model, sources, options, call.context());
            page = report_page(found);
            json = report_json(found);
        });
    } catch (const Interrupted&) {
        call.raise_if_stopped();
        throw;
    }
    call.raise_if_stopped();
    return nb::make_tuple(page, json);
}

}  // namespace

void bind_report(nb::module_& module) {
    module.def("report", &report, nb::arg("model"), nb::arg("data").none(),
               nb::arg("validation").none(), nb::arg("options"), nb::arg("settings"),
               "A model and its rows as an HTML page and as JSON text.");
}

}  // namespace mercer::python
