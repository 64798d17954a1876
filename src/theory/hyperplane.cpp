// SPDX-License-Identifier: Apache-2.0
//
// src/theory/hyperplane.cpp - sides, angles and distances.
#include "mercer/theory/hyperplane.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/dot.hpp"
#include "mercer/base/error.hpp"

namespace mercer {

namespace {

/// <w, x>. Throws unless they are equally long.
double product(std::span<const double> w, std::span<const double> x) {
    if (w.size() != x.size()) {
        throw InvalidArgument(
            fmt::format("hyperplane: a row has {} entries, w has {}", x.size(), w.size()));
    }
    return dot(w, x);
}

/// Throws unless every row has a margin of at least 1 in doubles.
void require_unit_margin(const Hyperplane& plane, std::span<const double> rows,
                         std::span<const double> labels) {
    const std::size_t columns = plane.w.size();
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const double value = affine_value(plane, rows.subspan(i * columns, columns));
        if (!(labels[i] * value >= 1.0)) {
            throw InvalidArgument(
                fmt::format("hyperplane: row {} gets the margin {} in doubles", i, value));
        }
    }
}

}  // namespace

double affine_value(const Hyperplane& plane, std::span<const double> x) {
    return plane.b + product(plane.w, x);
}

int side_of(const Hyperplane& plane, std::span<const double> x) {
    return affine_value(plane, x) >= 0.0 ? 1 : -1;
}

double functional_margin(const Hyperplane& plane, std::span<const double> x) {
    return std::abs(affine_value(plane, x));
}

Hyperplane scaled(const Hyperplane& plane, double factor) {
    if (!(factor > 0.0) || !std::isfinite(factor)) {
        throw InvalidArgument(fmt::format("factor: got {}, must be finite and > 0", factor));
    }
    Hyperplane out = plane;
    for (double& weight : out.w) {
        weight *= factor;
    }
    out.b *= factor;
    return out;
}

double distance_to(const Hyperplane& plane, std::span<const double> x) {
    return kernel_distance(affine_value(plane, x), product(plane.w, plane.w));
}

std::vector<double> embed_intercept(const Hyperplane& plane) {
    std::vector<double> out{plane.b};
    out.insert(out.end(), plane.w.begin(), plane.w.end());
    return out;
}

int angle_side(const Hyperplane& plane, std::span<const double> a, std::span<const double> x) {
    const double size = std::sqrt(product(plane.w, plane.w) * product(a, a)) + std::abs(plane.b);
    if (!(std::abs(affine_value(plane, a)) <= 1e-9 * size)) {
        throw InvalidArgument("hyperplane: the base point does not lie on it");
    }
    const double cosine = product(plane.w, x) - product(plane.w, a);
    return cosine > 0.0 ? 1 : (cosine < 0.0 ? -1 : 0);
}

Hyperplane with_unit_margin(const Hyperplane& plane, std::span<const double> rows,
                            std::span<const double> labels) {
    const std::size_t columns = plane.w.size();
    if (rows.size() != labels.size() * columns) {
        throw InvalidArgument(fmt::format("hyperplane: {} numbers are not {} rows of {}",
                                          rows.size(), labels.size(), columns));
    }
    double below = -kInfinity;  // the value of the nearest row labelled -1
    double above = kInfinity;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const double value = affine_value(plane, rows.subspan(i * columns, columns));
        if ((value >= 0.0) != (labels[i] > 0.0)) {
            throw InvalidArgument(fmt::format("hyperplane: row {} has the value {} and label {}", i,
                                              value, labels[i]));
        }
        (labels[i] > 0.0 ? above : below) =
            labels[i] > 0.0 ? std::min(above, value) : std::max(below, value);
    }
    Hyperplane out = plane;
    const double shift = std::isfinite(below) ? -below / 2.0 : (above == 0.0 ? 1.0 : 0.0);
    out.b += shift;
    const double margin = std::min(above + shift, -below - shift);
    if (margin < 1.0) {
        // A power of two scales without rounding.
        int exponent = 0;
        static_cast<void>(std::frexp(margin, &exponent));
        const double factor = std::ldexp(1.0, 1 - exponent);
        for (double& x : out.w) {
            x *= factor;
        }
        out.b *= factor;
    }
    require_unit_margin(out, rows, labels);
    return out;
}

double kernel_distance(double value, double squared_norm) {
    if (!(squared_norm > 0.0) || !std::isfinite(squared_norm)) {
        throw InvalidArgument(
            fmt::format("hyperplane: |w|^2 is {}, must be finite and > 0", squared_norm));
    }
    return std::abs(value) / std::sqrt(squared_norm);
}

}  // namespace mercer
