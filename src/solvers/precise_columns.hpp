// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/precise_columns.hpp - orthogonal decompositions of rows in 113 bits.
#pragma once

#include "mercer/operators/precise_values.hpp"
#include "solvers/precise_matrix.hpp"

namespace mercer {

/// Gram-Schmidt on the rows of Z: `lower`(j, k) = <z_j, q_k>, where q_k is the direction of the
/// part of row k that is orthogonal to earlier rows; 0 if row k has no such part.
[[nodiscard]] PreciseMatrix orthogonal_parts(const PreciseFeatures& columns);

/// Y with YY' = ZZ' and no more columns than rows. Every column of Z is represented to full
/// accuracy, however small it is relative to others.
[[nodiscard]] PreciseFeatures compressed(PreciseFeatures columns);

}  // namespace mercer
