// SPDX-License-Identifier: Apache-2.0
//
// src/compute/reference/coordinate.cpp - the passes of a pairwise coordinate method, one variable
// at a time; ties go to the first.
#include <algorithm>

#include "compute/reference/backend.hpp"

namespace mercer::reference {

namespace {

bool has(const std::uint8_t* set, index_t k) { return ((set[k / 8] >> (k % 8)) & 1) != 0; }

}  // namespace

Extremes ReferenceBackend::find_extremes(const CoordinateArrays& arrays) const {
    Extremes out;
    for (index_t k = 0; k < arrays.size; ++k) {
        const double value = arrays.values[k];
        if (has(arrays.up, k) && value > out.maximum) {
            out.maximum = value;
            out.highest = k;
        }
        if (has(arrays.down, k) && value < out.minimum) {
            out.minimum = value;
            out.lowest = k;
        }
    }
    return out;
}

Extremes ReferenceBackend::step_and_find(const CoordinateArrays& arrays, const float* row_up,
                                         const float* row_down, double delta) const {
    for (index_t k = 0; k < arrays.size; ++k) {
        arrays.values[k] -=
            delta * (static_cast<double>(row_up[k]) - static_cast<double>(row_down[k]));
    }
    return find_extremes(arrays);
}

index_t ReferenceBackend::choose_partner(const CoordinateArrays& arrays, const float* row,
                                         double row_diagonal, double maximum) const {
    index_t best = -1;
    double best_gain = 0.0;
    for (index_t k = 0; k < arrays.size; ++k) {
        const double distance = maximum - arrays.values[k];
        if (!has(arrays.down, k) || !(distance > 0.0)) {
            continue;
        }
        const double curvature =
            std::max(1e-12, row_diagonal + static_cast<double>(arrays.diagonal[k]) -
                                2.0 * static_cast<double>(row[k]));
        const double gain = distance * distance / curvature;
        if (gain > best_gain) {
            best_gain = gain;
            best = k;
        }
    }
    return best;
}

void ReferenceBackend::subtract_rows(double* values, index_t begin, index_t end,
                                     const WeightedRows& rows) const {
    for (index_t r = 0; r < rows.count; ++r) {
        for (index_t k = begin; k < end; ++k) {
            values[k] -= rows.weights[r] * static_cast<double>(rows.rows[r][k]);
        }
    }
}

}  // namespace mercer::reference
