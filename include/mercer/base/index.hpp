// SPDX-License-Identifier: Apache-2.0
//
// mercer/base/index.hpp - converts an index_t to the index type of standard containers.
#pragma once

#include <cstddef>

#include "mercer/base/types.hpp"

namespace mercer {

/// A non-negative index as a position in a container: x[at(i)].
[[nodiscard]] constexpr std::size_t at(index_t i) noexcept { return static_cast<std::size_t>(i); }

}  // namespace mercer
