// SPDX-License-Identifier: Apache-2.0
//
// mercer/compute/primitives.hpp - vector loops other than Gram tiles: products with a tile, exp.
//
// Sums are in double whatever the tile holds. The order of a row's sum is fixed by the positions of
// its terms alone, so a row gives the same bits in any batch.
#pragma once

#include <span>
#include <string>

#include "mercer/base/types.hpp"
#include "mercer/runtime/device.hpp"

namespace mercer {

/// out += tile * v;   tile m x n, v n x t, out m x t.
void accumulate_product(MatrixView<const float> tile, MatrixView<const double> v,
                        MatrixView<double> out, Device device);
void accumulate_product(MatrixView<const double> tile, MatrixView<const double> v,
                        MatrixView<double> out, Device device);

/// out += tile' * u;   tile m x n, u m x t, out n x t.
void accumulate_transposed(MatrixView<const float> tile, MatrixView<const double> u,
                           MatrixView<double> out, Device device);
void accumulate_transposed(MatrixView<const double> tile, MatrixView<const double> u,
                           MatrixView<double> out, Device device);

/// out[i] = exp(x[i]) with an error of at most 2 ulp. Throws InvalidArgument unless the lengths are
/// equal.
void exponential(std::span<const float> x, std::span<float> out, Device device);
void exponential(std::span<const double> x, std::span<double> out, Device device);

/// Copies row r of the tile to targets[r], bypassing the CPU caches: for more rows than the caches
/// hold, of which the first would be evicted before it is read. Same values as a plain copy.
void stream_rows(MatrixView<const float> tile, std::span<float* const> targets, Device device);

/// Name of the SIMD instruction set that Device::cpu has chosen for this CPU: "AVX3", "AVX2", ...
[[nodiscard]] std::string simd_target();

}  // namespace mercer
