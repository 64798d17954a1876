// SPDX-License-Identifier: Apache-2.0
//
// mercer/data/convert.hpp - the same rows in another storage.
#pragma once

#include "mercer/data/dataset.hpp"

namespace mercer {

/// The rows as a dense matrix of doubles; unchanged when they are dense already. Allocated from
/// data.budget(); throws ResourceError when rows * columns numbers do not fit.
[[nodiscard]] Dataset to_dense(const Dataset& data);

/// The rows without their zeros; unchanged when they are sparse already.
[[nodiscard]] Dataset to_sparse(const Dataset& data);

}  // namespace mercer
