// SPDX-License-Identifier: Apache-2.0
//
// src/models/used_columns.cpp - renames columns by their place among the used ones.
#include "models/used_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "mercer/base/error.hpp"

namespace mercer {

std::vector<index_t> used_columns(const CsrView& rows) {
    std::vector<index_t> used(rows.columns.begin(), rows.columns.end());
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    return used;
}

Dataset renamed_columns(const CsrView& rows, const std::vector<index_t>& used) {
    auto names = std::make_shared<std::vector<index_t>>();
    names->reserve(rows.columns.size());
    for (const index_t column : rows.columns) {
        const auto place = std::lower_bound(used.begin(), used.end(), column);
        if (place == used.end() || *place != column) {
            throw InvalidArgument(
                fmt::format("column {} is used by the model, but not by the data", column + 1));
        }
        names->push_back(place - used.begin());
    }
    const CsrView view{rows.offsets, *names, rows.values, static_cast<index_t>(used.size())};
    return Dataset(view, names);
}

}  // namespace mercer
