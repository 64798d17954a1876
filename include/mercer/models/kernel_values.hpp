// SPDX-License-Identifier: Apache-2.0
//
// mercer/models/kernel_values.hpp - rows that are kernel values, k(x, x_1), k(x, x_2), ...
//
// A model of a `precomputed` kernel knows its support rows by their numbers alone: column j of a
// row is its value with training row j.
#pragma once

#include "mercer/data/dataset.hpp"
#include "mercer/models/model.hpp"

namespace mercer {

class Context;

/// Throws DataError, naming row and column, unless the rows are a square matrix of finite numbers
/// that is symmetric but for rounding.
void require_kernel_values(const Dataset& rows, Context& context);

/// The model with unit vectors for support rows and `linear` for `precomputed`: <x, e_j> is the
/// value of x with row j, so it says the same. Models of other kernels come back as they are.
[[nodiscard]] Model by_row_numbers(const Model& model);

/// Sparse rows without entries, for a model that needs their numbers only.
[[nodiscard]] Dataset empty_rows(index_t rows, index_t columns);

}  // namespace mercer
