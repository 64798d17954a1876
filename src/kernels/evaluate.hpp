// SPDX-License-Identifier: Apache-2.0
//
// src/kernels/evaluate.hpp - the value of k(x, z) by direct recursion, in double or with more
// digits.
//
// Obvious rather than fast: in double it is the reference that every faster path is compared with.
// Rows, parameters, matrices and functions of one row are doubles; everything else is a Real.
#pragma once

#include <cmath>
#include <span>
#include <type_traits>
#include <vector>

#include "kernels/chosen_columns.hpp"
#include "mercer/base/error.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/kernels/formulas.hpp"

namespace mercer {

/// Throws InvalidArgument unless k(x, z) is defined (dimensions, domain, parameters still "scale").
void require_pair(const Kernel& kernel, std::span<const double> x, std::span<const double> z);

template <typename Real>
class Evaluator {
public:
    using Row = std::span<const double>;

    static Real evaluate(const KernelNode& node, Row x, Row z) {
        const std::vector<double>& p = node.parameters;
        switch (node.type) {
            case KernelType::scale:
                return p[0] * of_child(node, x, z);
            case KernelType::sum:
            case KernelType::product:
                return fold(node, x, z);
            case KernelType::exponential: {
                using std::exp;
                return exp(of_child(node, x, z));
            }
            case KernelType::polynomial:
                return formulas::polynomial(p.data(), static_cast<index_t>(p.size()),
                                            of_child(node, x, z));
            case KernelType::normalized:
                return formulas::normalized(of_child(node, x, z), of_child(node, x, x),
                                            of_child(node, z, z));
            case KernelType::row_scaled:
                // The two factors are multiplied first: their product is the same for (x, z) and
                // (z, x).
                return Real((*node.row_function)(x)) * Real((*node.row_function)(z)) *
                       of_child(node, x, z);
            case KernelType::columns:
                return of_child(node, chosen_columns(x, node.selection),
                                chosen_columns(z, node.selection));
            case KernelType::power:
                return formulas::integer_power(of_child(node, x, z), static_cast<index_t>(p[0]));
            default:
                return leaf(node, x, z);
        }
    }

private:
    static index_t length(Row x) { return static_cast<index_t>(x.size()); }

    static Real dot(Row x, Row z) { return formulas::dot<Real>(x.data(), z.data(), length(x)); }

    static Real squared_distance(Row x, Row z) {
        return formulas::squared_distance<Real>(x.data(), z.data(), length(x));
    }

    static Real of_child(const KernelNode& node, Row x, Row z) {
        return evaluate(node.children.front().node(), x, z);
    }

    /// Left to right, in the order of the children.
    static Real fold(const KernelNode& node, Row x, Row z) {
        Real result = of_child(node, x, z);
        for (std::size_t i = 1; i < node.children.size(); ++i) {
            const Real next = evaluate(node.children[i].node(), x, z);
            result = node.type == KernelType::sum ? result + next : result * next;
        }
        return result;
    }

    static Real quadratic_form(const KernelMatrix& matrix, Row x, Row z) {
        Real sum = 0.0;
        for (index_t i = 0; i < matrix.rows; ++i) {
            const double* row = matrix.values.data() + i * matrix.columns;
            sum = formulas::multiply_add<Real>(x[static_cast<std::size_t>(i)],
                                               formulas::dot<Real>(row, z.data(), length(z)), sum);
        }
        return sum;
    }

    static Real mixture(const KernelMatrix& matrix, double x, double z) {
        const double* left = matrix.values.data() + static_cast<index_t>(x) * matrix.columns;
        const double* right = matrix.values.data() + static_cast<index_t>(z) * matrix.columns;
        return formulas::dot<Real>(left, right, matrix.columns);
    }

    /// The values of a custom kernel are doubles.
    static Real custom(const CustomKernel& kernel, Row x, Row z) {
        double value = 0.0;
        kernel.evaluate_tile({x.data(), 1, length(x)}, {z.data(), 1, length(z)}, {&value, 1, 1});
        return value;
    }

    static Real radial(const RadialForm& form, Real squared_distance, const double* p) {
        if constexpr (std::is_same_v<Real, double>) {
            return form.value(squared_distance, p);
        } else {
            return form.precise(squared_distance, p);
        }
    }

    static Real leaf(const KernelNode& node, Row x, Row z) {
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
            case KernelType::sigmoid:
                return formulas::sigmoid(dot(x, z), p[0], p[1]);
            case KernelType::cosine:
                return formulas::cosine(dot(x, z), dot(x, x), dot(z, z));
            case KernelType::constant:
                return p[0];
            case KernelType::negative_distance:
                return formulas::negative_distance(squared_distance(x, z), p[0]);
            case KernelType::custom:
                return custom(*node.custom, x, z);
            default:
                return rare_leaf(node, x, z);
        }
    }

    static Real rare_leaf(const KernelNode& node, Row x, Row z) {
        const std::vector<double>& p = node.parameters;
        const index_t n = length(x);
        switch (node.type) {
            case KernelType::laplace:
                return formulas::laplace(formulas::l1_distance<Real>(x.data(), z.data(), n), p[0]);
            case KernelType::delta:
                return formulas::delta<Real>(x.data(), z.data(), n);
            case KernelType::brownian_bridge:
                return formulas::brownian_bridge(Real(x[0]), Real(z[0]));
            case KernelType::sinc:
                return formulas::sinc(Real(x[0]) - Real(z[0]), p[0]);
            case KernelType::chi2:
                return formulas::chi2(formulas::chi2_distance<Real>(x.data(), z.data(), n), p[0]);
            case KernelType::intersection:
                return formulas::intersection<Real>(x.data(), z.data(), n);
            case KernelType::quadratic_form:
                return quadratic_form(*node.matrix, x, z);
            case KernelType::mixture:
                return mixture(*node.matrix, x[0], z[0]);
            case KernelType::latent_gaussian:
                return formulas::latent_gaussian(formulas::squared_sum<Real>(x.data(), z.data(), n),
                                                 squared_distance(x, z), n, p[0], p[1]);
            default:
                if (const RadialForm* form = entry_of(node.type).radial) {
                    return radial(*form, squared_distance(x, z), p.data());
                }
                throw InvalidArgument(
                    "precomputed: has no value for two rows, its values are a matrix");
        }
    }
};

}  // namespace mercer
