// SPDX-License-Identifier: Apache-2.0
//
// cli/select_report.hpp - the table of a selection as text, JSON and CSV.
#pragma once

#include <optional>
#include <string>

#include "json.hpp"
#include "mercer/search/select.hpp"

namespace mercer::cli {

/// What a selection found, and what it is worth on rows that had no part in it.
struct Selection {
    SelectResult result;
    std::optional<NestedResult> nested;
    bool fold_scores = true;  ///< told, unless every row is a fold
};

/// What a stop left out.
[[nodiscard]] std::string unjudged_text(const SelectResult& result);

[[nodiscard]] Json select_json(Json json, const Selection& selection);
[[nodiscard]] std::string select_text(const Selection& selection);

/// One line for each row, the names of the columns first; numbers read back bit for bit.
[[nodiscard]] std::string select_csv(const Selection& selection);

}  // namespace mercer::cli
