// SPDX-License-Identifier: Apache-2.0
//
// mercer/fit/numbered_rows.hpp - rows of precomputed kernel values that carry their row numbers.
//
// A machine works on subsets of rows: two classes, a fold, positive weight. A row of a kernel
// matrix refers to all training rows by column, so each row is given its number
// (serial_lookup.hpp), which stays with it in every subset. The resulting model identifies its
// support rows by number.
#pragma once

#include "mercer/data/dataset.hpp"
#include "mercer/fit/train.hpp"

namespace mercer {

class Context;

}  // namespace mercer

namespace mercer::fit {

/// A problem on numbered rows, equivalent to one on precomputed values.
struct NumberedRows {
    Dataset rows;          ///< column 0 is the number, column j the value with row j
    TrainOptions options;  ///< the same, with a kernel that looks up values
};

/// Throws DataError if the rows are not a kernel matrix (models/kernel_values.hpp), InvalidArgument
/// if an option needs the rows themselves. The copy is charged to the context's memory.
[[nodiscard]] NumberedRows number_rows(const Dataset& data, const TrainOptions& options,
                                       Context& context);

}  // namespace mercer::fit
