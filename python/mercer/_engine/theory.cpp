// SPDX-License-Identifier: Apache-2.0
//
// python/mercer/_engine/theory.cpp - separability with its proof, and bounds of the risk.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "arrays.hpp"
#include "bindings.hpp"
#include "call.hpp"
#include "options.hpp"

namespace mercer::python {

namespace {

const char* answer_text(SeparabilityAnswer answer) {
    switch (answer) {
        case SeparabilityAnswer::separable:
            return "separable";
        case SeparabilityAnswer::not_separable:
            return "not separable";
        case SeparabilityAnswer::undecided:
            return "undecided";
    }
    return "";
}

nb::dict separable(const Dataset& data, const std::string& kernel, bool homogeneous,
                   const nb::dict& settings) {
    const Kernel wanted = kernel_of(kernel, std::nullopt);
    const std::vector<double> labels = signed_labels(data);
    Call call(settings);
    Separability found;
    try {
        call.run([&] {
            const KernelRows rows = kernel_rows(wanted, data, call.context());
            found =
                test_separability(rows.rows, labels, {.homogeneous = homogeneous}, call.context());
        });
    } catch (const Interrupted&) {
        call.raise_if_stopped();
        throw;
    }
    nb::dict out;
    out["answer"] = answer_text(found.answer);
    out["w"] = to_numpy(found.separator.w);
    out["b"] = found.separator.b;
    out["margin"] = found.separator.functional_margin;
    out["rows"] = to_numpy(found.hulls.rows);
    out["weights"] = to_numpy(found.hulls.weights);
    out["point"] = to_numpy(found.hulls.point);
    out["exact_check"] = found.exact_check;
    out["reason"] = found.reason;
    return out;
}

nb::tuple bound_of_capacity(index_t rows, index_t dimension, double delta, double risk) {
    const VcBound bound = vc_bound(rows, dimension, delta, risk);
    return nb::make_tuple(bound.bound, bound.complexity_term, bound.informative_rows);
}

}  // namespace

void bind_theory(nb::module_& module) {
    module.def("separable", &separable, nb::arg("data"), nb::arg("kernel"), nb::arg("homogeneous"),
               nb::arg("settings"));
    module.def("vc_bound", &bound_of_capacity, nb::arg("rows"), nb::arg("dimension"),
               nb::arg("delta"), nb::arg("risk"));
    module.def("margin_dimension", &margin_dimension, nb::arg("radius"), nb::arg("norm"));
}

}  // namespace mercer::python
