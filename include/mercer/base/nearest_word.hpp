// SPDX-License-Identifier: Apache-2.0
//
// mercer/base/nearest_word.hpp - "did you mean": the known word closest to a misspelt one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mercer {

/// True when the two are equal except for upper and lower case.
[[nodiscard]] bool same_letters(std::string_view a, std::string_view b);

/// The known word nearest to `word` in edit distance, ignoring case (ties: the first). It takes at
/// most a third of its length in edits and shares a letter with `word`; empty when there is none.
[[nodiscard]] std::string nearest_word(std::string_view word,
                                       const std::vector<std::string>& known);

}  // namespace mercer
