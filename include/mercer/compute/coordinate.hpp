// SPDX-License-Identifier: Apache-2.0
//
// mercer/compute/coordinate.hpp - the passes of a pairwise coordinate method, vectorised.
//
// One variable moves up, another down by the same amount. `values` holds minus the gradient of each
// variable, in double; membership in the sets that may move is one bit per variable. A pass reads
// contiguous arrays once. Ties go to the smallest index, so the result of a pass is unique.
#pragma once

#include <cstdint>

#include "mercer/base/types.hpp"
#include "mercer/runtime/device.hpp"

namespace mercer {

/// Arrays are readable and writable up to `size` rounded up to a multiple of kCoordinateLanes; bits
/// past `size` are zero. Bit k of a set is bit k % 8 of byte k / 8.
inline constexpr index_t kCoordinateLanes = 16;

struct CoordinateArrays {
    double* values = nullptr;            ///< minus the gradient
    const float* diagonal = nullptr;     ///< K(k, k)
    const std::uint8_t* up = nullptr;    ///< may increase
    const std::uint8_t* down = nullptr;  ///< may decrease
    index_t size = 0;
};

/// The largest value of `up` and the smallest of `down`, with their indices; -1: the set is empty.
struct Extremes {
    index_t highest = -1;
    index_t lowest = -1;
    double maximum = -kInfinity;
    double minimum = kInfinity;
};

[[nodiscard]] Extremes find_extremes(const CoordinateArrays& arrays, Device device);

/// values -= delta * (row_up - row_down), then find_extremes().
[[nodiscard]] Extremes step_and_find(const CoordinateArrays& arrays, const float* row_up,
                                     const float* row_down, double delta, Device device);

/// Among `down` with values < maximum, the variable with the largest (maximum - value)^2 /
/// curvature, curvature = max(row_diagonal + diagonal - 2 row, 1e-12): the second-order choice. -1:
/// none.
[[nodiscard]] index_t choose_partner(const CoordinateArrays& arrays, const float* row,
                                     double row_diagonal, double maximum, Device device);

/// Rows and their factors.
struct WeightedRows {
    const float* const* rows = nullptr;
    const double* weights = nullptr;
    index_t count = 0;
};

/// values[k] -= sum_r weights[r] * rows[r][k] for k = begin .. end - 1, one row after the other in
/// double. `begin` is a multiple of kCoordinateLanes; values and rows are readable, values writable
/// up to the next multiple after `end`.
void subtract_rows(double* values, index_t begin, index_t end, const WeightedRows& rows,
                   Device device);

}  // namespace mercer
