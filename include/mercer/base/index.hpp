// SPDX-License-Identifier: Apache-2.0
//
// mercer/base/index.hpp - an index_t as the containers of the standard library count.
#pragma once

#include <cstddef>

#include "mercer/base/types.hpp"

namespace mercer {

/// `i`, which is not negative, as a position in a container: x[at(i)].
[[nodiscard]] constexpr std::size_t at(index_t i) noexcept { return static_cast<std::size_t>(i); }

}  // namespace mercer
