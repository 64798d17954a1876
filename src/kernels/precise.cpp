// SPDX-License-Identifier: Apache-2.0
//
// src/kernels/precise.cpp - the value of k(x, z) in 113 bits, by the same recursion as in double.
#include "mercer/kernels/precise.hpp"

#include <algorithm>

#include "kernels/evaluate.hpp"

namespace mercer {

Quad evaluate_precisely(const Kernel& kernel, std::span<const double> x,
                        std::span<const double> z) {
    require_pair(kernel, x, z);
    return Evaluator<Quad>::evaluate(kernel.node(), x, z);
}

bool has_precise_values(const Kernel& kernel) {
    const KernelNode& node = kernel.node();
    switch (node.type) {
        case KernelType::custom:
        case KernelType::precomputed:
            return false;
        case KernelType::matern:
            return formulas::is_closed_matern(node.parameters[0]);
        default:
            return std::all_of(node.children.begin(), node.children.end(), has_precise_values);
    }
}

RowSizes larger_of(const RowSizes& a, const RowSizes& b) {
    const double least = std::min(a.least_squared_norm > 0.0 ? a.least_squared_norm : kInfinity,
                                  b.least_squared_norm > 0.0 ? b.least_squared_norm : kInfinity);
    return {.columns = std::max(a.columns, b.columns),
            .squared_norm = std::max(a.squared_norm, b.squared_norm),
            .l1_norm = std::max(a.l1_norm, b.l1_norm),
            .largest_entry = std::max(a.largest_entry, b.largest_entry),
            .least_squared_norm = least < kInfinity ? least : 0.0};
}

void RowSizesGatherer::end_row() {
    const double least = sizes_.least_squared_norm;
    sizes_.squared_norm = std::max(sizes_.squared_norm, square_);
    sizes_.l1_norm = std::max(sizes_.l1_norm, absolute_);
    if (square_ > 0.0 && (least == 0.0 || square_ < least)) {
        sizes_.least_squared_norm = square_;
    }
    square_ = absolute_ = 0.0;
}

RowSizes RowSizesGatherer::sizes() {
    end_row();
    return sizes_;
}

}  // namespace mercer
