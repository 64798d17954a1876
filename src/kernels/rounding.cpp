// SPDX-License-Identifier: Apache-2.0
//
// src/kernels/rounding.cpp - how far a kernel value in float64 may be from the exact one.
//
// Method   The leaves of an expression have bounds of their own, below; error_bound.cpp derives
//          those of sums, products and functions. The bounds cover the worst case of the formulas
//          and of the tiles of all backends: sums in any order, fused or not, |x-z|^2 from dot
//          products or from differences, rows shifted by a centre no larger than a row, vector
//          functions with an error of some ulps.
// Assumes  four ulps for exp and log1p, eight for tanh: twice what Highway and the C library
//          promise.
// Notation u  2^-53     n  columns     N  largest norm of a row     gamma(m)  m u / (1 - m u)
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "kernels/error_bound.hpp"
#include "mercer/base/error.hpp"
#include "mercer/kernels/catalogue.hpp"
#include "mercer/kernels/formulas.hpp"
#include "mercer/kernels/precise.hpp"

namespace mercer {

namespace {

using namespace rounding;  // NOLINT(google-build-using-namespace): same room

// Beyond this size squares overflow.
constexpr double kLargestSize = 1e300;
// The tiles compute distances from dot products only while sensitivity * R^2, R the largest norm of
// a centred row, is at most this (compute/cpu/plan.cpp); beyond it from differences.
constexpr double kMostFromDots = 512.0;
// Covers the rounding of the bound itself, which is computed in double.
constexpr double kSlack = 1.001;

/// The range of the computed value of a function of one row.
Interval range_of(const RowFunction& function, const RowSizes& sizes) {
    switch (function.type) {
        case RowFunctionType::number:
            return {function.value, function.value};
        case RowFunctionType::norm2:
            return widened({0.0, sizes.squared_norm});
        case RowFunctionType::norm:
            return widened({0.0, std::sqrt(sizes.squared_norm)});
        case RowFunctionType::column:
            return {-sizes.largest_entry, sizes.largest_entry};
        case RowFunctionType::exponential:
            return exp(range_of(*function.children.front(), sizes));
        case RowFunctionType::power:
            return power(range_of(*function.children.front(), sizes), function.value);
        case RowFunctionType::sum:
        case RowFunctionType::product:
            break;
    }
    Interval range = range_of(*function.children.front(), sizes);
    for (std::size_t i = 1; i < function.children.size(); ++i) {
        const Interval next = range_of(*function.children[i], sizes);
        range = function.type == RowFunctionType::sum ? range + next : range * next;
    }
    return range;
}

Bound of_dot(const RowSizes& sizes) {
    const auto n = static_cast<double>(sizes.columns);
    const double square = sizes.squared_norm;
    const double least = sizes.least_squared_norm * (1.0 - kWider);
    const double lost = gamma(n + 2.0);
    return {
        {-square, square}, lost * square + kTiny, least, true, lost + lost_of(kTiny, least), true};
}

/// Error of |x-z|^2. From dot products of centred rows, whose norms are at most 2 N: n roundings of
/// (2N + 2N)^2, and 4 u N times the distance for the rounding of centring. From differences: less.
double squared_distance_error(const RowSizes& sizes) {
    return gamma(static_cast<double>(sizes.columns) + 8.0) * 16.0 * sizes.squared_norm + kTiny;
}

/// Error of |x-z| from differences, which kernels with a kink at zero always use.
double distance_error(const RowSizes& sizes) {
    const double lost = gamma(static_cast<double>(sizes.columns) + 10.0);
    return lost * 2.0 * std::sqrt(sizes.squared_norm) + 2.0 * std::sqrt(kTiny);
}

/// Error of sum |x_i - z_i|: n roundings of at most 2 l1, and u (2 l1 + 2 l1) for those of
/// centring.
double l1_error(const RowSizes& sizes) {
    return gamma(static_cast<double>(sizes.columns) + 8.0) * 2.0 * sizes.l1_norm + kTiny;
}

/// Error of the chi2 distance, a sum of terms >= 0 that is at most 2 l1; a square that underflows
/// adds at most the root of the smallest number.
double chi2_error(const RowSizes& sizes) {
    const auto n = static_cast<double>(sizes.columns);
    return gamma(n + 8.0) * 2.0 * sizes.l1_norm + n * 2.0 * std::sqrt(kTiny);
}

/// A kernel that falls from 1 to 0: `error` comes from the argument; 24 u covers relative errors of
/// the argument (t k'(t) <= 1, at most 6 u) and the rounding of the functions.
Bound decay(double error) {
    return {{0.0, 1.0}, std::min(error + 24.0 * kU + kTiny, 1.01), 1.0, false};
}

/// A kernel that falls from 1 to 0, by a function without an error bound or outside its range.
Bound unknown_decay() { return {{0.0, 1.0}, kInfinity, 1.0, false}; }

/// x'z / (|x| |z|); each of the three has a relative error of gamma(n) unless a norm underflows.
Bound cosine(const RowSizes& sizes) {
    const bool safe = sizes.least_squared_norm > 1e-250;
    return {widened({-1.0, 1.0}),
            safe ? 4.0 * gamma(static_cast<double>(sizes.columns) + 8.0) : kInfinity, 1.0 - kWider,
            true};
}

/// The sizes of the chosen columns; a column may be chosen more than once.
RowSizes chosen(const RowSizes& sizes, const std::vector<ColumnRange>& selection) {
    std::vector<std::pair<index_t, int>> ends;
    RowSizes out;
    for (const ColumnRange& range : selection) {
        ends.emplace_back(range.begin, 1);
        ends.emplace_back(range.end, -1);
        out.columns += range.end - range.begin;
    }
    std::sort(ends.begin(), ends.end());
    int open = 0;
    int most = 0;
    for (const auto& end : ends) {
        open += end.second;
        most = std::max(most, open);
    }
    const auto n = static_cast<double>(out.columns);
    const double entry = sizes.largest_entry;
    const double more = 1.0 + 2.0 * gamma(n + 8.0) + kWider;
    out.largest_entry = entry;
    out.squared_norm = std::min(most * sizes.squared_norm, n * entry * entry) * more;
    out.l1_norm = std::min(most * sizes.l1_norm, n * entry) * more;
    return out;
}

/// Tiles use a root of the matrix: negative eigenvalues within the tolerance for matrices (1e-10 of
/// the trace for each pivot, 1e-12 for symmetry) are set to zero, and the eigenvectors have an
/// error of a modest multiple of n u |A|.
Bound quadratic_form(const KernelMatrix& matrix, const RowSizes& sizes) {
    const auto n = static_cast<double>(matrix.rows);
    double trace = 0.0;
    double square = 0.0;
    double entry = 0.0;
    for (index_t i = 0; i < matrix.rows; ++i) {
        for (index_t j = 0; j < matrix.columns; ++j) {
            const double a =
                std::fabs(matrix.values[static_cast<std::size_t>(i * matrix.columns + j)]);
            trace += i == j ? a : 0.0;
            square += a * a;
            entry = std::max(entry, a);
        }
    }
    const double norm = std::min(std::sqrt(square), n * entry);
    const double size = norm * sizes.squared_norm * (1.0 + kWider);
    const double cut = n * (1.1e-10 * trace + 1.1e-12 * entry) + 64.0 * n * n * kU * norm;
    return {widened({-size, size}),
            cut * sizes.squared_norm + gamma(4.0 * n + 8.0) * n * size + kTiny, -size, false};
}

Bound mixture(const KernelMatrix& matrix) {
    double most = 0.0;
    double least = kInfinity;
    for (index_t i = 0; i < matrix.rows; ++i) {
        const double square =
            formulas::squared_norm(matrix.values.data() + i * matrix.columns, matrix.columns);
        most = std::max(most, square);
        least = std::min(least, square);
    }
    const double lost = gamma(static_cast<double>(matrix.columns) + 2.0);
    const Interval range = widened({-most, most});
    return {range, lost * range.upper + kTiny, least * (1.0 - 1e-9), false};
}

/// exp(n log_height - quadratic): the exponent of a tile, a (|x|^2 + |z|^2) + b x'z + c, is made of
/// terms that sum to at most N^2 (1 / wide + 1 / s^2) in size, and so is that of the formula.
Bound latent_gaussian(double s, double tau, const RowSizes& sizes) {
    const auto n = static_cast<double>(sizes.columns);
    const double wide = 2.0 * tau * tau + s * s;
    const double determinant = s * s * wide;
    if (!(determinant > kMinute && determinant < kHuge && s * s > kMinute && wide < kHuge)) {
        return {{0.0, kInfinity}, kInfinity, 0.0, false};
    }
    const double log_height = -std::log(2.0 * formulas::kPi * std::sqrt(determinant));
    const double quadratic = sizes.squared_norm * (1.0 / wide + 1.0 / (s * s));
    const double exponent =
        n * (12.0 * kU + 6.0 * kU * std::fabs(log_height)) + gamma(n + 24.0) * quadratic + kTiny;
    const double slack = 1.0 + kWider * n * (1.0 + std::fabs(log_height));
    const double height = std::exp(n * log_height) * slack;
    const double far = sizes.squared_norm / wide * (1.0 + kWider);
    return {{0.0, height},
            height * (std::expm1(exponent) + 10.0 * kU * std::exp(exponent)) + kTiny,
            std::exp(n * log_height - far) / slack * (1.0 - kWider),
            false};
}

/// -|x-z|^p: for p >= 1 the slope is at most p (2N)^(p-1); for p < 1, (d + e)^p <= d^p + e^p.
Bound negative_distance(double p, const RowSizes& sizes) {
    const double reached = 2.0 * std::sqrt(sizes.squared_norm) * (1.0 + kWider);
    const double size = std::pow(reached, p) * (1.0 + kWider);
    double error = squared_distance_error(sizes);
    if (p < 2.0) {
        const double off = distance_error(sizes);
        error = (p < 1.0 ? std::pow(off, p) : p * std::pow(reached + off, p - 1.0) * off) +
                6.0 * kU * size + kTiny;
    }
    return {{-size, 0.0}, error, 0.0, false};
}

Bound matern(const std::vector<double>& p, const RowSizes& sizes) {
    const double square = p[1] * p[1];
    if (!formulas::is_closed_matern(p[0]) || !(square > kMinute && square < kHuge)) {
        return unknown_decay();
    }
    if (p[0] == 0.5) {
        return decay(distance_error(sizes) / p[1]);
    }
    // A mixture of Gaussians, so steepest in |x-z|^2 at 0.
    return decay(entry_of(KernelType::matern).radial->sensitivity(p.data()) *
                 squared_distance_error(sizes));
}

Bound rational_quadratic(const std::vector<double>& p, const RowSizes& sizes) {
    const double square = p[1] * p[1];
    const double divisor = 2.0 * p[0] * square;
    if (!(square > kMinute && square < kHuge && divisor > kMinute && divisor < kHuge &&
          4.0 * sizes.squared_norm / square < kHuge &&
          4.0 * sizes.squared_norm / divisor < kHuge)) {
        return unknown_decay();
    }
    return decay(entry_of(KernelType::rational_quadratic).radial->sensitivity(p.data()) *
                     squared_distance_error(sizes) +
                 p[0] * kTiny);
}

/// 2A sin(a) / a, a = 2 pi A (x - z): the slope in a is at most 1/2, and a relative change of a is
/// multiplied by |cos(a) - sin(a) / a| <= 2. An entry may be shifted by another one as large.
Bound sinc(double bandwidth, const RowSizes& sizes) {
    const double diagonal = 2.0 * bandwidth;
    const double difference = 10.0 * kU * sizes.largest_entry + kTiny;
    const double error =
        diagonal * (formulas::kPi * bandwidth * difference * (1.0 + kWider) + 24.0 * kU) + kTiny;
    return {widened({-0.22 * diagonal, diagonal}), std::min(error, 2.6 * diagonal), diagonal,
            false};
}

Bound intersection(const RowSizes& sizes) {
    const double lost = gamma(static_cast<double>(sizes.columns) + 2.0);
    const double least = std::sqrt(sizes.least_squared_norm) * (1.0 - kWider);
    return {{0.0, sizes.l1_norm},
            lost * sizes.l1_norm + kTiny,
            least,
            true,
            lost + lost_of(kTiny, least)};
}

Bound bound_of(const Kernel& kernel, const RowSizes& sizes);

Bound rare_leaf(const KernelNode& node, const RowSizes& sizes) {
    const std::vector<double>& p = node.parameters;
    switch (node.type) {
        case KernelType::delta:
            return {{0.0, 1.0}, 0.0, 1.0, false};
        case KernelType::brownian_bridge:
            return {{0.0, 0.25}, 2.0 * kU + kTiny, 0.0, false};
        case KernelType::sinc:
            return sinc(p[0], sizes);
        case KernelType::intersection:
            return intersection(sizes);
        case KernelType::constant:
            return {{p[0], p[0]}, 0.0, p[0], false};
        case KernelType::quadratic_form:
            return quadratic_form(*node.matrix, sizes);
        case KernelType::mixture:
            return mixture(*node.matrix);
        case KernelType::latent_gaussian:
            return latent_gaussian(p[0], p[1], sizes);
        case KernelType::custom:
        case KernelType::precomputed:
            return {{-kInfinity, kInfinity}, 0.0, -kInfinity, false};
        default:
            return {{-kInfinity, kInfinity}, kInfinity, -kInfinity, false};
    }
}

Bound leaf(const KernelNode& node, const RowSizes& sizes) {
    const std::vector<double>& p = node.parameters;
    switch (node.type) {
        case KernelType::linear:
            return of_dot(sizes);
        case KernelType::poly:
            return raised(affine(of_dot(sizes), p[2], p[1]), p[0]);
        case KernelType::monomial:
            return raised(of_dot(sizes), p[0]);
        case KernelType::rbf:
            return decay(p[0] * squared_distance_error(sizes));
        case KernelType::laplace:
            return decay(p[0] * l1_error(sizes));
        case KernelType::chi2:
            return decay(p[0] * chi2_error(sizes));
        case KernelType::matern:
            return matern(p, sizes);
        case KernelType::rational_quadratic:
            return rational_quadratic(p, sizes);
        case KernelType::sigmoid:
            return tangent(affine(of_dot(sizes), p[0], p[1]));
        case KernelType::cosine:
            return cosine(sizes);
        case KernelType::negative_distance:
            return negative_distance(p[0], sizes);
        default:
            return rare_leaf(node, sizes);
    }
}

Bound fold(const KernelNode& node, const RowSizes& sizes) {
    Bound out = bound_of(node.children.front(), sizes);
    for (std::size_t i = 1; i < node.children.size(); ++i) {
        const Bound next = bound_of(node.children[i], sizes);
        out = node.type == KernelType::sum ? sum(out, next) : product(out, next);
    }
    return out;
}

/// A matrix is definite up to a tolerance; the definiteness of a custom kernel is only declared.
bool is_exactly_definite(const Kernel& leaf) {
    return leaf.type() != KernelType::quadratic_form && leaf.type() != KernelType::custom &&
           leaf.type() != KernelType::precomputed &&
           leaf.definiteness() <= Definiteness::positive_definite;
}

Bound combined(const Kernel& kernel, const RowSizes& sizes) {
    const KernelNode& node = kernel.node();
    if (node.children.empty()) {
        Bound bound = leaf(node, sizes);
        bound.definite = is_exactly_definite(kernel);
        return bound;
    }
    const Kernel& child = node.children.front();
    switch (node.type) {
        case KernelType::scale:
            return affine(bound_of(child, sizes), node.parameters[0], 0.0);
        case KernelType::sum:
        case KernelType::product:
            return fold(node, sizes);
        case KernelType::exponential:
            return exponential(bound_of(child, sizes));
        case KernelType::polynomial:
            return polynomial(node.parameters, bound_of(child, sizes));
        case KernelType::normalized:
            return normalized(bound_of(child, sizes));
        case KernelType::row_scaled:
            return scaled(bound_of(child, sizes), range_of(*node.row_function, sizes));
        case KernelType::columns:
            return bound_of(child, chosen(sizes, node.selection));
        case KernelType::power:
            return raised(bound_of(child, sizes), node.parameters[0]);
        default:
            return rare_leaf(node, sizes);
    }
}

Bound bound_of(const Kernel& kernel, const RowSizes& sizes) {
    return settled(combined(kernel, sizes));
}

/// Error of a function of the distance for rows of any size: n roundings of 4 R^2 from dot
/// products, or a distance with the relative error of n roundings and a function with t k'(t) <= 1.
double radial_error(index_t columns) {
    const double lost = gamma(static_cast<double>(columns) + 8.0);
    return (4.0 * kMostFromDots + 1.0) * lost + 24.0 * kU + kTiny;
}

/// Rounding may make the mean of a column larger than every entry, and a computed norm too small.
RowSizes allow_for_rounding(const RowSizes& sizes) {
    const double more = 1.0 + 2.0 * gamma(static_cast<double>(sizes.columns) + 8.0) + kWider;
    RowSizes out = sizes;
    out.squared_norm = sizes.squared_norm * more + kTiny;
    out.l1_norm = sizes.l1_norm * more + kTiny;
    out.least_squared_norm = sizes.least_squared_norm / more;
    return out;
}

}  // namespace

KernelRounding kernel_rounding(const Kernel& kernel, const RowSizes& sizes) {
    if (!kernel.is_resolved()) {
        throw InvalidArgument("gamma", "", "is 'scale', which needs data",
                              "resolve the kernel first");
    }
    require_columns(kernel, sizes.columns);
    Bound bound = bound_of(kernel, allow_for_rounding(sizes));
    const bool radial =
        kernel.type() == KernelType::rbf || entry_of(kernel.type()).radial != nullptr;
    if (kernel.node().children.empty() && radial && std::isfinite(bound.error)) {
        bound.error = std::min(bound.error, radial_error(sizes.columns));
    }
    const bool in_range = sizes.squared_norm < kLargestSize && sizes.l1_norm < kLargestSize;
    return {in_range ? kSlack * bound.error : kInfinity, largest(bound.range),
            in_range ? kSlack * bound.relative : kInfinity};
}

}  // namespace mercer
