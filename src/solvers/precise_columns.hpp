// SPDX-License-Identifier: Apache-2.0
//
// src/solvers/precise_columns.hpp - rows in 113 bits by orthogonal directions.
#pragma once

#include "mercer/operators/precise_values.hpp"
#include "solvers/precise_matrix.hpp"

namespace mercer {

/// The part of each row of Z that earlier rows do not have, by its length, and how much of it later rows
/// have: `lower`(j, k) = <z_j, q_k>, q_k the direction of that part of row k, and 0 where row k has none.
[[nodiscard]] PreciseMatrix orthogonal_parts(const PreciseFeatures& columns);

/// Y with YY' = ZZ' and no more columns than rows. Every column of Z keeps its digits, however small it
/// is beside others.
[[nodiscard]] PreciseFeatures compressed(PreciseFeatures columns);

}  // namespace mercer
