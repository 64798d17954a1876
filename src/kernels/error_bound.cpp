// SPDX-License-Identifier: Apache-2.0
//
// src/kernels/error_bound.cpp - bounds of sums, products and functions from bounds of their
// operands.
//
// Method   Forward error analysis (Higham, Accuracy and Stability, ch. 3), in absolute terms and
//          in units of sqrt(k(x,x) k(z,z)): by the Cauchy-Schwarz inequality no value of a
//          definite kernel is larger than that, so that the relative errors of the parts combine to
//          a relative error of the whole.
#include "kernels/error_bound.hpp"

#include <algorithm>
#include <cmath>

#include "mercer/kernels/formulas.hpp"

namespace mercer::rounding {

double largest(Interval range) { return std::max(std::fabs(range.lower), std::fabs(range.upper)); }

namespace {

/// `otherwise` if the value is NaN: 0 times infinity carries no information.
double number_or(double value, double otherwise) {
    if (std::isnan(value)) {
        return otherwise;
    }
    return value;
}

}  // namespace

Interval widened(Interval range) {
    const double lower = range.lower - kWider * std::fabs(range.lower) - kTiny;
    const double upper = range.upper + kWider * std::fabs(range.upper) + kTiny;
    return {number_or(lower, -kInfinity), number_or(upper, kInfinity)};
}

Interval operator+(Interval a, Interval b) {
    return widened({a.lower + b.lower, a.upper + b.upper});
}

Interval operator*(Interval a, Interval b) {
    const double products[] = {a.lower * b.lower, a.lower * b.upper, a.upper * b.lower,
                               a.upper * b.upper};
    for (const double product : products) {
        if (std::isnan(product)) {  // 0 times an infinite end
            return {-kInfinity, kInfinity};
        }
    }
    const auto [low, high] = std::minmax_element(std::begin(products), std::end(products));
    return widened({*low, *high});
}

Interval exp(Interval a) { return widened({std::exp(a.lower), std::exp(a.upper)}); }

Interval power(Interval a, double exponent) {
    if (std::fmod(exponent, 2.0) != 0.0) {
        return widened({std::pow(a.lower, exponent), std::pow(a.upper, exponent)});
    }
    const bool around_zero = a.lower <= 0.0 && a.upper >= 0.0;
    const double least = around_zero ? 0.0 : std::min(std::fabs(a.lower), std::fabs(a.upper));
    return widened({std::pow(least, exponent), std::pow(largest(a), exponent)});
}

namespace {

/// The largest computed value.
double reach(const Bound& bound) { return largest(bound.range) + bound.error; }

/// Lower bound of k(x, x), zero rows included.
double any_diagonal(const Bound& bound) {
    return bound.vanishes ? std::min(0.0, bound.diagonal) : bound.diagonal;
}

/// The relative error of ((1 + r) s)^n as a value of s^n, plus the rounding of the products.
double raised_error(double relative, double exponent) {
    const double growth = exponent * std::log1p(relative);
    return std::expm1(growth) + gamma(2.0 * exponent + 2.0) * std::exp(growth);
}

}  // namespace

Bound affine(const Bound& x, double factor, double constant) {
    const double size = factor * reach(x) + std::fabs(constant);
    const bool vanishes = x.vanishes && constant == 0.0;
    const double diagonal =
        constant >= 0.0 && x.diagonal >= 0.0
            ? (factor * (vanishes ? x.diagonal : any_diagonal(x)) + constant) * (1.0 - kWider)
            : factor * any_diagonal(x) + constant - kWider * size;
    return {widened({factor * x.range.lower + constant, factor * x.range.upper + constant}),
            factor * x.error + 3.0 * kU * size + kTiny,
            diagonal,
            vanishes,
            x.relative + 3.0 * kU * (1.0 + x.relative) + lost_of(kTiny, diagonal),
            x.definite && constant >= 0.0};
}

Bound raised(const Bound& x, double exponent) {
    const double size = reach(x);
    const Interval range = power(x.range, exponent);
    const double diagonal =
        x.diagonal >= 0.0 ? std::pow(x.diagonal, exponent) * (1.0 - kWider) : range.lower;
    return {range,
            exponent * x.error * std::pow(size, exponent - 1.0) +
                gamma(exponent + 2.0) * std::pow(size, exponent) + kTiny,
            diagonal,
            x.vanishes,
            raised_error(x.relative, exponent) + lost_of(kTiny, diagonal),
            x.definite};
}

Bound exponential(const Bound& x) {
    const Interval range = exp(x.range);
    const double off = std::expm1(x.error) + 10.0 * kU * std::exp(x.error);
    const double diagonal = std::exp(any_diagonal(x)) * (1.0 - kWider);
    return {range, range.upper * off + kTiny,      diagonal,  // k(x,z) <= (k(x,x) + k(z,z)) / 2
            false, off + lost_of(kTiny, diagonal), x.definite};
}

Bound tangent(const Bound& x) {
    return {widened({std::tanh(x.range.lower), std::tanh(x.range.upper)}),
            std::min(x.error + 20.0 * kU + kTiny, 2.01), std::tanh(x.diagonal) - kWider,
            x.vanishes};
}

Bound polynomial(std::span<const double> coefficients, const Bound& x) {
    const auto count = static_cast<index_t>(coefficients.size());
    const auto at = [&](double value) {
        return formulas::polynomial(coefficients.data(), count, value);
    };
    const double size = reach(x);
    double slope = 0.0;
    for (index_t i = count - 1; i >= 1; --i) {
        slope = slope * size + static_cast<double>(i) * coefficients[static_cast<std::size_t>(i)];
    }
    const bool vanishes = x.vanishes && coefficients.front() == 0.0;
    const double diagonal = vanishes ? x.diagonal : any_diagonal(x);
    Bound out;
    out.range = x.range.lower >= 0.0 ? widened({at(x.range.lower), at(x.range.upper)})
                                     : widened({-at(largest(x.range)), at(largest(x.range))});
    const double lost = kTiny * std::pow(std::max(1.0, size), static_cast<double>(count));
    out.error = slope * x.error + gamma(2.0 * static_cast<double>(count)) * at(size) + lost;
    out.diagonal = diagonal >= 0.0 ? at(diagonal) * (1.0 - kWider) : out.range.lower;
    out.vanishes = vanishes;
    out.relative =
        raised_error(x.relative, static_cast<double>(count)) + lost_of(lost, out.diagonal);
    out.definite = x.definite;
    return out;
}

Bound sum(const Bound& a, const Bound& b) {
    const bool vanishes = a.vanishes && b.vanishes;
    const double size = reach(a) + reach(b);
    const double diagonal = vanishes ? a.diagonal + b.diagonal : any_diagonal(a) + any_diagonal(b);
    const bool positive = a.diagonal >= 0.0 && b.diagonal >= 0.0;
    const double relative = std::max(a.relative, b.relative);  // Cauchy-Schwarz
    return {a.range + b.range,
            a.error + b.error + 2.0 * kU * size,
            positive ? diagonal * (1.0 - kWider) : diagonal - kWider * size,
            vanishes,
            relative + 2.0 * kU * (1.0 + relative),
            a.definite && b.definite};
}

Bound product(const Bound& a, const Bound& b) {
    const Interval range = a.range * b.range;
    const bool positive = a.diagonal >= 0.0 && b.diagonal >= 0.0;
    const double diagonal = positive ? a.diagonal * b.diagonal * (1.0 - kWider) : range.lower;
    const double relative = a.relative + b.relative + a.relative * b.relative;
    return {
        range,
        largest(a.range) * b.error + reach(b) * a.error + 2.0 * kU * reach(a) * reach(b) + kTiny,
        diagonal,
        a.vanishes || b.vanishes,
        relative + 2.0 * kU * (1.0 + relative) + lost_of(kTiny, diagonal),
        a.definite && b.definite};
}

/// With q the error in units of the diagonal, q <= 1/4, the divisor is wrong by a factor of at most
/// 1 / (1 - q).
Bound normalized(const Bound& x) {
    const double least = x.diagonal;
    const double ratio = x.definite ? 1.0 : (least > 0.0 ? largest(x.range) / least : kInfinity);
    const double q = std::min(x.relative, lost_of(x.error, least));
    const double error = q <= 0.25 ? (1.34 * q + 8.0 * kU) * (1.0 + ratio) + kTiny : kInfinity;
    return {widened({x.range.lower >= 0.0 ? 0.0 : -ratio, ratio}),
            error,
            1.0 - kWider,
            x.vanishes,
            error,
            x.definite};
}

Bound scaled(const Bound& x, Interval f) {
    const double factor = largest(f) * largest(f);
    const double nearest =
        f.lower <= 0.0 && f.upper >= 0.0 ? 0.0 : std::min(std::fabs(f.lower), std::fabs(f.upper));
    const Interval range = f * f * x.range;
    const double diagonal =
        x.diagonal >= 0.0 ? nearest * nearest * x.diagonal * (1.0 - kWider) : range.lower;
    return {
        range,
        factor * x.error + (3.0 * kU * factor + kTiny) * reach(x) + kTiny,
        diagonal,
        x.vanishes,
        x.relative + 3.0 * kU * (1.0 + x.relative) + lost_of(kTiny * (1.0 + reach(x)), diagonal),
        x.definite};
}

Bound settled(Bound bound) {
    bound.range.lower = number_or(bound.range.lower, -kInfinity);
    bound.range.upper = number_or(bound.range.upper, kInfinity);
    bound.error = number_or(bound.error, kInfinity);
    bound.diagonal = number_or(bound.diagonal, -kInfinity);
    bound.relative = std::min(number_or(bound.relative, kInfinity),  // or from the absolute error
                              lost_of(bound.error, bound.diagonal));
    if (!bound.definite) {
        bound.relative = kInfinity;
    }
    return bound;
}

}  // namespace mercer::rounding
