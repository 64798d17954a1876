// SPDX-License-Identifier: Apache-2.0
//
// cli/select_report.hpp - the table of a selection as text, JSON and CSV.
#pragma once

#include <optional>
#include <string>

#include "json.hpp"
#include "mercer/search/select.hpp"

namespace mercer::cli {

/// The result of a selection, and its nested estimate on rows that had no part in it.
struct Selection {
    SelectResult result;
    std::optional<NestedResult> nested;
    bool fold_scores = true;  ///< shown, unless every row is a fold
};

/// The number of combinations that a stop left out.
[[nodiscard]] std::string unjudged_text(const SelectResult& result);

[[nodiscard]] Json select_json(Json json, const Selection& selection);
[[nodiscard]] std::string select_text(const Selection& selection);

/// A header, then one line for each row; numbers read back bit for bit.
[[nodiscard]] std::string select_csv(const Selection& selection);

}  // namespace mercer::cli
