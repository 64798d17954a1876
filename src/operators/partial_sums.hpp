// SPDX-License-Identifier: Apache-2.0
//
// src/operators/partial_sums.hpp - sums over rows that several threads make, in a fixed order.
#pragma once

#include "mercer/base/types.hpp"
#include "mercer/runtime/memory.hpp"

namespace mercer {

class Context;

/// out = the sum of the partial results, which lie one after the other in `sums`, in order.
void add_parts(const Buffer<double>& sums, index_t parts, MatrixView<double> out, Context& context);

}  // namespace mercer
