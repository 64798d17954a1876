// SPDX-License-Identifier: Apache-2.0
//
// src/compute/reference/primitives.cpp - products with a tile and exp, one number at a time.
#include <algorithm>
#include <cmath>

#include "compute/reference/backend.hpp"

namespace mercer::reference {

namespace {

template <typename T>
void add_product(MatrixView<const T> tile, MatrixView<const double> v, MatrixView<double> out) {
    for (index_t i = 0; i < tile.rows; ++i) {
        for (index_t c = 0; c < v.columns; ++c) {
            double sum = 0.0;
            for (index_t j = 0; j < tile.columns; ++j) {
                sum += static_cast<double>(tile(i, j)) * v(j, c);
            }
            out(i, c) += sum;
        }
    }
}

template <typename T>
void add_transposed(MatrixView<const T> tile, MatrixView<const double> u, MatrixView<double> out) {
    for (index_t i = 0; i < tile.rows; ++i) {
        for (index_t j = 0; j < tile.columns; ++j) {
            for (index_t c = 0; c < u.columns; ++c) {
                out(j, c) += static_cast<double>(tile(i, j)) * u(i, c);
            }
        }
    }
}

}  // namespace

void ReferenceBackend::accumulate_product(MatrixView<const float> tile, MatrixView<const double> v,
                                          MatrixView<double> out) const {
    add_product(tile, v, out);
}
void ReferenceBackend::accumulate_product(MatrixView<const double> tile, MatrixView<const double> v,
                                          MatrixView<double> out) const {
    add_product(tile, v, out);
}
void ReferenceBackend::accumulate_transposed(MatrixView<const float> tile,
                                             MatrixView<const double> u,
                                             MatrixView<double> out) const {
    add_transposed(tile, u, out);
}
void ReferenceBackend::accumulate_transposed(MatrixView<const double> tile,
                                             MatrixView<const double> u,
                                             MatrixView<double> out) const {
    add_transposed(tile, u, out);
}

void ReferenceBackend::exponential(std::span<const float> x, std::span<float> out) const {
    std::transform(x.begin(), x.end(), out.begin(), [](float value) {
        return static_cast<float>(std::exp(static_cast<double>(value)));
    });
}
void ReferenceBackend::exponential(std::span<const double> x, std::span<double> out) const {
    std::transform(x.begin(), x.end(), out.begin(), [](double value) { return std::exp(value); });
}

void ReferenceBackend::stream_rows(MatrixView<const float> tile,
                                   std::span<float* const> targets) const {
    for (index_t r = 0; r < tile.rows; ++r) {
        std::copy_n(tile.row(r), tile.columns, targets[static_cast<std::size_t>(r)]);
    }
}

}  // namespace mercer::reference
