// SPDX-License-Identifier: Apache-2.0
//
// src/kernels/limits.hpp - limits on the depth and size of expressions.
//
// Every traversal of a tree is recursive; the limits bound the stack and the time of a traversal,
// whatever text or program built the tree.
#pragma once

#include <cstddef>

#include "mercer/kernels/row_function.hpp"

namespace mercer {

inline constexpr int kMaxKernelDepth = 200;
inline constexpr std::size_t kMaxKernelSize = 10'000;
inline constexpr int kMaxRowFunctionDepth = 200;
inline constexpr std::size_t kMaxRowFunctionSize = 10'000;
// The text of the largest kernel is shorter: a part takes at most 64 characters.
inline constexpr std::size_t kMaxKernelText = std::size_t{1} << 20;

struct RowFunctionExtent {
    int depth = 0;
    std::size_t size = 0;
};

[[nodiscard]] RowFunctionExtent extent_of(const RowFunction& function);

}  // namespace mercer
