// SPDX-License-Identifier: Apache-2.0
//
// src/audit/used_columns.cpp - renumbers columns by their position among the used ones.
#include "audit/used_columns.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <numeric>

#include "mercer/base/error.hpp"
#include "mercer/data/entries.hpp"

namespace mercer {

namespace {

/// Number of entries of the longest row.
index_t longest_row(const CsrView& rows) {
    index_t longest = 0;
    for (std::size_t i = 1; i < rows.offsets.size(); ++i) {
        longest = std::max(longest, rows.offsets[i] - rows.offsets[i - 1]);
    }
    return longest;
}

}  // namespace

std::vector<index_t> used_columns(const CsrView& rows) {
    if (rows.gapless()) {
        std::vector<index_t> used(static_cast<std::size_t>(longest_row(rows)));
        std::iota(used.begin(), used.end(), 0);
        return used;
    }
    std::vector<index_t> used;
    used.reserve(rows.values.size());
    for (index_t i = 0; i < rows.rows(); ++i) {
        data::for_each_entry(rows, i, [&](index_t column, double) { used.push_back(column); });
    }
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    return used;
}

Dataset renamed_columns(const CsrView& rows, const std::vector<index_t>& used) {
    const auto width = static_cast<index_t>(used.size());
    if (const index_t longest = longest_row(rows);
        rows.gapless() && longest <= width &&
        (longest == 0 || used[static_cast<std::size_t>(longest - 1)] == longest - 1)) {
        return Dataset(CsrView{rows.offsets, {}, rows.values, width});  // nothing to renumber
    }
    auto names = std::make_shared<std::vector<index_t>>();
    names->reserve(rows.values.size());
    for (index_t i = 0; i < rows.rows(); ++i) {
        data::for_each_entry(rows, i, [&](index_t column, double) {
            const auto place = std::lower_bound(used.begin(), used.end(), column);
            if (place == used.end() || *place != column) {
                throw InvalidArgument(
                    fmt::format("column {} is used by the model, but not by the data", column + 1));
            }
            names->push_back(place - used.begin());
        });
    }
    return Dataset(CsrView{rows.offsets, *names, rows.values, width}, names);
}

}  // namespace mercer
