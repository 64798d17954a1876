// SPDX-License-Identifier: Apache-2.0
//
// src/compute/scaled_program.cpp - products and residuals of a scaled quadratic program.
#include "compute/scaled_program.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {

namespace {

using Vector = std::vector<double>;

// A residual is relative to the constants of its condition, and to this share of the variable
// terms, which covers their rounding. Terms beyond the limit do not count: otherwise an infeasible
// program would look solved at distant points.
constexpr double kRounding = 1e-6;
constexpr double kLargestTerm = 1e9;
constexpr double kSmallObjective = 1e-3;  // in scaled units; the gap is relative to at least this

/// The largest residual relative to the constant of its constraint.
double worst_relative(const Vector& residuals, const Vector& constants, double reach) {
    double out = 0.0;
    for (std::size_t i = 0; i < residuals.size(); ++i) {
        const double relative = std::abs(residuals[i]) / (1.0 + std::abs(constants[i]) + reach);
        out = relative > out || std::isnan(relative) ? relative : out;
    }
    return out;
}

double product(const Vector& a, const Vector& b) {
    Wide sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        sum += static_cast<Wide>(a[i]) * b[i];
    }
    return static_cast<double>(sum);
}

}  // namespace

double largest(const Vector& x) {
    double out = 0.0;
    for (const double value : x) {
        out = std::abs(value) <= out ? out : std::abs(value);
    }
    return out;
}

void multiply_rows(const Vector& matrix, const Vector& x, index_t count, Vector& out) {
    const std::size_t n = x.size();
    for (index_t i = 0; i < count; ++i) {
        const double* row = matrix.data() + static_cast<std::size_t>(i) * n;
        Wide sum = 0;
        for (std::size_t j = 0; j < n; ++j) {
            sum += static_cast<Wide>(row[j]) * x[j];
        }
        out[static_cast<std::size_t>(i)] = static_cast<double>(sum);
    }
}

void add_transposed(const Vector& matrix, const Vector& y, index_t count, WideVector& out) {
    const std::size_t n = out.size();
    for (index_t i = 0; i < count; ++i) {
        const double* row = matrix.data() + static_cast<std::size_t>(i) * n;
        const Wide factor = y[static_cast<std::size_t>(i)];
        for (std::size_t j = 0; j < n; ++j) {
            out[j] += factor * row[j];
        }
    }
}

Vector inequalities_at(const ScaledProgram& p, const Vector& x) {
    Vector out(p.h.size());
    multiply_rows(p.a, x, p.dense(), out);
    for (std::size_t i = 0; i < p.bounds.size(); ++i) {
        out[static_cast<std::size_t>(p.dense()) + i] =
            p.bounds[i].sign * x[static_cast<std::size_t>(p.bounds[i].variable)];
    }
    return out;
}

void add_inequalities(const ScaledProgram& p, const Vector& z, WideVector& out) {
    add_transposed(p.a, z, p.dense(), out);
    for (std::size_t i = 0; i < p.bounds.size(); ++i) {
        out[static_cast<std::size_t>(p.bounds[i].variable)] +=
            static_cast<Wide>(p.bounds[i].sign) * z[static_cast<std::size_t>(p.dense()) + i];
    }
}

Vector narrowed(const WideVector& x) { return {x.begin(), x.end()}; }

Vector dual_residual(const ScaledProgram& p, const InteriorPoint& at) {
    WideVector sum(p.c.begin(), p.c.end());
    add_transposed(p.k, at.x, p.n, sum);  // K is symmetric
    add_inequalities(p, at.z, sum);
    add_transposed(p.e, at.y, p.equalities(), sum);
    return narrowed(sum);
}

Vector slack_residual(const ScaledProgram& p, const InteriorPoint& at) {
    Vector out = inequalities_at(p, at.x);
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = static_cast<double>(static_cast<Wide>(out[i]) + p.h[i] + at.s[i]);
    }
    return out;
}

Vector equation_residual(const ScaledProgram& p, const InteriorPoint& at) {
    Vector out(p.f.size());
    multiply_rows(p.e, at.x, p.equalities(), out);
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] -= p.f[i];
    }
    return out;
}

double InteriorResiduals::worst() const {
    return std::isfinite(dual) && std::isfinite(primal) && std::isfinite(gap)
               ? std::max({dual, primal, gap})
               : kInfinity;
}

InteriorResiduals residuals_of(const ScaledProgram& p, const InteriorPoint& at) {
    InteriorResiduals out;
    Vector kx(p.c.size());
    multiply_rows(p.k, at.x, p.n, kx);
    WideVector pulls(p.c.size(), 0);
    add_inequalities(p, at.z, pulls);
    const double reach = kRounding * std::min(kLargestTerm, largest(at.x));
    const double pull =
        kRounding * std::min(kLargestTerm, std::max(largest(kx), largest(narrowed(pulls))));
    out.dual = largest(dual_residual(p, at)) / (1.0 + largest(p.c) + pull);
    out.primal = std::max(worst_relative(slack_residual(p, at), p.h, reach),
                          worst_relative(equation_residual(p, at), p.f, reach));
    const double objective = 0.5 * product(at.x, kx) + product(at.x, p.c);
    out.gap = std::abs(product(at.s, at.z)) / (kSmallObjective + std::abs(objective));
    return out;
}

}  // namespace mercer
