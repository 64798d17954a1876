// SPDX-License-Identifier: Apache-2.0
//
// src/kernels/chosen_columns.hpp - the entries of a row that `columns` selects.
#pragma once

#include <span>
#include <vector>

#include "mercer/kernels/kernel.hpp"

namespace mercer {

/// The selected entries, in the order of the selection, which must fit the row.
[[nodiscard]] inline std::vector<double> chosen_columns(std::span<const double> x,
                                                        const std::vector<ColumnRange>& selection) {
    std::vector<double> chosen;
    for (const ColumnRange& range : selection) {
        chosen.insert(chosen.end(), x.begin() + range.begin, x.begin() + range.end);
    }
    return chosen;
}

}  // namespace mercer
