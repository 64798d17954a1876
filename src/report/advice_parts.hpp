// SPDX-License-Identifier: Apache-2.0
//
// src/report/advice_parts.hpp - means, standard deviations and distances for the advice.
#pragma once

#include <vector>

#include "mercer/report/advice.hpp"

namespace mercer::report {

/// Mean and standard deviation of every column; absent entries count as zeros.
class ColumnScales {
public:
    explicit ColumnScales(const Dataset& data);

    /// 0 for sparse rows, which are not centred.
    [[nodiscard]] double offset(index_t column) const noexcept {
        return offsets_.empty() ? 0.0 : offsets_[static_cast<std::size_t>(column)];
    }
    /// 0 if the column is constant.
    [[nodiscard]] double deviation(index_t column) const noexcept {
        return deviations_[static_cast<std::size_t>(column)];
    }

private:
    std::vector<double> offsets_;
    std::vector<double> deviations_;
};

/// Finds outliers, kernel widths and costs; `out.suggested.scaled` is whether columns are scaled.
void look_at_distances(const Dataset& data, const DatasetSummary& summary, DataAdvice& out,
                       Context& context);

}  // namespace mercer::report
