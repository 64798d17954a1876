// SPDX-License-Identifier: Apache-2.0
//
// mercer/search/nested.hpp - what a whole selection is worth on rows that neither trained nor chose.
//
// The measure of the best combination is that of the luckiest of many: it is too good. Nested
// cross-validation holds rows out before the search begins, searches in the others, and judges the
// machine that comes out by the rows held out.
#pragma once

#include <string>
#include <vector>

#include "mercer/search/select.hpp"

namespace mercer {

struct NestedResult {
    std::string measure;                       ///< without a prefix
    std::vector<double> scores;                ///< of the outer folds
    std::vector<std::vector<double>> choices;  ///< the values that each of them chose
    MeanEstimate estimate;                     ///< corrected_interval() of the scores, 95 %
};

/// The selection of the options in each of so many outer folds, refinements and all. Outer folds are
/// divided as the inner ones are: stratified for classes, whole groups, or in the order of time.
/// Throws InvalidArgument for validation rows and given folds, Interrupted when stopped: there is no
/// estimate then.
[[nodiscard]] NestedResult nested_estimate(const Dataset& data, const SelectOptions& options,
                                           index_t outer, index_t rounds, Context& context);

}  // namespace mercer
