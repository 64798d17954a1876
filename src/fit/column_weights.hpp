// SPDX-License-Identifier: Apache-2.0
//
// src/fit/column_weights.hpp - models whose coefficients are the weights of columns.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/types.hpp"
#include "mercer/data/dataset.hpp"
#include "mercer/models/model.hpp"

namespace mercer::fit {

/// The unit rows of some columns: a linear kernel's value with one is the column itself.
[[nodiscard]] Dataset unit_rows(std::vector<index_t> columns, index_t width);

/// Weights of the columns that have one, as unit rows.
void keep_columns(std::span<const double> weights, Model& model);

}  // namespace mercer::fit
