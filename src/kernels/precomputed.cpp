// SPDX-License-Identifier: Apache-2.0
//
// src/kernels/precomputed.cpp - finds and replaces the `precomputed` leaves of a tree.
#include "mercer/kernels/precomputed.hpp"

#include <fmt/core.h>

#include "mercer/base/error.hpp"
#include "mercer/kernels/catalogue.hpp"

namespace mercer {

void require_only_precomputed(const Kernel& kernel) {
    const KernelNode& node = kernel.node();
    if (node.children.empty() && node.type != KernelType::precomputed &&
        node.type != KernelType::constant) {
        throw InvalidArgument(
            "kernel", "",
            fmt::format("{} needs the rows themselves, but precomputed has only kernel values",
                        to_string(kernel)));
    }
    for (const Kernel& child : node.children) {
        require_only_precomputed(child);
    }
}

Kernel with_values_from(const Kernel& kernel, const Kernel& leaf) {
    if (kernel.type() == KernelType::precomputed) {
        return leaf;
    }
    if (!is_precomputed(kernel)) {
        return kernel;
    }
    KernelNode node = kernel.node();
    for (Kernel& child : node.children) {
        child = with_values_from(child, leaf);
    }
    return make_kernel(std::move(node));
}

}  // namespace mercer
