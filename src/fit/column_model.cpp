// SPDX-License-Identifier: Apache-2.0
//
// src/fit/column_model.cpp - construction of unit rows and of models on columns.
#include "mercer/fit/column_model.hpp"

#include <memory>
#include <utility>

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
