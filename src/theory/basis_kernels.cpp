// SPDX-License-Identifier: Apache-2.0
//
// src/theory/basis_kernels.cpp - partial sums, smallest terms first, and their tails.
#include "mercer/theory/basis_kernels.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "mercer/base/compensated_sum.hpp"
#include "mercer/base/error.hpp"
#include "mercer/kernels/formulas.hpp"

namespace mercer {

namespace {

constexpr double kPi = formulas::kPi;

void require_terms(index_t terms) {
    if (terms < 1) {
        throw InvalidArgument(fmt::format("terms: got {}, must be >= 1", terms));
    }
}

void require_unit(double x) {
    if (!(x >= 0.0 && x <= 1.0)) {
        throw InvalidArgument(fmt::format("points: got {}, must lie in [0, 1]", x));
    }
}

void require_bandwidth(double bandwidth) {
    if (!(bandwidth > 0.0) || !std::isfinite(bandwidth)) {
        throw InvalidArgument(fmt::format("bandwidth: got {}, must be finite and > 0", bandwidth));
    }
}

/// sin(pi t) with the angle reduced first, so that integers give 0.
double sin_pi(double t) {
    const double turn = std::fmod(t, 2.0);
    return turn == 1.0 || turn == -1.0 ? 0.0 : std::sin(kPi * turn);
}

/// cos(pi t).
double cos_pi(double t) { return std::cos(kPi * std::fmod(t, 2.0)); }

/// Bound on the sum of 1 / (u - n)^2 over |n| > terms, by two integrals.
double tail_of_squares(double u, double terms) { return 2.0 * terms / (terms * terms - u * u); }

/// The positive half of the eight-point Gauss rule on [-1, 1].
constexpr double kNodes[] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
                             0.9602898564975363};
constexpr double kWeights[] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745,
                               0.1012285362903763};

/// (t / x)^n up to x, ((1 - t) / (1 - x))^n beyond it.
double peak_at(double x, double power, double t) {
    return std::pow(t <= x ? t / x : (1.0 - t) / (1.0 - x), power);
}

/// The integral of the squared peak between `end` and x, in parts that halve towards x, where the
/// peak is.
double squared_peak_integral(double x, double power, double end) {
    constexpr int kHalvings = 50;
    CompensatedSum total;
    double left = end;
    for (int part = 1; part <= kHalvings; ++part) {
        const double right = part == kHalvings ? x : x - (x - end) * std::ldexp(1.0, -part);
        const double middle = 0.5 * (left + right);
        const double half = 0.5 * (right - left);
        for (std::size_t i = 0; i < std::size(kNodes); ++i) {
            for (const double node : {middle - half * kNodes[i], middle + half * kNodes[i]}) {
                total.add(std::abs(half) * kWeights[i] * std::pow(peak_at(x, power, node), 2.0));
            }
        }
        left = right;
    }
    return total.value();
}

}  // namespace

BasisSum sobolev_sum(double x, double y, index_t terms) {
    require_terms(terms);
    require_unit(x);
    require_unit(y);
    CompensatedSum sum;
    for (index_t n = terms; n >= 1; --n) {
        const auto order = static_cast<double>(n);
        const double scale = 2.0 * kPi * kPi * order * order;
        sum.add((cos_pi(2.0 * order * x) - 1.0) * (cos_pi(2.0 * order * y) - 1.0) / scale);
        sum.add(sin_pi(2.0 * order * x) * sin_pi(2.0 * order * y) / scale);
    }
    return {terms, sum.value(), formulas::brownian_bridge(x, y),
            2.0 / (kPi * kPi * static_cast<double>(terms))};
}

BasisSum paley_wiener_sum(double x, double y, double bandwidth, index_t terms) {
    require_terms(terms);
    require_bandwidth(bandwidth);
    if (!std::isfinite(x) || !std::isfinite(y)) {
        throw InvalidArgument(fmt::format("points: got {} and {}, must be finite", x, y));
    }
    const double u = 2.0 * bandwidth * x;
    const double v = 2.0 * bandwidth * y;
    // sqrt(2 A) sinc(u - n): the kernel of bandwidth 1/2 at whole numbers.
    const auto term = [&](index_t n) {
        const auto shift = static_cast<double>(n);
        return 2.0 * bandwidth * formulas::sinc(u - shift, 0.5) * formulas::sinc(v - shift, 0.5);
    };
    CompensatedSum sum;
    for (index_t n = terms; n >= 1; --n) {
        sum.add(term(n));
        sum.add(term(-n));
    }
    sum.add(term(0));
    const auto last = static_cast<double>(terms);
    double tail = 2.0 * bandwidth;  // by Cauchy and Schwarz, |kernel - sum| <= sqrt(k(x,x) k(y,y))
    if (std::abs(u) < last && std::abs(v) < last) {
        tail = std::min(tail, tail * std::abs(sin_pi(u) * sin_pi(v)) / (kPi * kPi) *
                                  std::sqrt(tail_of_squares(u, last) * tail_of_squares(v, last)));
    }
    return {terms, sum.value(), formulas::sinc(x - y, bandwidth), tail};
}

double sobolev_evaluation_bound(double x) {
    require_unit(x);
    return std::sqrt(formulas::brownian_bridge(x, x));
}

double paley_wiener_evaluation_bound(double bandwidth) {
    require_bandwidth(bandwidth);
    return std::sqrt(formulas::sinc(0.0, bandwidth));
}

PeakFunction peak_function(double x, index_t power) {
    if (!(x > 0.0 && x < 1.0)) {
        throw InvalidArgument(fmt::format("point: got {}, must lie between 0 and 1", x));
    }
    if (power < 0) {
        throw InvalidArgument(fmt::format("terms: got {}, must be >= 0", power));
    }
    const auto exponent = static_cast<double>(power);
    const double squared_norm =
        squared_peak_integral(x, exponent, 0.0) + squared_peak_integral(x, exponent, 1.0);
    const double value = peak_at(x, exponent, x);
    return {power, value, squared_norm, value / std::sqrt(squared_norm)};
}

}  // namespace mercer
