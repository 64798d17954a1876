// SPDX-License-Identifier: Apache-2.0
//
// src/compute/cpu/elementwise.hpp - stage two of a tile: the elementwise program, row by row.
#pragma once

#include <vector>

#include "compute/program.hpp"
#include "mercer/base/types.hpp"

namespace mercer::cpu {

/// How a pair quantity of the program is read.
template <typename T>
struct PairInput {
    const T* values = nullptr;  ///< stage one's output, `stride` entries per row
    /// For squared distances formed from dot products: squared norms of the left rows (from the
    /// tile's first) and of the right rows; null when the values need no such step.
    const T* left_norms = nullptr;
    const T* right_norms = nullptr;
};

/// A row quantity of the left rows (from the tile's first) and of the right rows.
template <typename T>
struct RowInput {
    const T* left = nullptr;
    const T* right = nullptr;
};

/// The arguments of stage two for one tile. Arrays over columns are readable up to the padded
/// width.
template <typename T>
struct ElementwiseTile {
    std::vector<PairInput<T>> pairs;
    std::vector<RowInput<T>> row_quantities;
    index_t stride = 0;  ///< of the pair values
    index_t rows = 0;
    index_t columns = 0;  ///< entries wanted per row
    T* stack = nullptr;   ///< stack_depth + 1 strips of kTileColumns entries
    T* out = nullptr;
    index_t out_stride = 0;
};

void run_elementwise(const Program& program, const ElementwiseTile<float>& tile);
void run_elementwise(const Program& program, const ElementwiseTile<double>& tile);

/// out[i] = exp(x[i]) with an error of at most 2 ulp. Exported for tests and `mercer doctor`.
void vector_exp(const float* x, float* out, index_t n);
void vector_exp(const double* x, double* out, index_t n);

/// Name of the SIMD target chosen at run time: "AVX3", "AVX2", ...
[[nodiscard]] const char* simd_target_name();

}  // namespace mercer::cpu
