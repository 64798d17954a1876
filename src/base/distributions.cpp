// SPDX-License-Identifier: Apache-2.0
//
// src/base/distributions.cpp - the incomplete beta function, and what follows from it.
//
// Notation   a, b  parameters of the beta distribution     c, d  of Lentz's continued fraction
#include "mercer/base/distributions.hpp"

#include <cmath>
#include <limits>

namespace mercer {

namespace {

/// The continued fraction of I_x(a, b) by Lentz's method; converges fast for x < (a+1)/(a+b+2).
double beta_fraction(double a, double b, double x) {
    constexpr double kTiny = 1e-300;
    constexpr int kMostTerms = 10000;
    const auto away_from_zero = [](double value) {
        return std::abs(value) < kTiny ? kTiny : value;
    };
    double c = 1.0;
    double d = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
    double out = d;
    for (int m = 1; m < kMostTerms; ++m) {
        const double even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / away_from_zero(1.0 + even * d);
        c = away_from_zero(1.0 + even / c);
        out *= c * d;
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / away_from_zero(1.0 + odd * d);
        c = away_from_zero(1.0 + odd / c);
        out *= c * d;
        if (std::abs(c * d - 1.0) < 1e-15) {
            break;
        }
    }
    return out;
}

}  // namespace

double incomplete_beta(double a, double b, double x) {
    if (x <= 0.0 || x >= 1.0) {
        return x <= 0.0 ? 0.0 : 1.0;
    }
    const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                  a * std::log(x) + b * std::log1p(-x));
    return x < (a + 1.0) / (a + b + 2.0) ? front * beta_fraction(a, b, x) / a
                                         : 1.0 - front * beta_fraction(b, a, 1.0 - x) / b;
}

double beta_quantile(double a, double b, double probability) {
    // Bisection: 60 steps reach the last bits.
    double low = 0.0;
    double high = 1.0;
    for (int k = 0; k < 60; ++k) {
        const double middle = 0.5 * (low + high);
        (incomplete_beta(a, b, middle) < probability ? low : high) = middle;
    }
    return 0.5 * (low + high);
}

double student_two_sided(double t, double degrees) {
    return incomplete_beta(0.5 * degrees, 0.5, degrees / (degrees + t * t));
}

double student_bound(double level, double degrees) {
    if (level >= 1.0) {
        return std::numeric_limits<double>::infinity();
    }
    // Bisection in y = t^2 / (degrees + t^2), whose distribution is beta(1/2, degrees / 2).
    const double y = beta_quantile(0.5, 0.5 * degrees, level);
    return std::sqrt(degrees * y / (1.0 - y));
}

}  // namespace mercer
