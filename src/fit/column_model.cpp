// SPDX-License-Identifier: Apache-2.0
//
// src/fit/column_model.cpp - construction of unit rows and of models on columns.
#include "mercer/fit/column_model.hpp"

#include <fmt/core.h>

#include <memory>
#include <numeric>
#include <utility>

#include "mercer/base/error.hpp"
#include "mercer/fit/train.hpp"
#include "mercer/kernels/catalogue.hpp"

namespace mercer::fit {

Dataset unit_rows(std::vector<index_t> columns, index_t width) {
    struct Rows {
        std::vector<index_t> offsets;
        std::vector<double> values;
        std::vector<index_t> columns;
    };
    auto owned = std::make_shared<Rows>();
    for (std::size_t k = 0; k <= columns.size(); ++k) {
        owned->offsets.push_back(static_cast<index_t>(k));
    }
    owned->values.assign(columns.size(), 1.0);
    owned->columns = std::move(columns);
    CsrView view;
    view.offsets = owned->offsets;
    view.indices = owned->columns;
    view.values = owned->values;
    view.column_count = width;
    return Dataset(view, owned);
}

void keep_columns(std::span<const double> weights, Model& model) {
    for (std::size_t j = 0; j < weights.size(); ++j) {
        if (weights[j] != 0.0) {
            model.support_rows.push_back(static_cast<index_t>(j));
            model.coefficients.push_back(weights[j]);
        }
    }
    model.support = unit_rows(model.support_rows, model.columns);
    model.on_columns = true;
}

}  // namespace mercer::fit

namespace mercer {

namespace {

void require_fitting(const Model& model, MatrixView<const double> weights,
                     std::span<const double> intercepts) {
    if (model.kernel.type() != KernelType::linear || model.multiclass == "ovo" || model.scaling) {
        throw InvalidArgument("weights", "", "belong to a linear machine of unscaled rows");
    }
    if (weights.rows != model.outputs() || weights.columns != model.columns ||
        static_cast<index_t>(intercepts.size()) != model.outputs()) {
        throw InvalidArgument(fmt::format("weights: got {} x {} and {} intercepts, must be {} x {}",
                                          weights.rows, weights.columns, intercepts.size(),
                                          model.outputs(), model.columns));
    }
}

}  // namespace

Model with_weights(const Model& model, MatrixView<const double> weights,
                   std::span<const double> intercepts) {
    require_fitting(model, weights, intercepts);
    Model out;
    out.machine = model.machine;
    out.kernel = linear_kernel();
    out.columns = model.columns;
    out.names = model.names;
    out.labels = model.labels;
    out.multiclass = model.multiclass;
    out.link = model.link;
    out.loss = model.loss;
    out.cost = kNaN;
    std::vector<index_t> columns(static_cast<std::size_t>(model.columns));
    std::iota(columns.begin(), columns.end(), index_t{0});
    for (const index_t j : columns) {
        for (index_t t = 0; t < weights.rows; ++t) {
            out.coefficients.push_back(weights(t, j));
        }
    }
    out.support_rows = columns;
    out.support = fit::unit_rows(std::move(columns), model.columns);
    out.intercepts.assign(intercepts.begin(), intercepts.end());
    Certificate none;
    none.exact = false;
    out.certificates.assign(static_cast<std::size_t>(out.problems()), none);
    out.status = kImported;
    out.solver = kImported;
    out.fingerprint = {model.columns, model.columns, 0};
    require_consistent(out);
    return out;
}

}  // namespace mercer
