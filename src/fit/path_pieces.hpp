// SPDX-License-Identifier: Apache-2.0
//
// src/fit/path_pieces.hpp - the pieces that files of all kinds of paths have in common.
#pragma once

#include <string>
#include <vector>

#include "mercer/data/dataset.hpp"
#include "mercer/fit/path.hpp"
#include "mercer/runtime/state_keeper.hpp"

namespace mercer::fit {

/// What the path was told, and the names of the classes.
[[nodiscard]] std::string settings_bytes(const PathOptions& options,
                                         const std::vector<std::string>& labels);
/// Throws DataError when the bytes are something else.
[[nodiscard]] PathOptions take_settings(StateReader& state, std::vector<std::string>& labels);

/// Dense rows as they are, sparse ones by offsets, columns and values.
[[nodiscard]] std::string rows_bytes(const Dataset& data);
/// Throws DataError when the bytes are something else.
[[nodiscard]] Dataset take_rows(StateReader& state);

}  // namespace mercer::fit
