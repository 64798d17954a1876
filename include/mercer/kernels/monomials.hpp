// SPDX-License-Identifier: Apache-2.0
//
// mercer/kernels/monomials.hpp - monomials of degree at most d as ordered partitions of d.
//
// x0^a0 x1^a1 ... of n columns with a0 + a1 + ... <= d is the partition (d - sum of a, a0, a1, ...)
// of d into n + 1 parts >= 0, and every such partition is one monomial; there are C(n + d, d).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mercer/base/types.hpp"

namespace mercer {

/// The partition of `degree` that represents the monomial. Throws InvalidArgument when an exponent
/// is negative or their sum exceeds the degree.
[[nodiscard]] std::vector<index_t> ordered_partition(std::span<const index_t> exponents,
                                                     index_t degree);

/// The exponents of the monomial that a partition represents. Throws InvalidArgument when it is
/// empty or has a negative part.
[[nodiscard]] std::vector<index_t> monomial_exponents(std::span<const index_t> partition);

/// "x0*x2^2" for exponents (1, 0, 2), "1" when all are 0.
[[nodiscard]] std::string monomial_name(std::span<const index_t> exponents);

}  // namespace mercer
