// SPDX-License-Identifier: Apache-2.0
//
// src/operators/held_block.cpp - K v as a sum of rows of K, stretch by stretch.
#include "operators/held_block.hpp"

#include <algorithm>
#include <vector>

#include "mercer/compute/coordinate.hpp"
#include "mercer/runtime/context.hpp"
#include "mercer/runtime/parallel.hpp"

namespace mercer {

namespace {

constexpr index_t kLongestStretch = 2048;  // 16 KiB of sums, in the first cache
constexpr index_t kRowsPerSum = 512;       // so that few roundings follow each other
// Rows of a block in stretches of fewer are summed by tiles: each stretch is one pass over v.
constexpr index_t kShortestStretch = 16;

/// Rows of the block that follow one another in the table.
struct Rows {
    std::int32_t from = 0;  ///< in the table
    index_t to = 0;         ///< in the block
    index_t count = 0;
};

std::vector<Rows> stretches_of(const std::vector<std::int32_t>& places) {
    std::vector<Rows> out;
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (i > 0 && places[i] == places[i - 1] + 1 && out.back().count < kLongestStretch) {
            ++out.back().count;
        } else {
            out.push_back({places[i], static_cast<index_t>(i), 1});
        }
    }
    return out;
}

/// The columns of the block with their weights, negative because subtract_rows() subtracts.
struct Columns {
    const HeldValues& values;
    const std::vector<std::int32_t>& places;
    std::vector<double> weights;
};

void add_stretch(const Columns& columns, const Rows& rows, double* out, Device device) {
    const index_t padded =
        (rows.count + kCoordinateLanes - 1) / kCoordinateLanes * kCoordinateLanes;
    std::vector<double> sums(static_cast<std::size_t>(padded));
    std::vector<const float*> pointers(static_cast<std::size_t>(kRowsPerSum));
    const auto all = static_cast<index_t>(columns.places.size());
    std::fill_n(out, rows.count, 0.0);
    for (index_t first = 0; first < all; first += kRowsPerSum) {
        const index_t count = std::min(kRowsPerSum, all - first);
        for (index_t k = 0; k < count; ++k) {
            const std::int32_t place = columns.places[static_cast<std::size_t>(first + k)];
            pointers[static_cast<std::size_t>(k)] = columns.values.row(place) + rows.from;
        }
        std::ranges::fill(sums, 0.0);
        subtract_rows(sums.data(), 0, rows.count,
                      {pointers.data(), columns.weights.data() + first, count}, device);
        for (index_t i = 0; i < rows.count; ++i) {
            out[i] += sums[static_cast<std::size_t>(i)];
        }
    }
}

}  // namespace

void HeldBlock::multiply(MatrixView<const double> v, MatrixView<double> out,
                         Context& context) const {
    const bool one = v.columns == 1 && out.columns == 1 && out.stride == 1;
    const std::vector<Rows> stretches = stretches_of(held_places(left()));
    if (!one || v.rows != columns() || out.rows != rows() ||
        rows() < kShortestStretch * static_cast<index_t>(stretches.size())) {
        TiledBlock::multiply(v, out, context);
        return;
    }
    context.count_products(1);
    Columns wanted{*compiled()->held(), held_places(right()), {}};
    wanted.weights.reserve(wanted.places.size());
    for (index_t j = 0; j < v.rows; ++j) {
        wanted.weights.push_back(-v(j, 0));
    }
    parallel_for(context, static_cast<index_t>(stretches.size()), [&](index_t task, int) {
        const Rows& rows = stretches[static_cast<std::size_t>(task)];
        add_stretch(wanted, rows, out.data + rows.to, context.device());
    });
}

std::unique_ptr<const GramBlock> HeldBlock::beside(std::span<const index_t> left,
                                                   Context& context) const {
    return std::make_unique<HeldBlock>(matrix_beside(left, context), compiled());
}

}  // namespace mercer
