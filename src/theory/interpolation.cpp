// SPDX-License-Identifier: Apache-2.0
//
// src/theory/interpolation.cpp - K a = y through the eigenvectors of K.
#include "mercer/theory/interpolation.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/checked.hpp"
#include "mercer/base/compensated_sum.hpp"
#include "mercer/base/error.hpp"
#include "mercer/base/roundoff.hpp"
#include "mercer/compute/linear_algebra.hpp"
#include "mercer/runtime/context.hpp"

namespace mercer {

namespace {

/// K = sum of values[k] v_k v_k', the eigenvectors v_k in rows.
struct Spectrum {
    Buffer<double> memory;
    MatrixView<double> vectors;
    std::vector<double> values;
    index_t first = 0;  ///< eigenvalues before it count as 0
};

Spectrum spectrum_of(MatrixView<const double> gram, Context& context) {
    const index_t n = gram.rows;
    Spectrum out;
    out.memory =
        context.allocate<double>(checked_multiply(n, n), "the eigenvectors", Contents::any);
    for (index_t i = 0; i < n; ++i) {
        std::copy_n(gram.row(i), n, out.memory.data() + i * n);
    }
    out.vectors = MatrixView<double>(out.memory.data(), n, n);
    out.values.resize(static_cast<std::size_t>(n));
    symmetric_eigen(out.vectors, out.values, true, context);
    const double floor = n == 0 ? 0.0 : static_cast<double>(n) * kEpsilon * out.values.back();
    out.first = std::upper_bound(out.values.begin(), out.values.end(), std::max(0.0, floor)) -
                out.values.begin();
    return out;
}

/// coefficients += K^+ right.
void add_solution(const Spectrum& spectrum, std::span<const double> right,
                  std::span<double> coefficients) {
    const auto n = static_cast<index_t>(right.size());
    for (index_t k = spectrum.first; k < n; ++k) {
        const double* vector = spectrum.vectors.row(k);
        CompensatedSum share;
        for (index_t i = 0; i < n; ++i) {
            share.add(vector[i] * right[static_cast<std::size_t>(i)]);
        }
        const double weight = share.value() / spectrum.values[static_cast<std::size_t>(k)];
        for (index_t i = 0; i < n; ++i) {
            coefficients[static_cast<std::size_t>(i)] += weight * vector[i];
        }
    }
}

/// K a in compensated sums.
std::vector<double> values_of(MatrixView<const double> gram, std::span<const double> a) {
    std::vector<double> out;
    for (index_t i = 0; i < gram.rows; ++i) {
        CompensatedSum sum;
        for (index_t j = 0; j < gram.columns; ++j) {
            sum.add(gram(i, j) * a[static_cast<std::size_t>(j)]);
        }
        out.push_back(sum.value());
    }
    return out;
}

double largest(std::span<const double> values) {
    double out = 0.0;
    for (const double value : values) {
        out = std::max(out, std::abs(value));
    }
    return out;
}

std::vector<double> residuals_of(std::span<const double> y, std::span<const double> f) {
    std::vector<double> out;
    for (std::size_t i = 0; i < y.size(); ++i) {
        out.push_back(y[i] - f[i]);
    }
    return out;
}

/// The largest |f(x_i) - y_i| that rounding alone can explain.
double residual_rounding(const Spectrum& spectrum, std::span<const double> y,
                         std::span<const double> coefficients) {
    double weights = 0.0;
    for (const double a : coefficients) {
        weights += std::abs(a);
    }
    const double greatest = spectrum.values.empty() ? 0.0 : std::max(0.0, spectrum.values.back());
    return 8.0 * kEpsilon * (largest(y) + greatest * weights);
}

}  // namespace

Interpolant interpolate(MatrixView<const double> gram, std::span<const double> y,
                        Context& context) {
    if (gram.rows != gram.columns || static_cast<index_t>(y.size()) != gram.rows) {
        throw InvalidArgument(fmt::format("y: got {} values for a matrix of {} x {}", y.size(),
                                          gram.rows, gram.columns));
    }
    const Spectrum spectrum = spectrum_of(gram, context);
    Interpolant out;
    out.rank = gram.rows - spectrum.first;
    out.condition = out.rank == 0 ? 0.0
                                  : spectrum.values.back() /
                                        spectrum.values[static_cast<std::size_t>(spectrum.first)];
    out.coefficients.assign(y.size(), 0.0);
    add_solution(spectrum, y, out.coefficients);
    out.values = values_of(gram, out.coefficients);
    add_solution(spectrum, residuals_of(y, out.values), out.coefficients);
    out.values = values_of(gram, out.coefficients);
    out.residual = largest(residuals_of(y, out.values));
    out.interpolates = out.residual <= residual_rounding(spectrum, y, out.coefficients);
    CompensatedSum norm;
    for (std::size_t i = 0; i < y.size(); ++i) {
        norm.add(out.coefficients[i] * out.values[i]);
    }
    out.squared_norm = std::max(0.0, norm.value());
    return out;
}

}  // namespace mercer
