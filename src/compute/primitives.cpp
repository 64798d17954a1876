// SPDX-License-Identifier: Apache-2.0
//
// src/compute/primitives.cpp - checks arguments, then calls the backend.
#include "mercer/compute/primitives.hpp"

#include <fmt/core.h>

#include "mercer/base/error.hpp"
#include "mercer/compute/backend.hpp"
#include "mercer/compute/coordinate.hpp"

namespace mercer {

namespace {

void require_shape(bool fits, const char* what) {
    if (!fits) {
        throw InvalidArgument(fmt::format("{}: the shapes do not fit", what));
    }
}

template <typename T>
void product(MatrixView<const T> tile, MatrixView<const double> v, MatrixView<double> out,
             Device device) {
    require_shape(tile.columns == v.rows && tile.rows == out.rows && v.columns == out.columns,
                  "accumulate_product");
    backend_of(device).accumulate_product(tile, v, out);
}

template <typename T>
void transposed(MatrixView<const T> tile, MatrixView<const double> u, MatrixView<double> out,
                Device device) {
    require_shape(tile.rows == u.rows && tile.columns == out.rows && u.columns == out.columns,
                  "accumulate_transposed");
    backend_of(device).accumulate_transposed(tile, u, out);
}

}  // namespace

void accumulate_product(MatrixView<const float> tile, MatrixView<const double> v,
                        MatrixView<double> out, Device device) {
    product(tile, v, out, device);
}
void accumulate_product(MatrixView<const double> tile, MatrixView<const double> v,
                        MatrixView<double> out, Device device) {
    product(tile, v, out, device);
}
void accumulate_transposed(MatrixView<const float> tile, MatrixView<const double> u,
                           MatrixView<double> out, Device device) {
    transposed(tile, u, out, device);
}
void accumulate_transposed(MatrixView<const double> tile, MatrixView<const double> u,
                           MatrixView<double> out, Device device) {
    transposed(tile, u, out, device);
}

void exponential(std::span<const float> x, std::span<float> out, Device device) {
    require_shape(x.size() == out.size(), "exponential");
    backend_of(device).exponential(x, out);
}
void exponential(std::span<const double> x, std::span<double> out, Device device) {
    require_shape(x.size() == out.size(), "exponential");
    backend_of(device).exponential(x, out);
}

void stream_rows(MatrixView<const float> tile, std::span<float* const> targets, Device device) {
    require_shape(static_cast<std::size_t>(tile.rows) == targets.size(), "stream_rows");
    backend_of(device).stream_rows(tile, targets);
}

Extremes find_extremes(const CoordinateArrays& arrays, Device device) {
    return backend_of(device).find_extremes(arrays);
}

Extremes step_and_find(const CoordinateArrays& arrays, const float* row_up, const float* row_down,
                       double delta, Device device) {
    return backend_of(device).step_and_find(arrays, row_up, row_down, delta);
}

index_t choose_partner(const CoordinateArrays& arrays, const float* row, double row_diagonal,
                       double maximum, Device device) {
    return backend_of(device).choose_partner(arrays, row, row_diagonal, maximum);
}

void subtract_rows(double* values, index_t begin, index_t end, const WeightedRows& rows,
                   Device device) {
    backend_of(device).subtract_rows(values, begin, end, rows);
}

}  // namespace mercer
