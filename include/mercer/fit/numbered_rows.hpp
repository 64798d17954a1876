// SPDX-License-Identifier: Apache-2.0
//
// mercer/fit/numbered_rows.hpp - kernel values as rows that know their numbers.
//
// A machine selects rows: those of two classes, of a fold, of weight > 0. A row of a kernel matrix
// means something in all of its columns only, so each row is given its number (serial_lookup.hpp)
// and keeps it in every selection. The model that comes out names its support rows by number.
#pragma once

#include "mercer/data/dataset.hpp"
#include "mercer/fit/train.hpp"

namespace mercer {

class Context;

}  // namespace mercer

namespace mercer::fit {

/// A problem on numbered rows that is the same as one on precomputed values.
struct NumberedRows {
    Dataset rows;          ///< column 0 is the number, column j the value with row j
    TrainOptions options;  ///< the same, with a kernel that looks values up
};

/// Throws DataError when the rows are no kernel matrix (models/kernel_values.hpp), InvalidArgument
/// when an option needs the rows themselves. The copy is paid for from the context's memory.
[[nodiscard]] NumberedRows number_rows(const Dataset& data, const TrainOptions& options,
                                       Context& context);

}  // namespace mercer::fit
