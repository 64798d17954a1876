// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/precise_columns.hpp - orthogonal decompositions of rows in 113 bits.
#pragma once

#include "mercer/operators/precise_values.hpp"
#include "solvers/precise_matrix.hpp"

namespace mercer {

/// Gram-Schmidt on the rows of Z: `lower`(k, k) is the squared length of p_k, the part of row k that
/// is orthogonal to earlier rows, and `lower`(j, k) = <z_j, p_k> / <p_k, p_k>; 0 if p_k is 0.
[[nodiscard]] PreciseMatrix orthogonal_parts(const PreciseFeatures& columns);

/// Y with YY' = ZZ' and no more columns than rows. Every column of Z is represented to full
/// accuracy, however small it is relative to others.
[[nodiscard]] PreciseFeatures compressed(PreciseFeatures columns);

}  // namespace mercer
