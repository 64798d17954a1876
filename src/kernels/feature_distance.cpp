// SPDX-License-Identifier: Apache-2.0
//
// src/kernels/feature_distance.cpp - distances in feature space without cancellation.
//
// Method   A recursion over the expression. Each node passes up k(x,x), k(z,z), k(x,z), the
//          difference g = k(x,x) - k(z,z) and D = k(x,x) + k(z,z) - 2 k(x,z). The last two are
//          never formed as a difference of large numbers.
//          For a product of kernels with (a1, b1, g1, D1) and (a2, b2, g2, D2):
//
//              D = (g1 g2 + (a1 + b1) D2 + (a2 + b2) D1 - D1 D2) / 2
//              g = (g1 (a2 + b2) + g2 (a1 + b1)) / 2
//
//          and powers, polynomials and row factors are products; exp(k) has
//          D' = 2 exp(k(x,z)) (expm1(D/2) cosh(g/2) + 2 sinh(g/4)^2).
// Notation a  k(x,x)   b  k(z,z)   g  a - b   D  squared distance
#include "mercer/kernels/feature_distance.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "kernels/chosen_columns.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/kernels/formulas.hpp"

namespace mercer {

namespace {

using Row = std::span<const double>;

struct Apart {
    double x = 0.0;         ///< k(x, x)
    double z = 0.0;         ///< k(z, z)
    double value = 0.0;     ///< k(x, z)
    double gap = 0.0;       ///< k(x, x) - k(z, z)
    double distance = 0.0;  ///< squared
};

Apart measure(const KernelNode& node, Row x, Row z);

index_t length(Row x) { return static_cast<index_t>(x.size()); }

double squared_distance(Row x, Row z) {
    return formulas::squared_distance(x.data(), z.data(), length(x));
}

/// The numbers of a kernel with k(x, x) = 1 and k(x, z) = 1 - `lack`.
Apart unit_diagonal(double lack) { return {1.0, 1.0, 1.0 - lack, 0.0, 2.0 * lack}; }

Apart linear(const double* x, const double* z, index_t n) {
    Apart out{formulas::squared_norm(x, n), formulas::squared_norm(z, n), formulas::dot(x, z, n),
              0.0, formulas::squared_distance(x, z, n)};
    for (index_t i = 0; i < n; ++i) {
        out.gap = std::fma(x[i] - z[i], x[i] + z[i], out.gap);
    }
    return out;
}

Apart sum(const Apart& p, const Apart& q) {
    return {p.x + q.x, p.z + q.z, p.value + q.value, p.gap + q.gap, p.distance + q.distance};
}

Apart multiple(double factor, const Apart& p) {
    return {factor * p.x, factor * p.z, factor * p.value, factor * p.gap, factor * p.distance};
}

Apart product(const Apart& p, const Apart& q) {
    const double both_p = p.x + p.z;
    const double both_q = q.x + q.z;
    return {p.x * q.x, p.z * q.z, p.value * q.value, 0.5 * (p.gap * both_q + q.gap * both_p),
            0.5 * (p.gap * q.gap + both_p * q.distance + both_q * p.distance -
                   p.distance * q.distance)};
}

Apart constant(double value) { return {value, value, value, 0.0, 0.0}; }

Apart power_apart(Apart base, index_t exponent) {
    Apart out = constant(1.0);
    while (exponent > 0) {
        if ((exponent & 1) != 0) {
            out = product(out, base);
        }
        exponent >>= 1;
        if (exponent > 0) {
            base = product(base, base);
        }
    }
    return out;
}

/// f(x) f(z), given both values and their difference.
Apart rank_one(double x, double z, double difference) {
    return {x * x, z * z, x * z, difference * (x + z), difference * difference};
}

Apart exponential(const Apart& p) {
    Apart out{std::exp(p.x), std::exp(p.z), std::exp(p.value), 0.0, 0.0};
    if (std::abs(p.gap) > 1.0 || std::abs(p.distance) > 1.0) {  // nothing cancels; may overflow
        out.gap = out.x - out.z;
        out.distance = out.x + out.z - 2.0 * out.value;
        return out;
    }
    out.gap = out.z * std::expm1(p.gap);
    const double quarter = std::sinh(0.25 * p.gap);
    out.distance =
        2.0 * out.value *
        (std::expm1(0.5 * p.distance) * std::cosh(0.5 * p.gap) + 2.0 * quarter * quarter);
    return out;
}

/// 2 - 2 cos of the angle is (D - (|phi(x)| - |phi(z)|)^2) / (|phi(x)| |phi(z)|). That is more
/// accurate for vectors that are close, and less accurate for lengths that differ much.
Apart normalized(const Apart& p) {
    if (p.x <= 0.0 || p.z <= 0.0) {  // the normalized value of such a row with any row is 0
        const double x = p.x > 0.0 ? 1.0 : 0.0;
        const double z = p.z > 0.0 ? 1.0 : 0.0;
        return {x, z, 0.0, x - z, x + z};
    }
    const double root_x = std::sqrt(p.x);
    const double root_z = std::sqrt(p.z);
    const double lengths = p.gap / (root_x + root_z);
    const double value = formulas::normalized(p.value, p.x, p.z);
    const bool close = std::abs(p.distance) < 0.1 * root_x * root_z;
    return {1.0, 1.0, value, 0.0,
            close ? (p.distance - lengths * lengths) / root_x / root_z : 2.0 - 2.0 * value};
}

/// 1 - (1 + t + q t^2) exp(-t) for small t, from its power series, whose first terms cancel.
double matern_lack(double t, double linear_term, double q) {
    constexpr double kSeriesEnd = 0.5;
    if (t > kSeriesEnd) {
        return 1.0 - (1.0 + linear_term * t + q * t * t) * std::exp(-t);
    }
    double lack = 0.0;
    double term = 1.0;  // (-t)^k / k!
    for (int k = 1; k <= 20; ++k) {
        term *= -t / k;
        lack -= term * (1.0 - linear_term * k + q * k * (k - 1));
    }
    return lack;
}

double matern_lack(double distance, const std::vector<double>& p) {
    const double nu = p[0];
    const double t = std::sqrt(2.0 * nu) * (distance / p[1]);
    if (nu == 0.5) {
        return -std::expm1(-t);
    }
    if (nu == 1.5) {
        return matern_lack(t, 1.0, 0.0);
    }
    if (nu == 2.5) {
        return matern_lack(t, 1.0, 1.0 / 3.0);
    }
    return 1.0 - formulas::matern(distance, nu, p[1]);
}

/// 1 - sin(t) / t.
double sinc_lack(double difference, double bandwidth) {
    const double angle = 2.0 * formulas::kPi * bandwidth * difference;
    const double square = angle * angle;
    if (square > 0.25) {
        return 1.0 - formulas::sinc(difference, bandwidth) / (2.0 * bandwidth);
    }
    double lack = 0.0;
    double term = 1.0;
    for (int k = 1; k <= 8; ++k) {
        term *= -square / (2.0 * k * (2.0 * k + 1.0));
        lack -= term;
    }
    return lack;
}

Apart brownian_bridge(double x, double z) {
    const double d = std::abs(x - z);
    return {formulas::brownian_bridge(x, x), formulas::brownian_bridge(z, z),
            formulas::brownian_bridge(x, z), (x - z) * (1.0 - x - z), d * (1.0 - d)};
}

/// Entries are >= 0, so min(x, x) is x.
Apart intersection(Row x, Row z) {
    Apart out;
    for (std::size_t i = 0; i < x.size(); ++i) {
        out.x += x[i];
        out.z += z[i];
        out.value += std::min(x[i], z[i]);
        out.gap += x[i] - z[i];
        out.distance += std::abs(x[i] - z[i]);
    }
    return out;
}

double form(const KernelMatrix& matrix, const std::vector<double>& x,
            const std::vector<double>& z) {
    double total = 0.0;
    for (index_t i = 0; i < matrix.rows; ++i) {
        total = std::fma(
            x[static_cast<std::size_t>(i)],
            formulas::dot(matrix.values.data() + i * matrix.columns, z.data(), matrix.columns),
            total);
    }
    return total;
}

Apart quadratic_form(const KernelMatrix& matrix, Row x, Row z) {
    std::vector<double> difference(x.size());
    std::vector<double> both(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        difference[i] = x[i] - z[i];
        both[i] = x[i] + z[i];
    }
    const std::vector<double> left(x.begin(), x.end());
    const std::vector<double> right(z.begin(), z.end());
    return {form(matrix, left, left), form(matrix, right, right), form(matrix, left, right),
            form(matrix, difference, both), form(matrix, difference, difference)};
}

/// f(x) f(z) exp(-c |x - z|^2), f = exp(n h / 2 - |x|^2 / (2 w)), w = 2 tau^2 + s^2.
Apart latent_gaussian(Row x, Row z, double s, double tau) {
    const Apart rows = linear(x.data(), z.data(), length(x));
    const double wide = 2.0 * tau * tau + s * s;
    const double height =
        -0.5 * static_cast<double>(x.size()) * std::log(2.0 * formulas::kPi * s * std::sqrt(wide));
    const double left = std::exp(height - 0.5 * rows.x / wide);
    const double right = std::exp(height - 0.5 * rows.z / wide);
    const double exponent = -0.5 * rows.gap / wide;
    const double difference =
        std::abs(exponent) < 1.0 ? right * std::expm1(exponent) : left - right;
    const double decay = 0.5 * (tau / s) * (tau / s) / wide;
    return product(rank_one(left, right, difference),
                   unit_diagonal(-std::expm1(-decay * rows.distance)));
}

/// Adds the three values, where no better rule is known.
Apart plain(const KernelNode& node, Row x, Row z) {
    const Kernel kernel(std::make_shared<const KernelNode>(node));
    const double a = kernel(x, x);
    const double b = kernel(z, z);
    const double value = kernel(x, z);
    return {a, b, value, a - b, a + b - 2.0 * value};
}

/// 1 - k(x, z) for a kernel with k(x, x) = 1; nothing for other kernels.
std::optional<double> unit_lack(const KernelNode& node, Row x, Row z) {
    const std::vector<double>& p = node.parameters;
    const index_t n = length(x);
    switch (node.type) {
        case KernelType::rbf:
            return -std::expm1(-p[0] * squared_distance(x, z));
        case KernelType::laplace:
            return -std::expm1(-p[0] * formulas::l1_distance(x.data(), z.data(), n));
        case KernelType::chi2:
            return -std::expm1(-p[0] * formulas::chi2_distance(x.data(), z.data(), n));
        case KernelType::matern:
            return matern_lack(std::sqrt(squared_distance(x, z)), p);
        case KernelType::rational_quadratic:
            return -std::expm1(-p[0] *
                               std::log1p(squared_distance(x, z) / p[1] / p[1] / (2.0 * p[0])));
        case KernelType::delta:
            return 1.0 - formulas::delta(x.data(), z.data(), n);
        default:
            return std::nullopt;
    }
}

Apart mixture(const KernelMatrix& matrix, Row x, Row z) {
    const double* table = matrix.values.data();
    const index_t states = matrix.columns;
    return linear(table + static_cast<index_t>(x[0]) * states,
                  table + static_cast<index_t>(z[0]) * states, states);
}

Apart measure_leaf(const KernelNode& node, Row x, Row z) {
    if (const std::optional<double> lack = unit_lack(node, x, z)) {
        return unit_diagonal(*lack);
    }
    const std::vector<double>& p = node.parameters;
    const index_t n = length(x);
    switch (node.type) {
        case KernelType::linear:
            return linear(x.data(), z.data(), n);
        case KernelType::poly: {
            const Apart shifted =
                sum(multiple(p[2], linear(x.data(), z.data(), n)), constant(p[1]));
            return power_apart(shifted, static_cast<index_t>(p[0]));
        }
        case KernelType::monomial:
            return power_apart(linear(x.data(), z.data(), n), static_cast<index_t>(p[0]));
        case KernelType::brownian_bridge:
            return brownian_bridge(x[0], z[0]);
        case KernelType::sinc:
            return multiple(2.0 * p[0], unit_diagonal(sinc_lack(x[0] - z[0], p[0])));
        case KernelType::cosine:
            return normalized(linear(x.data(), z.data(), n));
        case KernelType::intersection:
            return intersection(x, z);
        case KernelType::constant:
            return constant(p[0]);
        case KernelType::quadratic_form:
            return quadratic_form(*node.matrix, x, z);
        case KernelType::mixture:
            return mixture(*node.matrix, x, z);
        case KernelType::latent_gaussian:
            return latent_gaussian(x, z, p[0], p[1]);
        case KernelType::negative_distance: {
            const double value = formulas::negative_distance(squared_distance(x, z), p[0]);
            return {0.0, 0.0, value, 0.0, -2.0 * value};
        }
        default:
            return plain(node, x, z);
    }
}

/// sum_i c_i k^i.
Apart polynomial(const std::vector<double>& coefficients, const Apart& k) {
    Apart out = constant(coefficients[0]);
    Apart term = constant(1.0);
    for (std::size_t i = 1; i < coefficients.size(); ++i) {
        term = product(term, k);
        if (coefficients[i] != 0.0) {
            out = sum(out, multiple(coefficients[i], term));
        }
    }
    return out;
}

Apart measure(const KernelNode& node, Row x, Row z) {
    const auto child = [&] { return measure(node.children.front().node(), x, z); };
    switch (node.type) {
        case KernelType::scale:
            return multiple(node.parameters[0], child());
        case KernelType::sum:
        case KernelType::product: {
            Apart out = child();
            for (std::size_t i = 1; i < node.children.size(); ++i) {
                const Apart next = measure(node.children[i].node(), x, z);
                out = node.type == KernelType::sum ? sum(out, next) : product(out, next);
            }
            return out;
        }
        case KernelType::exponential:
            return exponential(child());
        case KernelType::polynomial:
            return polynomial(node.parameters, child());
        case KernelType::normalized:
            return normalized(child());
        case KernelType::row_scaled: {
            const double left = (*node.row_function)(x);
            const double right = (*node.row_function)(z);
            return product(rank_one(left, right, left - right), child());
        }
        case KernelType::columns:
            return measure(node.children.front().node(), chosen_columns(x, node.selection),
                           chosen_columns(z, node.selection));
        case KernelType::power:
            return power_apart(child(), static_cast<index_t>(node.parameters[0]));
        default:
            return measure_leaf(node, x, z);
    }
}

}  // namespace

double squared_feature_distance(const Kernel& kernel, std::span<const double> x,
                                std::span<const double> z) {
    static_cast<void>(kernel(x, z));  // throws for rows outside the kernel's domain
    const Apart pair = measure(kernel.node(), x, z);
    // An intermediate result may overflow where the three values do not.
    const double distance =
        std::isfinite(pair.distance) ? pair.distance : pair.x + pair.z - 2.0 * pair.value;
    return kernel.definiteness() == Definiteness::indefinite ? distance : std::max(0.0, distance);
}

}  // namespace mercer
