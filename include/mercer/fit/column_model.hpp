// SPDX-License-Identifier: Apache-2.0
//
// mercer/fit/column_model.hpp - machines on columns: weights as coefficients of unit rows.
#pragma once

#include <span>
#include <vector>

#include "mercer/data/dataset.hpp"
#include "mercer/models/model.hpp"

namespace mercer::fit {

/// Unit rows of the given columns: the linear kernel of a row and a unit row is the column's value.
[[nodiscard]] Dataset unit_rows(std::vector<index_t> columns, index_t width);

/// Stores the nonzero column weights in the model, as coefficients of unit rows.
void keep_columns(std::span<const double> weights, Model& model);

}  // namespace mercer::fit
