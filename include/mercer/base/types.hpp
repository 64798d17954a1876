// SPDX-License-Identifier: Apache-2.0
//
// mercer/base/types.hpp - the scalar types and views every room shares.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace mercer {

/// Signed 64-bit index used for every count, row, column and offset.
using index_t = std::int64_t;

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A closed interval of the real line.
struct Interval {
    double lower = -kInfinity;
    double upper = kInfinity;
};

/// Width of the numbers a Gram tile is computed and stored in.
enum class Precision { float32, float64 };

/// A borrowed row-major matrix: element (i, j) is data[i * stride + j], stride >= columns.
///
/// The view owns nothing; the caller keeps the memory alive. `T` may be const.
template <typename T>
struct MatrixView {
    T* data = nullptr;
    index_t rows = 0;
    index_t columns = 0;
    index_t stride = 0;

    MatrixView() = default;
    MatrixView(T* data_in, index_t rows_in, index_t columns_in)
        : MatrixView(data_in, rows_in, columns_in, columns_in) {}
    MatrixView(T* data_in, index_t rows_in, index_t columns_in, index_t stride_in)
        : data(data_in), rows(rows_in), columns(columns_in), stride(stride_in) {}

    [[nodiscard]] T& operator()(index_t i, index_t j) const { return data[i * stride + j]; }
    [[nodiscard]] T* row(index_t i) const { return data + i * stride; }

    /// A mutable view may be read through as a const one.
    // NOLINTNEXTLINE(google-explicit-constructor): as with pointers, adding const is implicit
    operator MatrixView<const T>() const { return {data, rows, columns, stride}; }
};

}  // namespace mercer
