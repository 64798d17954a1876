// SPDX-License-Identifier: Apache-2.0
//
// mercer/models/kernel_values.hpp - rows that are kernel values, k(x, x_1), k(x, x_2), ...
//
// A model with a `precomputed` kernel identifies its support rows by their numbers: column j of a
// row is its kernel value with training row j.
#pragma once

#include "mercer/data/dataset.hpp"
#include "mercer/models/model.hpp"

namespace mercer {

class Context;

/// Throws DataError, with row and column, unless the rows are a square matrix of finite numbers
/// that is symmetric up to rounding.
void require_kernel_values(const Dataset& rows, Context& context);

/// The rule with unit vectors as support rows and `linear` instead of `precomputed`: <x, e_j> is
/// the kernel value of x with row j, so the predictions are the same. Rules with other kernels are
/// returned unchanged.
[[nodiscard]] PredictionRule by_row_numbers(PredictionRule rule);
[[nodiscard]] Model by_row_numbers(Model model);

/// Sparse rows without entries, for a model that needs only the row numbers.
[[nodiscard]] Dataset empty_rows(index_t rows, index_t columns);

}  // namespace mercer
