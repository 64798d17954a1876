// SPDX-License-Identifier: Apache-2.0
//
// cli/region_picture.hpp - the decision regions of a two-column classifier, drawn with characters.
#pragma once

#include <string>
#include <vector>

#include "mercer/models/model.hpp"

namespace mercer {
class Context;
}

namespace mercer::cli {

/// Lines of `width` characters, the second column upwards:  `#` f >= 1, `+` 0 <= f < 1, `-`
/// -1 < f < 0, `.` f <= -1, and `o` (first class) or `x` (second) where a support row lies.
/// Throws UsageError unless the model has two columns, two classes and support rows.
[[nodiscard]] std::vector<std::string> draw_regions(const Model& model, index_t width,
                                                    index_t height, Context& context);

}  // namespace mercer::cli
