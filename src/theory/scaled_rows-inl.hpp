// SPDX-License-Identifier: Apache-2.0
//
// src/theory/scaled_rows-inl.hpp - iteration over the entries of a row.
#pragma once

#include <variant>

#include "mercer/data/entries.hpp"
#include "theory/scaled_rows.hpp"

namespace mercer::theory {

template <typename Use>
void ScaledRows::for_each_stored(index_t i, Use&& use) const {
    std::visit([&](const auto& rows) { data::for_each_entry(rows, data_.source_row(i), use); },
               data_.source());
}

template <typename Use>
void ScaledRows::for_each(index_t i, Use&& use) const {
    const double factor = row_factors_[static_cast<std::size_t>(i)];
    for_each_stored(i, [&](index_t j, double x) {
        const auto column = static_cast<std::size_t>(j);
        use(j, (x - centres_[column]) * column_factors_[column] * factor);
    });
    if (affine_) {
        use(data_.columns(), factor);
    }
}

}  // namespace mercer::theory
