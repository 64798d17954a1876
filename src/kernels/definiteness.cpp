// SPDX-License-Identifier: Apache-2.0
//
// src/kernels/definiteness.cpp - what the construction of a kernel proves about its Gram matrices.
//
// Three facts are derived together, from the children upwards: definiteness itself; whether
// k(x,x) > 0 for every row ("positive diagonal"); and whether the feature map is injective,
// k(x,x) + k(z,z) - 2 k(x,z) > 0 for x != z ("separates"). The last two decide when a product or an
// exponential is strictly positive definite. A fact that cannot be derived is not claimed.
#include <algorithm>

#include "mercer/kernels/catalogue.hpp"

namespace mercer {

namespace {

using enum Definiteness;

struct Facts {
    Definiteness definiteness = indefinite;
    bool positive_diagonal = false;
    bool separates = false;
};

Facts strict_facts() { return {strictly_positive_definite, true, true}; }

bool is_positive(const Facts& facts) {
    return facts.definiteness == strictly_positive_definite ||
           facts.definiteness == positive_definite;
}

bool is_strict(const Facts& facts) { return facts.definiteness == strictly_positive_definite; }

bool is_odd(double value) { return static_cast<index_t>(value) % 2 == 1; }

/// True when the construction shows that f(x) is never 0.
bool never_zero(const RowFunction& function) {
    switch (function.type) {
        case RowFunctionType::number:
            return function.value != 0.0;
        case RowFunctionType::exponential:
            return true;
        case RowFunctionType::power:
            return function.value == 0.0 || never_zero(*function.children.front());
        case RowFunctionType::product:
            return std::all_of(function.children.begin(), function.children.end(),
                               [](const auto& child) { return never_zero(*child); });
        default:
            return false;
    }
}

Facts poly_facts(const KernelNode& node) {
    const double degree = node.parameters[0];
    const double coef0 = node.parameters[1];
    if (coef0 < 0.0) {
        // For degree 1 the negative constant vanishes on coefficients that sum to zero.
        return {degree == 1.0 ? conditionally_positive_definite : indefinite, false, degree == 1.0};
    }
    // With coef0 > 0 the monomials of degree 1 are among the features; without, all features have
    // one degree, and those of an even degree cannot tell x from -x.
    return {positive_definite, coef0 > 0.0, coef0 > 0.0 || is_odd(degree)};
}

/// A radial kernel that is strictly positive definite separates all rows.
Facts radial_facts(const RadialForm* radial) {
    if (radial == nullptr) {
        return {};
    }
    const bool strict = radial->definiteness == strictly_positive_definite;
    return {radial->definiteness, strict, strict};
}

Facts leaf_facts(const KernelNode& node) {
    switch (node.type) {
        case KernelType::linear:
            return {positive_definite, false, true};
        case KernelType::poly:
            return poly_facts(node);
        case KernelType::monomial:
            return {positive_definite, false, is_odd(node.parameters.front())};
        case KernelType::rbf:              // spectral density positive everywhere
        case KernelType::laplace:          // likewise, a product over columns
        case KernelType::delta:            // the identity matrix
        case KernelType::sinc:             // exponentials are independent on every interval
        case KernelType::chi2:             // f(x) f(z) exp(<p(x), p(z)>), p injective
        case KernelType::latent_gaussian:  // f(x) f(z) exp(c x'z), f and c positive
            return strict_facts();
        case KernelType::intersection:  // inner product of the indicators of [0, x_i)
            return {positive_definite, false, true};
        case KernelType::constant:
            return {positive_definite, node.parameters.front() > 0.0, false};
        case KernelType::brownian_bridge:  // 0 at both ends of the interval
        case KernelType::cosine:           // cannot tell x from 2x
        case KernelType::quadratic_form:
        case KernelType::mixture:
        case KernelType::precomputed:  // assumed; a test of the matrix may prove the opposite
            return {positive_definite, false, false};
        case KernelType::negative_distance:  // Schoenberg: powers up to 2
            return {conditionally_positive_definite, false, true};
        case KernelType::custom: {
            const Definiteness said = node.custom->definiteness();
            const bool strict = said == strictly_positive_definite;
            return {said, strict, strict};
        }
        default:  // sigmoid, kernels that declare it, and unknown ones
            return radial_facts(entry_of(node.type).radial);
    }
}

/// Gram matrices add: strictness survives, one conditional part makes the sum conditional.
Facts sum_facts(const std::vector<Facts>& parts) {
    Facts facts{positive_definite, false, false};
    for (const Facts& part : parts) {
        if (part.definiteness == indefinite) {
            return {};
        }
        facts.separates = facts.separates || part.separates;
        facts.positive_diagonal = facts.positive_diagonal || part.positive_diagonal;
    }
    if (!std::all_of(parts.begin(), parts.end(), is_positive)) {
        // The conditional part may be negative on the diagonal.
        return {conditionally_positive_definite, false, facts.separates};
    }
    return std::any_of(parts.begin(), parts.end(), is_strict) ? strict_facts() : facts;
}

/// Schur: entrywise products stay positive semidefinite; one strict factor makes them strict when
/// no other factor can vanish on the diagonal.
Facts product_facts(const std::vector<Facts>& parts) {
    if (!std::all_of(parts.begin(), parts.end(), is_positive)) {
        return {};
    }
    const bool diagonal = std::all_of(parts.begin(), parts.end(),
                                      [](const Facts& part) { return part.positive_diagonal; });
    if (diagonal && std::any_of(parts.begin(), parts.end(), is_strict)) {
        return strict_facts();
    }
    return {positive_definite, diagonal, false};
}

/// exp(k) = f(x) f(z) exp(<p(x), p(z)>) for k positive or conditionally positive definite
/// (Schoenberg), and the exponential of an inner product is strict on distinct p(x).
Facts exponential_facts(const Facts& child) {
    if (child.definiteness == indefinite) {
        return {indefinite, true, false};
    }
    return child.separates ? strict_facts() : Facts{positive_definite, true, false};
}

/// Powers of k are Schur products; an odd tensor power of a feature vector determines the vector.
Facts power_facts(const Facts& child, double exponent) {
    if (exponent == 1.0 || is_strict(child)) {
        return child;
    }
    if (!is_positive(child)) {
        return {};
    }
    return {positive_definite, child.positive_diagonal, child.separates && is_odd(exponent)};
}

Facts polynomial_facts(const Facts& child, const std::vector<double>& coefficients) {
    std::vector<Facts> terms{Facts{positive_definite, coefficients.front() > 0.0, false}};
    for (std::size_t i = 1; i < coefficients.size(); ++i) {
        if (coefficients[i] > 0.0) {
            terms.push_back(power_facts(child, static_cast<double>(i)));
        }
    }
    return sum_facts(terms);
}

/// D K D for a diagonal D: strict when K is and D is invertible. A conditional kernel would need
/// its own constraint rescaled, so nothing is claimed.
Facts row_scaled_facts(const Facts& child, const RowFunction& function) {
    if (!is_positive(child)) {
        return {};
    }
    if (!never_zero(function)) {
        return {positive_definite, false, false};
    }
    return is_strict(child) ? child : Facts{positive_definite, child.positive_diagonal, false};
}

/// Distinct rows may agree on the chosen columns.
Facts columns_facts(const Facts& child) {
    return {is_strict(child) ? positive_definite : child.definiteness, child.positive_diagonal,
            false};
}

Facts derive(const KernelNode& node) {
    std::vector<Facts> parts;
    for (const Kernel& child : node.children) {
        parts.push_back(derive(child.node()));
    }
    switch (node.type) {
        case KernelType::scale:
            return parts.front();
        case KernelType::sum:
            return sum_facts(parts);
        case KernelType::product:
            return product_facts(parts);
        case KernelType::exponential:
            return exponential_facts(parts.front());
        case KernelType::polynomial:
            return polynomial_facts(parts.front(), node.parameters);
        case KernelType::power:
            return power_facts(parts.front(), node.parameters.front());
        case KernelType::normalized:  // D K D with D = diag(k(x,x))^-1/2, or 0 where that fails
            if (!is_positive(parts.front())) {
                return {};
            }
            return is_strict(parts.front())
                       ? parts.front()
                       : Facts{positive_definite, parts.front().positive_diagonal, false};
        case KernelType::row_scaled:
            return row_scaled_facts(parts.front(), *node.row_function);
        case KernelType::columns:
            return columns_facts(parts.front());
        default:
            return leaf_facts(node);
    }
}

}  // namespace

Definiteness Kernel::definiteness() const { return derive(*node_).definiteness; }

std::string_view to_string(Definiteness definiteness) noexcept {
    switch (definiteness) {
        case strictly_positive_definite:
            return "strictly positive definite";
        case positive_definite:
            return "positive definite";
        case conditionally_positive_definite:
            return "conditionally positive definite";
        case indefinite:
            break;
    }
    return "indefinite";
}

}  // namespace mercer
