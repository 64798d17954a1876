// SPDX-License-Identifier: Apache-2.0
//
// src/theory/mistake_bound.cpp - the quantities of the perceptron's convergence proof.
#include "mercer/theory/mistake_bound.hpp"

#include <algorithm>
#include <cmath>

#include "mercer/base/compensated_sum.hpp"
#include "mercer/base/error.hpp"
#include "mercer/kernels/catalogue.hpp"

namespace mercer {

Kernel embedded_kernel(const Kernel& kernel) { return kernel + constant_kernel(1.0); }

double radius_of(std::span<const double> diagonal, bool intercept) {
    if (diagonal.empty()) {
        throw InvalidArgument("diagonal: it is empty, must have one entry per row");
    }
    const double longest =
        *std::max_element(diagonal.begin(), diagonal.end()) + (intercept ? 1.0 : 0.0);
    if (!(longest >= 0.0)) {
        throw InvalidArgument("diagonal: no k(x, x) is >= 0; an indefinite kernel has no lengths");
    }
    return std::sqrt(longest);
}

double margin_norm(std::span<const double> products, double squared_norm) {
    const double least =
        products.empty() ? 0.0 : *std::min_element(products.begin(), products.end());
    return least > 0.0 ? std::sqrt(std::max(0.0, squared_norm)) / least : kNaN;
}

double mistake_bound(double radius, double margin_norm) {
    return radius * radius * margin_norm * margin_norm;
}

std::vector<ProofStep> proof_steps(std::span<const index_t> rows,
                                   std::span<const double> squared_norms,
                                   std::span<const double> margins, double radius) {
    if (rows.size() != squared_norms.size()) {
        throw InvalidArgument("squared_norms: there must be one for each mistake");
    }
    std::vector<ProofStep> steps;
    steps.reserve(rows.size());
    CompensatedSum product;
    for (std::size_t t = 0; t < rows.size(); ++t) {
        ProofStep step{.row = rows[t], .squared_norm = squared_norms[t]};
        if (!margins.empty()) {
            product.add(margins[static_cast<std::size_t>(rows[t])]);
            step.product = product.value();
        }
        step.limit = static_cast<double>(t + 1) * radius * radius;
        steps.push_back(step);
    }
    return steps;
}

}  // namespace mercer
