// SPDX-License-Identifier: Apache-2.0
//
// mercer/fit/column_model.hpp - machines on columns: weights as coefficients of unit rows.
#pragma once

#include <span>
#include <vector>

#include "mercer/data/dataset.hpp"
#include "mercer/models/model.hpp"

namespace mercer::fit {

/// The unit rows of some columns: a linear kernel's value with one is the column itself.
[[nodiscard]] Dataset unit_rows(std::vector<index_t> columns, index_t width);

/// Puts the weights of the columns that have one into the model, as unit rows.
void keep_columns(std::span<const double> weights, Model& model);

}  // namespace mercer::fit
