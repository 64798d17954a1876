// SPDX-License-Identifier: Apache-2.0
//
// src/kernels/evaluate.cpp - the reference value of k(x, z), by direct recursion.
//
// Obvious rather than fast: it is the oracle every faster path is compared with.
#include <fmt/core.h>

#include <cmath>

#include "kernels/chosen_columns.hpp"
#include "kernels/lookup.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/kernels/formulas.hpp"

namespace mercer {

namespace {

using Row = std::span<const double>;

double evaluate(const KernelNode& node, Row x, Row z);

index_t length(Row x) { return static_cast<index_t>(x.size()); }

double squared_distance(Row x, Row z) {
    return formulas::squared_distance(x.data(), z.data(), length(x));
}

double dot(Row x, Row z) { return formulas::dot(x.data(), z.data(), length(x)); }

double quadratic_form(const KernelMatrix& matrix, Row x, Row z) {
    double sum = 0.0;
    for (index_t i = 0; i < matrix.rows; ++i) {
        const double* row = matrix.values.data() + i * matrix.columns;
        sum =
            std::fma(x[static_cast<std::size_t>(i)], formulas::dot(row, z.data(), length(z)), sum);
    }
    return sum;
}

double mixture(const KernelMatrix& matrix, double x, double z) {
    const double* left = matrix.values.data() + static_cast<index_t>(x) * matrix.columns;
    const double* right = matrix.values.data() + static_cast<index_t>(z) * matrix.columns;
    return formulas::dot(left, right, matrix.columns);
}

double custom(const CustomKernel& kernel, Row x, Row z) {
    double value = 0.0;
    kernel.evaluate_tile({x.data(), 1, length(x)}, {z.data(), 1, length(z)}, {&value, 1, 1});
    return value;
}

double evaluate_leaf(const KernelNode& node, Row x, Row z) {
    const std::vector<double>& p = node.parameters;
    switch (node.type) {
        case KernelType::linear:
            return dot(x, z);
        case KernelType::poly:
            return formulas::poly(dot(x, z), static_cast<index_t>(p[0]), p[1], p[2]);
        case KernelType::monomial:
            return formulas::integer_power(dot(x, z), static_cast<index_t>(p[0]));
        case KernelType::rbf:
            return formulas::rbf(squared_distance(x, z), p[0]);
        case KernelType::laplace:
            return formulas::laplace(formulas::l1_distance(x.data(), z.data(), length(x)), p[0]);
        case KernelType::sigmoid:
            return formulas::sigmoid(dot(x, z), p[0], p[1]);
        case KernelType::delta:
            return formulas::delta(x.data(), z.data(), length(x));
        case KernelType::brownian_bridge:
            return formulas::brownian_bridge(x[0], z[0]);
        case KernelType::sinc:
            return formulas::sinc(x[0] - z[0], p[0]);
        case KernelType::cosine:
            return formulas::cosine(dot(x, z), dot(x, x), dot(z, z));
        case KernelType::chi2:
            return formulas::chi2(formulas::chi2_distance(x.data(), z.data(), length(x)), p[0]);
        case KernelType::intersection:
            return formulas::intersection(x.data(), z.data(), length(x));
        case KernelType::constant:
            return p[0];
        case KernelType::quadratic_form:
            return quadratic_form(*node.matrix, x, z);
        case KernelType::mixture:
            return mixture(*node.matrix, x[0], z[0]);
        case KernelType::latent_gaussian:
            return formulas::latent_gaussian(formulas::squared_sum(x.data(), z.data(), length(x)),
                                             squared_distance(x, z), length(x), p[0], p[1]);
        case KernelType::negative_distance:
            return formulas::negative_distance(squared_distance(x, z), p[0]);
        case KernelType::custom:
            return custom(*node.custom, x, z);
        default:
            if (const RadialForm* radial = entry_of(node.type).radial) {
                return radial->value(squared_distance(x, z), p.data());
            }
            throw InvalidArgument(
                "precomputed: has no value for two rows, its values are a matrix");
    }
}

double evaluate_normalized(const KernelNode& child, Row x, Row z) {
    return formulas::normalized(evaluate(child, x, z), evaluate(child, x, x),
                                evaluate(child, z, z));
}

/// Left to right, in the order of the children.
double fold(const KernelNode& node, Row x, Row z) {
    double result = evaluate(node.children.front().node(), x, z);
    for (std::size_t i = 1; i < node.children.size(); ++i) {
        const double next = evaluate(node.children[i].node(), x, z);
        result = node.type == KernelType::sum ? result + next : result * next;
    }
    return result;
}

double evaluate(const KernelNode& node, Row x, Row z) {
    const std::vector<double>& p = node.parameters;
    switch (node.type) {
        case KernelType::scale:
            return p[0] * evaluate(node.children.front().node(), x, z);
        case KernelType::sum:
        case KernelType::product:
            return fold(node, x, z);
        case KernelType::exponential:
            return std::exp(evaluate(node.children.front().node(), x, z));
        case KernelType::polynomial:
            return formulas::polynomial(p.data(), static_cast<index_t>(p.size()),
                                        evaluate(node.children.front().node(), x, z));
        case KernelType::normalized:
            return evaluate_normalized(node.children.front().node(), x, z);
        case KernelType::row_scaled:
            // The two factors first: their product is the same for (x, z) and (z, x).
            return (*node.row_function)(x) *
                   (*node.row_function)(z)*evaluate(node.children.front().node(), x, z);
        case KernelType::columns:
            return evaluate(node.children.front().node(), chosen_columns(x, node.selection),
                            chosen_columns(z, node.selection));
        case KernelType::power:
            return formulas::integer_power(evaluate(node.children.front().node(), x, z),
                                           static_cast<index_t>(p[0]));
        default:
            return evaluate_leaf(node, x, z);
    }
}

void require_domain(const Kernel& kernel, Row row) {
    const std::string message = domain_violation(kernel, row);
    if (!message.empty()) {
        throw InvalidArgument(message);
    }
}

}  // namespace

double Kernel::operator()(std::span<const double> x, std::span<const double> z) const {
    if (x.size() != z.size()) {
        throw InvalidArgument(
            fmt::format("kernel: the rows have {} and {} columns", x.size(), z.size()));
    }
    if (!is_resolved()) {
        throw InvalidArgument("gamma: is 'scale', which needs data; resolve the kernel first");
    }
    require_columns(*this, length(x));
    require_domain(*this, x);
    require_domain(*this, z);
    return evaluate(*node_, x, z);
}

double diagonal(const Kernel& kernel, std::span<const double> x) { return kernel(x, x); }

}  // namespace mercer
