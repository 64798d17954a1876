// SPDX-License-Identifier: Apache-2.0
//
// mercer/data/equal_rows.hpp - which rows of a data set are the same.
#pragma once

#include <vector>

#include "mercer/base/types.hpp"

namespace mercer {

class Dataset;

/// For each row the first one with the same entries; itself when there is none before it. Zeros that
/// are stored and zeros that are not are the same. Cost: two passes over the entries, and a sort of
/// the rows.
[[nodiscard]] std::vector<index_t> first_equal_rows(const Dataset& rows);

}  // namespace mercer
