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

}  // namespace

void require_pair(const Kernel& kernel, std::span<const double> x, std::span<const double> z) {
    if (x.size() != z.size()) {
        throw InvalidArgument("kernel", "",
                              fmt::format("the rows have {} and {} columns", x.size(), z.size()));
    }
    if (!kernel.is_resolved()) {
        throw InvalidArgument("gamma", "", "is 'scale', which needs data",
                              "resolve the kernel first");
    }
    require_columns(kernel, static_cast<index_t>(x.size()));
    require_domain(kernel, x);
    require_domain(kernel, z);
}

double Kernel::operator()(std::span<const double> x, std::span<const double> z) const {
    require_pair(*this, x, z);
    return Evaluator<double>::evaluate(*node_, x, z);
}

double diagonal(const Kernel& kernel, std::span<const double> x) { return kernel(x, x); }

}  // namespace mercer
