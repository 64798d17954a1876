// SPDX-License-Identifier: Apache-2.0
//
// cli/nearest_word.hpp - "did you mean": the known word closest to a misspelt one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mercer::cli {

/// The known word within a third of its length in edits of `word` (ties: the first); empty when
/// none is near.
[[nodiscard]] std::string nearest_word(std::string_view word,
                                       const std::vector<std::string>& known);

}  // namespace mercer::cli
