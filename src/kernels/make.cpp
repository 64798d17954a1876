// SPDX-License-Identifier: Apache-2.0
//
// src/kernels/make.cpp - checks and builds every kernel node.
//
// Canonical form, so that printing and parsing give the same tree again:
//   - a sum has no sum among its children, a product neither product nor multiple;
//   - factors of a product are in front of it, multiples of multiples are one multiple;
//   - a factor 1 is dropped, since it changes no bit.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/limits.hpp"
#include "kernels/lookup.hpp"
#include "kernels/matrices.hpp"
#include "mercer/kernels/catalogue.hpp"

namespace mercer {

namespace {

struct Extent {
    int depth = 1;
    std::size_t size = 1;
};

Extent extent_of(const KernelNode& node) {
    Extent extent;
    extent.size += node.parameters.size() + 2 * node.selection.size();
    if (node.matrix) {
        extent.size += node.matrix->file.size() / 24;
    }
    if (node.row_function) {
        extent.size += extent_of(*node.row_function).size;
    }
    for (const Kernel& child : node.children) {
        const Extent inner = extent_of(child.node());
        extent.depth = std::max(extent.depth, inner.depth + 1);
        extent.size += inner.size;
    }
    return extent;
}

void require_extent(const KernelNode& node) {
    const Extent extent = extent_of(node);
    if (extent.depth > kMaxKernelDepth) {
        throw InvalidArgument("kernel", "",
                              fmt::format("nested deeper than {} levels", kMaxKernelDepth));
    }
    if (extent.size > kMaxKernelSize) {
        throw InvalidArgument(
            "kernel", "",
            fmt::format("it has {} parts, at most {} are allowed", extent.size, kMaxKernelSize));
    }
}

void require_children(const KernelNode& node) {
    std::size_t least = 0;
    std::size_t most = 0;
    switch (node.type) {
        case KernelType::sum:
        case KernelType::product:
            least = 2;
            most = std::numeric_limits<std::size_t>::max();
            break;
        case KernelType::scale:
        case KernelType::exponential:
        case KernelType::polynomial:
        case KernelType::normalized:
        case KernelType::row_scaled:
        case KernelType::columns:
        case KernelType::power:
            least = most = 1;
            break;
        default:
            break;
    }
    const std::size_t count = node.children.size();
    if (count < least || count > most) {
        throw InvalidArgument(
            fmt::format("kernel '{}': got {} children", entry_of(node.type).usage, count));
    }
}

void require_coefficients(const std::vector<double>& coefficients) {
    if (coefficients.empty()) {
        throw InvalidArgument("polynomial: needs at least one coefficient");
    }
    for (std::size_t i = 0; i < coefficients.size(); ++i) {
        require_in_range(fmt::format("coefficient of k^{}", i), coefficients[i],
                         Range::non_negative());
    }
}

void require_parameters(KernelNode& node) {
    for (double& value : node.parameters) {
        value += 0.0;  // turns -0 into 0, which prints without a sign
    }
    if (node.type == KernelType::polynomial) {
        require_coefficients(node.parameters);
        return;
    }
    const CatalogueEntry& entry = entry_of(node.type);
    if (node.parameters.size() != entry.parameters.size()) {
        throw InvalidArgument(fmt::format("kernel '{}': got {} parameters, takes {}", entry.usage,
                                          node.parameters.size(), entry.parameters.size()));
    }
    for (std::size_t i = 0; i < entry.parameters.size(); ++i) {
        require_parameter(entry.parameters[i], node.parameters[i]);
    }
}

void require_selection(const KernelNode& node) {
    if ((node.type == KernelType::columns) == node.selection.empty()) {
        throw InvalidArgument("columns: must select at least one column, and no other kernel may");
    }
    for (const ColumnRange& range : node.selection) {
        if (range.begin < 0 || range.end <= range.begin) {
            throw InvalidArgument(fmt::format(
                "columns: got {}:{}, must be a non-empty range from 0", range.begin, range.end));
        }
    }
}

void require_attachments(KernelNode& node) {
    const bool needs_matrix =
        node.type == KernelType::quadratic_form || node.type == KernelType::mixture;
    if (needs_matrix != (node.matrix != nullptr) ||
        (node.type == KernelType::row_scaled) != (node.row_function != nullptr) ||
        (node.type == KernelType::custom) != (node.custom != nullptr)) {
        throw InvalidArgument(
            fmt::format("kernel '{}': a matrix, row function or user kernel is "
                        "missing or out of place",
                        entry_of(node.type).usage));
    }
    if (node.matrix) {
        const std::string& file = node.matrix->file;
        const bool printable = std::none_of(file.begin(), file.end(),
                                            [](unsigned char c) { return c < 0x20 || c == 0x7f; });
        if (file.empty() || !printable) {
            throw InvalidArgument("kernel file: its name is empty or has a control character");
        }
    }
    if (node.type == KernelType::quadratic_form) {
        node.matrix = std::make_shared<const KernelMatrix>(checked_quadratic_form(*node.matrix));
    } else if (node.type == KernelType::mixture) {
        require_mixture(*node.matrix);
    }
    if (node.row_function) {
        node.row_function = make_row_function(*node.row_function);
    }
    const bool wants_rows = node.type == KernelType::columns || node.type == KernelType::row_scaled;
    if (wants_rows && is_precomputed(node.children.front())) {
        throw InvalidArgument(fmt::format("{}: a precomputed kernel has no rows to look at",
                                          entry_of(node.type).name));
    }
}

void flatten_sum(KernelNode& node) {
    std::vector<Kernel> flat;
    for (const Kernel& child : node.children) {
        if (child.type() == KernelType::sum) {
            flat.insert(flat.end(), child.node().children.begin(), child.node().children.end());
        } else {
            flat.push_back(child);
        }
    }
    node.children = std::move(flat);
}

/// Splices products and returns the product of the factors taken out of multiples.
double flatten_product(KernelNode& node) {
    std::vector<Kernel> flat;
    double factor = 1.0;
    for (const Kernel& child : node.children) {
        Kernel bare = child;
        if (child.type() == KernelType::scale) {
            factor *= child.node().parameters.front();
            bare = child.node().children.front();
        }
        if (bare.type() == KernelType::product) {
            flat.insert(flat.end(), bare.node().children.begin(), bare.node().children.end());
        } else {
            flat.push_back(bare);
        }
    }
    node.children = std::move(flat);
    return factor;
}

Kernel wrap(KernelNode node) {
    require_extent(node);
    return Kernel(std::make_shared<const KernelNode>(std::move(node)));
}

Kernel make_multiple(double factor, const Kernel& kernel) {
    if (kernel.type() == KernelType::scale) {
        factor *= kernel.node().parameters.front();
        require_parameter(entry_of(KernelType::scale).parameters.front(), factor);
        return make_multiple(factor, kernel.node().children.front());
    }
    if (factor == 1.0) {
        return kernel;
    }
    KernelNode node;
    node.type = KernelType::scale;
    node.parameters = {factor};
    node.children = {kernel};
    return wrap(std::move(node));
}

Kernel make_leaf(KernelType type, std::vector<double> parameters) {
    KernelNode node;
    node.type = type;
    node.parameters = std::move(parameters);
    return make_kernel(std::move(node));
}

/// NaN stands for `scale` inside a node; as an argument of a program it is a mistake.
Kernel make_numeric_leaf(KernelType type, std::vector<double> parameters) {
    const CatalogueEntry& entry = entry_of(type);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (std::isnan(parameters[i])) {
            require_in_range(entry.parameters[i].name, parameters[i], entry.parameters[i].range);
        }
    }
    return make_leaf(type, std::move(parameters));
}

Kernel make_combination(KernelType type, std::vector<Kernel> children,
                        std::vector<double> parameters = {}) {
    KernelNode node;
    node.type = type;
    node.children = std::move(children);
    node.parameters = std::move(parameters);
    return make_kernel(std::move(node));
}

}  // namespace

Kernel make_kernel(KernelNode node) {
    require_children(node);
    require_parameters(node);
    require_selection(node);
    require_attachments(node);
    if (node.type == KernelType::scale) {
        return make_multiple(node.parameters.front(), node.children.front());
    }
    if (node.type == KernelType::sum) {
        flatten_sum(node);
    }
    if (node.type == KernelType::product) {
        const double factor = flatten_product(node);
        require_parameter(entry_of(KernelType::scale).parameters.front(), factor);
        return make_multiple(factor, wrap(std::move(node)));
    }
    return wrap(std::move(node));
}

Kernel::Kernel() : node_(std::make_shared<const KernelNode>()) {}

Kernel linear_kernel() { return Kernel(); }

Kernel poly_kernel(double degree, double coef0, double scale) {
    if (degree == 0.0) {
        return constant_kernel(1.0);
    }
    return make_numeric_leaf(KernelType::poly, {degree, coef0, scale});
}

Kernel rbf_kernel(double gamma) { return make_numeric_leaf(KernelType::rbf, {gamma}); }

Kernel laplace_kernel(double gamma) { return make_numeric_leaf(KernelType::laplace, {gamma}); }

Kernel matern_kernel(double nu, double length) {
    return make_numeric_leaf(KernelType::matern, {nu, length});
}

Kernel constant_kernel(double value) { return make_numeric_leaf(KernelType::constant, {value}); }

Kernel precomputed_kernel() { return make_leaf(KernelType::precomputed, {}); }

Kernel operator*(double factor, const Kernel& kernel) {
    return make_combination(KernelType::scale, {kernel}, {factor});
}

Kernel operator+(const Kernel& a, const Kernel& b) {
    return make_combination(KernelType::sum, {a, b});
}

Kernel operator*(const Kernel& a, const Kernel& b) {
    return make_combination(KernelType::product, {a, b});
}

Kernel exp(const Kernel& kernel) { return make_combination(KernelType::exponential, {kernel}); }

Kernel pow(const Kernel& kernel, int exponent) {
    return make_combination(KernelType::power, {kernel}, {static_cast<double>(exponent)});
}

Kernel normalized(const Kernel& kernel) {
    return make_combination(KernelType::normalized, {kernel});
}

Kernel polynomial(const Kernel& kernel, std::vector<double> coefficients) {
    return make_combination(KernelType::polynomial, {kernel}, std::move(coefficients));
}

Kernel scaled(const Kernel& kernel, std::shared_ptr<const RowFunction> function) {
    KernelNode node;
    node.type = KernelType::row_scaled;
    node.children = {kernel};
    node.row_function = std::move(function);
    return make_kernel(std::move(node));
}

Kernel columns(const Kernel& kernel, std::vector<ColumnRange> selection) {
    KernelNode node;
    node.type = KernelType::columns;
    node.children = {kernel};
    node.selection = std::move(selection);
    return make_kernel(std::move(node));
}

}  // namespace mercer
