// SPDX-License-Identifier: Apache-2.0
//
// python/mercer/_engine/rows.cpp - rows, targets and weights: views of arrays as a Dataset.
//
// Dense float32 and float64 rows are used in place, and so are CSR rows of float64 values with
// columns of 32 or 64 bits. Everything else is for Python to convert.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bindings.hpp"

namespace mercer::python {

namespace {

/// Rows whose values the caller may have checked already: they are then not checked again.
template <typename T>
Dataset dense_rows(InMatrix<T> array, bool checked) {
    const MatrixView<const T> view(array.data(), static_cast<index_t>(array.shape(0)),
                                   static_cast<index_t>(array.shape(1)));
    auto owner = kept_alive(std::move(array));
    return checked ? Dataset::from_checked(view, std::move(owner), nullptr)
                   : Dataset(view, std::move(owner));
}

/// A CSR array is always checked: a wrong index would read out of bounds.
template <typename Index>
Dataset sparse_rows(InVector<double> values, InVector<Index> indices, InVector<index_t> offsets,
                    index_t columns) {
    CsrView view;
    view.values = {values.data(), values.size()};
    view.indices = IndexList(indices.data(), indices.size());
    view.offsets = {offsets.data(), offsets.size()};
    view.column_count = columns;
    struct Arrays {
        InVector<double> values;
        InVector<Index> indices;
        InVector<index_t> offsets;
    };
    return Dataset(view,
                   kept_alive(Arrays{std::move(values), std::move(indices), std::move(offsets)}));
}

void set_classes(Dataset& data, const InVector<double>& codes, std::vector<std::string> names) {
    data.targets = to_vector(codes);
    data.label_names = std::move(names);
}

}  // namespace

void bind_rows(nb::module_& module) {
    nb::class_<Dataset>(module, "Data", "Rows with what belongs to them; arrays are borrowed.")
        .def_static("dense", &dense_rows<double>, nb::arg("rows").noconvert(),
                    nb::arg("checked") = false)
        .def_static("dense", &dense_rows<float>, nb::arg("rows").noconvert(),
                    nb::arg("checked") = false)
        .def_static("csr", &sparse_rows<std::int32_t>, nb::arg("values").noconvert(),
                    nb::arg("indices").noconvert(), nb::arg("offsets").noconvert(),
                    nb::arg("columns"))
        .def_static("csr", &sparse_rows<index_t>, nb::arg("values").noconvert(),
                    nb::arg("indices").noconvert(), nb::arg("offsets").noconvert(),
                    nb::arg("columns"))
        .def_prop_ro("rows", &Dataset::rows)
        .def_prop_ro("columns", &Dataset::columns)
        .def("set_targets",
             [](Dataset& data, const InVector<double>& targets) {
                 data.targets = to_vector(targets);
             })
        .def("set_classes", &set_classes, nb::arg("codes"), nb::arg("names"))
        .def("set_weights",
             [](Dataset& data, const InVector<double>& weights) {
                 data.weights = to_vector(weights);
             })
        .def("set_queries",
             [](Dataset& data, const InVector<index_t>& queries) {
                 data.queries = to_vector(queries);
             })
        .def_rw("column_names", &Dataset::column_names);
}

}  // namespace mercer::python
