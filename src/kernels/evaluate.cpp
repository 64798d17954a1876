// SPDX-License-Identifier: Apache-2.0
//
// src/kernels/evaluate.cpp - the reference value of k(x, z), in double.
#include "kernels/evaluate.hpp"

#include <fmt/core.h>

#include <string>

namespace mercer {

namespace {

void require_domain(const Kernel& kernel, std::span<const double> row) {
    const std::string message = domain_violation(kernel, row);
    if (!message.empty()) {
        throw InvalidArgument(message);
    }
}

/// Throws unless the kernel can be evaluated at `row`.
void require_row(const Kernel& kernel, std::span<const double> row) {
    if (!kernel.is_resolved()) {
        throw InvalidArgument("gamma", "", "is 'scale', which needs data",
                              "resolve the kernel first");
    }
    require_columns(kernel, static_cast<index_t>(row.size()));
    require_domain(kernel, row);
}

}  // namespace

void require_pair(const Kernel& kernel, std::span<const double> x, std::span<const double> z) {
    if (x.size() != z.size()) {
        throw InvalidArgument("kernel", "",
                              fmt::format("the rows have {} and {} columns", x.size(), z.size()));
    }
    require_row(kernel, x);
    require_domain(kernel, z);
}

double Kernel::operator()(std::span<const double> x, std::span<const double> z) const {
    require_pair(*this, x, z);
    return Evaluator<double>::evaluate(*node_, x, z);
}

double diagonal(const Kernel& kernel, std::span<const double> x) {
    require_row(kernel, x);
    return Evaluator<double>::evaluate(kernel.node(), x, x);
}

}  // namespace mercer
