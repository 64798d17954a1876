// SPDX-License-Identifier: Apache-2.0
//
// src/operators/shared_rows.cpp - both engines and the diagonal, from all rows.
#include "mercer/operators/shared_rows.hpp"

namespace mercer {

SharedRows::SharedRows(const Kernel& kernel, const Dataset& rows, Context& context)
    : rows_(rows),
      narrow_engine_(make_engine(kernel, rows, {.precision = Precision::float32}, context)),
      wide_engine_(make_engine(kernel, rows, {.precision = Precision::float64}, context)),
      diagonal_(static_cast<std::size_t>(rows.rows())) {
    kernel_diagonal(kernel, rows, diagonal_);
}

const std::shared_ptr<const KernelEngine>& SharedRows::engine(Precision precision) const {
    return precision == Precision::float32 ? narrow_engine_ : wide_engine_;
}

std::unique_ptr<PreparedRows> SharedRows::prepare(std::span<const index_t> places,
                                                  Precision precision, Context& context) const {
    return engine(precision)->prepare(rows_.view(places), context);
}

}  // namespace mercer
