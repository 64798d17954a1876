// SPDX-License-Identifier: Apache-2.0
//
// tests/random_kernel.hpp - random kernel expressions that are defined on all real rows.
#pragma once

#include <memory>
#include <vector>

#include "mercer/base/random.hpp"
#include "mercer/kernels/catalogue.hpp"

namespace mercer::testing {

struct RandomKernelOptions {
    bool positive_definite_only = true;  ///< no sigmoid, no distances, no negative coef0
    bool bounded = true;  ///< values stay moderate on rows of moderate norm: exponentials and
                          ///< powers are only taken of kernels with |k| <= 1
    index_t columns = 3;  ///< of the rows; column selections stay inside
};

/// A random leaf with random parameters.
inline Kernel random_leaf(Random& random, const RandomKernelOptions& options) {
    KernelNode node;
    const auto positive = [&] { return random.uniform(0.05, 2.0); };
    const auto degree = [&] { return static_cast<double>(1 + random.below(3)); };
    switch (random.below(options.positive_definite_only ? 11 : 14)) {
        case 0:
            return linear_kernel();
        case 1:
            return poly_kernel(degree(), random.uniform(0.0, 2.0), positive());
        case 2:
            node.type = KernelType::monomial;
            node.parameters = {degree()};
            break;
        case 3:
            return rbf_kernel(positive());
        case 4:
            return laplace_kernel(positive());
        case 5: {
            constexpr double kSmoothness[] = {0.5, 1.5, 2.5, 0.8, 3.7};
            return matern_kernel(kSmoothness[random.below(5)], positive());
        }
        case 6:
            node.type = KernelType::rational_quadratic;
            node.parameters = {positive(), positive()};
            break;
        case 7:
            node.type = KernelType::cosine;
            break;
        case 8:
            node.type = KernelType::delta;
            break;
        case 9:
            return constant_kernel(positive());
        case 10:
            node.type = KernelType::latent_gaussian;
            node.parameters = {random.uniform(0.5, 2.0), random.uniform(0.5, 2.0)};
            break;
        case 11:
            node.type = KernelType::sigmoid;
            node.parameters = {positive(), random.uniform(-1.0, 1.0)};
            break;
        case 12:
            node.type = KernelType::negative_distance;
            node.parameters = {random.uniform(0.1, 2.0)};
            break;
        default:
            return poly_kernel(degree(), -positive(), positive());
    }
    return make_kernel(std::move(node));
}

/// A random function of one row, of moderate size on rows of moderate norm.
inline std::shared_ptr<const RowFunction> random_row_function(Random& random, index_t columns,
                                                              int depth) {
    RowFunction node;
    const auto child = [&] { return random_row_function(random, columns, depth - 1); };
    switch (random.below(depth > 0 ? 7 : 4)) {
        case 0:
            node.value = random.uniform(-2.0, 2.0);
            break;
        case 1:
            node.type = RowFunctionType::norm2;
            break;
        case 2:
            node.type = RowFunctionType::norm;
            break;
        case 3:
            node.type = RowFunctionType::column;
            node.value = static_cast<double>(random.below(columns));
            break;
        case 4:
            node.type = RowFunctionType::sum;
            node.children = {child(), child()};
            break;
        case 5:
            node.type = RowFunctionType::product;
            node.children = {child(), child()};
            break;
        default: {
            // exp(-|g|^2 c): the only exponential that cannot overflow.
            RowFunction norm2;
            norm2.type = RowFunctionType::norm2;
            RowFunction factor;
            factor.value = -random.uniform(0.1, 1.0);
            RowFunction product;
            product.type = RowFunctionType::product;
            product.children = {make_row_function(factor), make_row_function(norm2)};
            node.type = RowFunctionType::exponential;
            node.children = {make_row_function(product)};
            break;
        }
    }
    return make_row_function(std::move(node));
}

inline std::vector<ColumnRange> random_selection(Random& random, index_t columns) {
    std::vector<ColumnRange> selection;
    const index_t count = 1 + random.below(2);
    for (index_t i = 0; i < count; ++i) {
        const index_t begin = random.below(columns);
        selection.push_back({begin, begin + 1 + random.below(columns - begin)});
    }
    return selection;
}

/// A random expression of at most `depth` levels above its leaves.
inline Kernel random_kernel(Random& random, int depth, const RandomKernelOptions& options = {}) {
    if (depth <= 0) {
        return random_leaf(random, options);
    }
    const auto child = [&] { return random_kernel(random, depth - 1, options); };
    // What grows fast is fed a kernel whose values are at most 1.
    const auto tame = [&] { return options.bounded ? normalized(child()) : child(); };
    switch (random.below(9)) {
        case 0:
            return random.uniform(0.1, 3.0) * child();
        case 1:
            return child() + child();
        case 2:
            return tame() * child();
        case 3:
            return exp(random.uniform(0.1, 1.0) * tame());
        case 4:
            return polynomial(tame(), {random.uniform(), 0.0, random.uniform()});
        case 5:
            return normalized(child());
        case 6:
            return scaled(tame(), random_row_function(random, options.columns, 2));
        case 7: {
            RandomKernelOptions inner = options;
            const std::vector<ColumnRange> selection = random_selection(random, options.columns);
            inner.columns = 0;
            for (const ColumnRange& range : selection) {
                inner.columns += range.end - range.begin;
            }
            return columns(random_kernel(random, depth - 1, inner), selection);
        }
        default:
            return pow(tame(), static_cast<int>(1 + random.below(3)));
    }
}

}  // namespace mercer::testing
