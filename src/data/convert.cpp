// SPDX-License-Identifier: Apache-2.0
//
// src/data/convert.cpp - dense to sparse and back.
#include "mercer/data/convert.hpp"

#include <algorithm>

#include "data/rows.hpp"

namespace mercer {

Dataset to_dense(const Dataset& data) {
    if (!data.is_sparse()) {
        return data;
    }
    const index_t columns = data.columns();
    auto dense = std::make_shared<Buffer<double>>(
        data.budget(), checked_multiply(data.rows(), columns), "dense rows");
    data::for_each_entry(
        data, [&](index_t i, index_t j, double value) { (*dense)[i * columns + j] = value; });
    return data.with_rows(MatrixView<const double>(dense->data(), data.rows(), columns), dense);
}

Dataset to_sparse(const Dataset& data) {
    if (data.is_sparse()) {
        return data;
    }
    index_t stored = 0;
    data::for_each_entry(data, [&](index_t, index_t, double value) { stored += value != 0.0; });
    auto sparse =
        std::make_shared<data::OwnedCsr>(data.budget(), data.rows(), stored, "sparse rows");
    index_t filled = 0;
    data::for_each_entry(data, [&](index_t i, index_t j, double value) {
        if (value != 0.0) {
            sparse->indices[filled] = j;
            sparse->values[filled++] = value;
            sparse->offsets[i + 1] = filled;
        }
    });
    for (index_t i = 0; i < data.rows(); ++i) {  // rows without entries end where they began
        sparse->offsets[i + 1] = std::max(sparse->offsets[i + 1], sparse->offsets[i]);
    }
    return data.with_rows(sparse->view(data.columns()), sparse);
}

}  // namespace mercer
