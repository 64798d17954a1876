// SPDX-License-Identifier: Apache-2.0
//
// mercer/base/nearest_word.hpp - "did you mean": the known word closest to a misspelt one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mercer {

/// True when the two differ in the case of their letters at most.
[[nodiscard]] bool same_letters(std::string_view a, std::string_view b);

/// The known word within a third of its length in edits of `word`, whatever the case of its letters
/// (ties: the first); empty when none is near. They have a letter in common.
[[nodiscard]] std::string nearest_word(std::string_view word,
                                       const std::vector<std::string>& known);

}  // namespace mercer
