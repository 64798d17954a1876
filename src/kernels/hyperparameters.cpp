// SPDX-License-Identifier: Apache-2.0
//
// src/kernels/hyperparameters.cpp - derivatives of an expression, from the leaves up.
//
// The slopes of a node are its own, followed by those of its children in turn. Each slope is
// dk / dlog t = t dk / dt.
#include "mercer/kernels/hyperparameters.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "kernels/chosen_columns.hpp"
#include "mercer/base/dot.hpp"
#include "mercer/base/error.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/kernels/formulas.hpp"

namespace mercer {

namespace {

using Row = std::span<const double>;
using Slopes = std::span<double>;

/// True when a parameter of the node is free, which may depend on its value.
bool is_free(const KernelNode& node, std::size_t place) {
    const bool positive = node.parameters[place] > 0.0;
    switch (node.type) {
        case KernelType::rbf:
        case KernelType::laplace:
        case KernelType::chi2:
        case KernelType::rational_quadratic:
        case KernelType::constant:
        case KernelType::scale:
        case KernelType::polynomial:
            return positive;
        case KernelType::matern:
            return place == 1;
        case KernelType::poly:
            return place > 0 && positive;
        default:
            return false;
    }
}

index_t own_count(const KernelNode& node) {
    index_t count = 0;
    for (std::size_t place = 0; place < node.parameters.size(); ++place) {
        count += static_cast<index_t>(is_free(node, place));
    }
    return count;
}

index_t count_of(const KernelNode& node) {
    index_t count = own_count(node);
    for (const Kernel& child : node.children) {
        count += count_of(child.node());
    }
    return count;
}

std::string name_of(const KernelNode& node, std::size_t place) {
    if (node.type == KernelType::scale) {
        return "weight";
    }
    if (node.type == KernelType::polynomial) {
        return fmt::format("coefficient{}", place);
    }
    const CatalogueEntry& entry = entry_of(node.type);
    return place < entry.parameters.size() ? std::string(entry.parameters[place].name)
                                           : fmt::format("parameter{}", place);
}

/// Calls use(node, place) for every parameter in the order of the slopes.
template <typename Use>
void each_parameter(const KernelNode& node, const Use& use) {
    for (std::size_t place = 0; place < node.parameters.size(); ++place) {
        use(node, place);
    }
    for (const Kernel& child : node.children) {
        each_parameter(child.node(), use);
    }
}

/// With `canonical`, nodes are built by make_kernel(), which drops a factor 1; otherwise the tree
/// keeps its shape.
Kernel rebuilt(const Kernel& kernel, std::span<const double> values, bool canonical,
               std::size_t& at) {
    KernelNode node = kernel.node();
    for (std::size_t place = 0; place < node.parameters.size(); ++place) {
        if (is_free(kernel.node(), place)) {
            require_in_range(name_of(node, place), values[at], Range::positive());
            node.parameters[place] = values[at++];
        }
    }
    for (Kernel& child : node.children) {
        child = rebuilt(child, values, canonical, at);
    }
    return canonical ? make_kernel(std::move(node))
                     : Kernel(std::make_shared<const KernelNode>(std::move(node)));
}

/// dk / dlog length of the Matern kernel, t = sqrt(2 nu) |x - z| / length.
double matern_slope(double distance, double nu, double length) {
    const double t = std::sqrt(2.0 * nu) * (distance / length);
    if (!(t > 0.0) || t > 705.0) {
        return 0.0;
    }
    if (nu == 0.5) {
        return t * std::exp(-t);
    }
    if (nu == 1.5) {
        return t * t * std::exp(-t);
    }
    if (nu == 2.5) {
        return t * t * (1.0 + t) / 3.0 * std::exp(-t);
    }
    // (t^nu K_nu)' = -t^nu K_(nu - 1), and K_(-a) = K_a.
    const double bessel = std::cyl_bessel_k(std::abs(nu - 1.0), t);
    const double slope = 2.0 * t * std::pow(0.5 * t, nu) * bessel / std::tgamma(nu);
    return std::isfinite(slope) ? slope : 0.0;  // t so small that K overflows: k = 1 there
}

double squared_difference(Row x, Row z) {
    return formulas::squared_distance(x.data(), z.data(), static_cast<index_t>(x.size()));
}

/// Slopes in log c and log gamma of (gamma <x, z> + c)^degree, for those of the two that are > 0.
void poly_slopes(const std::vector<double>& p, double product, Slopes slopes) {
    const double rest =
        p[0] * formulas::integer_power(p[2] * product + p[1], static_cast<std::int64_t>(p[0]) - 1);
    std::size_t at = 0;
    if (p[1] > 0.0) {
        slopes[at++] = p[1] * rest;
    }
    if (p[2] > 0.0) {
        slopes[at] = p[2] * product * rest;
    }
}

/// The slopes of a leaf, given its value.
void leaf_slopes(const KernelNode& node, Row x, Row z, double value, Slopes slopes) {
    const std::vector<double>& p = node.parameters;
    switch (node.type) {
        case KernelType::rbf:
            slopes[0] = -p[0] * squared_difference(x, z) * value;
            return;
        case KernelType::laplace:
        case KernelType::chi2:  // exp(-gamma d): the slope is log(k) k
            slopes[0] = value > 0.0 ? std::log(value) * value : 0.0;
            return;
        case KernelType::matern:
            slopes[0] = matern_slope(std::sqrt(squared_difference(x, z)), p[0], p[1]);
            return;
        case KernelType::rational_quadratic: {
            const double s = squared_difference(x, z) / (2.0 * p[0] * p[1] * p[1]);
            slopes[0] = p[0] * (s / (1.0 + s) - std::log1p(s)) * value;
            slopes[1] = 2.0 * p[0] * s / (1.0 + s) * value;
            return;
        }
        case KernelType::constant:
            if (!slopes.empty()) {
                slopes[0] = value;
            }
            return;
        case KernelType::poly:
            poly_slopes(p, dot(x, z), slopes);
            return;
        default:
            return;
    }
}

double evaluate(const Kernel& kernel, Row x, Row z, Slopes slopes);

void times(Slopes slopes, double factor) {
    for (double& slope : slopes) {
        slope *= factor;
    }
}

double sum_or_product(const KernelNode& node, Row x, Row z, Slopes slopes) {
    std::vector<double> values;
    std::vector<Slopes> parts;
    for (const Kernel& child : node.children) {
        const auto size = static_cast<std::size_t>(count_of(child.node()));
        parts.push_back(slopes.first(size));
        slopes = slopes.subspan(size);
        values.push_back(evaluate(child, x, z, parts.back()));
    }
    double result = values.front();
    for (std::size_t i = 1; i < values.size(); ++i) {
        result = node.type == KernelType::sum ? result + values[i] : result * values[i];
    }
    for (std::size_t i = 0; node.type == KernelType::product && i < parts.size(); ++i) {
        double others = 1.0;
        for (std::size_t j = 0; j < values.size(); ++j) {
            others *= i == j ? 1.0 : values[j];
        }
        times(parts[i], others);
    }
    return result;
}

double normalized_value(const Kernel& child, Row x, Row z, Slopes slopes) {
    std::vector<double> at_x(slopes.size());
    std::vector<double> at_z(slopes.size());
    const double value = evaluate(child, x, z, slopes);
    const double xx = evaluate(child, x, x, at_x);
    const double zz = evaluate(child, z, z, at_z);
    const double result = formulas::normalized(value, xx, zz);
    for (std::size_t j = 0; j < slopes.size(); ++j) {
        slopes[j] = xx > 0.0 && zz > 0.0 ? formulas::normalized(slopes[j], xx, zz) -
                                               0.5 * result * (at_x[j] / xx + at_z[j] / zz)
                                         : 0.0;
    }
    return result;
}

/// sum_i c_i v^i of a child with value v; the slopes of the coefficients come first.
double polynomial_value(const KernelNode& node, Row x, Row z, Slopes slopes) {
    const std::vector<double>& c = node.parameters;
    const auto own = static_cast<std::size_t>(own_count(node));
    const Slopes inner = slopes.subspan(own);
    const double v = evaluate(node.children.front(), x, z, inner);
    double power = 1.0;
    double derivative = 0.0;
    double value = 0.0;
    std::size_t at = 0;
    for (std::size_t i = 0; i < c.size(); ++i) {
        if (i + 1 < c.size()) {
            derivative += static_cast<double>(i + 1) * c[i + 1] * power;
        }
        value += c[i] * power;
        if (c[i] > 0.0) {
            slopes[at++] = c[i] * power;
        }
        power *= v;
    }
    times(inner, derivative);
    return value;
}

double scaled_value(const KernelNode& node, Row x, Row z, Slopes slopes) {
    const double weight = node.parameters[0];
    const Slopes inner = slopes.subspan(static_cast<std::size_t>(own_count(node)));
    const double value = weight * evaluate(node.children.front(), x, z, inner);
    times(inner, weight);
    if (weight > 0.0) {
        slopes[0] = value;
    }
    return value;
}

double power_value(const KernelNode& node, Row x, Row z, Slopes slopes) {
    const double degree = node.parameters[0];
    const double inner = evaluate(node.children.front(), x, z, slopes);
    const auto exponent = static_cast<std::int64_t>(degree);
    times(slopes, exponent == 0 ? 0.0 : degree * formulas::integer_power(inner, exponent - 1));
    return formulas::integer_power(inner, exponent);
}

double evaluate(const Kernel& kernel, Row x, Row z, Slopes slopes) {
    const KernelNode& node = kernel.node();
    switch (node.type) {
        case KernelType::sum:
        case KernelType::product:
            return sum_or_product(node, x, z, slopes);
        case KernelType::scale:
            return scaled_value(node, x, z, slopes);
        case KernelType::exponential: {
            const double value = std::exp(evaluate(node.children.front(), x, z, slopes));
            times(slopes, value);
            return value;
        }
        case KernelType::polynomial:
            return polynomial_value(node, x, z, slopes);
        case KernelType::power:
            return power_value(node, x, z, slopes);
        case KernelType::normalized:
            return normalized_value(node.children.front(), x, z, slopes);
        case KernelType::row_scaled: {
            const double factor = (*node.row_function)(x) * (*node.row_function)(z);
            const double value = factor * evaluate(node.children.front(), x, z, slopes);
            times(slopes, factor);
            return value;
        }
        case KernelType::columns:
            return evaluate(node.children.front(), chosen_columns(x, node.selection),
                            chosen_columns(z, node.selection), slopes);
        default: {
            const double value = kernel(x, z);
            leaf_slopes(node, x, z, value, slopes);
            return value;
        }
    }
}

void require_values(const Kernel& kernel, std::span<const double> values) {
    if (static_cast<index_t>(values.size()) != count_of(kernel.node())) {
        throw InvalidArgument(fmt::format("hyperparameters: got {} values, the kernel has {}",
                                          values.size(), count_of(kernel.node())));
    }
}

}  // namespace

std::vector<Hyperparameter> free_hyperparameters(const Kernel& kernel) {
    if (!kernel.is_resolved()) {
        throw InvalidArgument("gamma", "", "is 'scale', which needs data",
                              "resolve the kernel first");
    }
    std::vector<Hyperparameter> all;
    std::map<std::string, int> times_seen;
    each_parameter(kernel.node(), [&](const KernelNode& node, std::size_t place) {
        if (is_free(node, place)) {
            all.push_back({name_of(node, place), node.parameters[place]});
            ++times_seen[all.back().name];
        }
    });
    std::map<std::string, int> number;
    for (Hyperparameter& one : all) {
        if (times_seen[one.name] > 1) {
            one.name = fmt::format("{}[{}]", one.name, ++number[one.name]);
        }
    }
    return all;
}

std::vector<std::string> fixed_hyperparameters(const Kernel& kernel) {
    std::vector<std::string> all;
    each_parameter(kernel.node(), [&](const KernelNode& node, std::size_t place) {
        if (!is_free(node, place)) {
            const std::string_view kernel_name = entry_of(node.type).name;
            all.push_back(fmt::format("{} of {}", name_of(node, place),
                                      kernel_name.empty() ? "an expression" : kernel_name));
        }
    });
    return all;
}

Kernel with_hyperparameters(const Kernel& kernel, std::span<const double> values) {
    require_values(kernel, values);
    std::size_t at = 0;
    return rebuilt(kernel, values, true, at);
}

HyperparameterDerivative::HyperparameterDerivative(const Kernel& kernel)
    : kernel_(kernel), size_(static_cast<index_t>(free_hyperparameters(kernel).size())) {}

HyperparameterDerivative::HyperparameterDerivative(const Kernel& kernel,
                                                   std::span<const double> values)
    : size_(count_of(kernel.node())) {
    require_values(kernel, values);
    std::size_t at = 0;
    kernel_ = rebuilt(kernel, values, false, at);
}

double HyperparameterDerivative::operator()(std::span<const double> x, std::span<const double> z,
                                            std::span<double> slopes) const {
    return evaluate(kernel_, x, z, slopes);
}

}  // namespace mercer
