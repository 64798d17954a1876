// SPDX-License-Identifier: Apache-2.0
//
// src/kernels/linear_form.cpp - a traversal of the expression.
#include "mercer/kernels/linear_form.hpp"

namespace mercer {

double linear_factor(const Kernel& kernel) {
    const KernelNode& node = kernel.node();
    switch (node.type) {
        case KernelType::linear:
            return 1.0;
        case KernelType::scale:
            return node.parameters.front() * linear_factor(node.children.front());
        case KernelType::sum: {
            double sum = 0.0;
            for (const Kernel& child : node.children) {
                const double factor = linear_factor(child);
                if (factor == 0.0) {
                    return 0.0;
                }
                sum += factor;
            }
            return sum;
        }
        case KernelType::product: {  // constants and one linear factor
            double constants = 1.0;
            double linear = 0.0;
            for (const Kernel& child : node.children) {
                if (child.type() == KernelType::constant) {
                    constants *= child.node().parameters.front();
                } else if (linear != 0.0 || (linear = linear_factor(child)) == 0.0) {
                    return 0.0;
                }
            }
            return constants * linear;
        }
        default:
            return 0.0;
    }
}

}  // namespace mercer
