// SPDX-License-Identifier: Apache-2.0
//
// src/kernels/zero_columns.cpp - a list of the kernels that depend on the index of a column.
#include "mercer/kernels/zero_columns.hpp"

#include <algorithm>

namespace mercer {

bool ignores_zero_columns(const Kernel& kernel) {
    const KernelNode& node = kernel.node();
    switch (node.type) {
        case KernelType::brownian_bridge:  // needs exactly one column
        case KernelType::sinc:
        case KernelType::quadratic_form:  // depends on column indices
        case KernelType::mixture:
        case KernelType::columns:
        case KernelType::row_scaled:
        case KernelType::precomputed:
        case KernelType::latent_gaussian:  // depends on the number of columns
        case KernelType::custom:
            return false;
        default:
            return std::all_of(node.children.begin(), node.children.end(), ignores_zero_columns);
    }
}

}  // namespace mercer
