// SPDX-License-Identifier: Apache-2.0
//
// src/report/intervals.cpp - Clopper and Pearson by the incomplete beta function; the bootstrap.
//
// Notation   a, b  parameters of the beta distribution     c, d  of Lentz's continued fraction
#include "mercer/report/intervals.hpp"

#include <algorithm>
#include <cmath>

#include "mercer/base/random.hpp"

namespace mercer::report {

namespace {

/// The continued fraction of I_x(a, b) by Lentz's method; converges fast for x < (a+1)/(a+b+2).
double beta_fraction(double a, double b, double x) {
    constexpr double kTiny = 1e-300;
    constexpr int kMostTerms = 10000;
    const auto kept_from_zero = [](double value) {
        return std::abs(value) < kTiny ? kTiny : value;
    };
    double c = 1.0;
    double d = 1.0 / kept_from_zero(1.0 - (a + b) * x / (a + 1.0));
    double out = d;
    for (int m = 1; m < kMostTerms; ++m) {
        const double even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / kept_from_zero(1.0 + even * d);
        c = kept_from_zero(1.0 + even / c);
        out *= c * d;
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / kept_from_zero(1.0 + odd * d);
        c = kept_from_zero(1.0 + odd / c);
        out *= c * d;
        if (std::abs(c * d - 1.0) < 1e-15) {
            break;
        }
    }
    return out;
}

/// The x at which I_x(a, b) is `probability`, by halving: 60 steps reach the last bits.
double beta_quantile(double a, double b, double probability) {
    double low = 0.0;
    double high = 1.0;
    for (int k = 0; k < 60; ++k) {
        const double middle = 0.5 * (low + high);
        (incomplete_beta(a, b, middle) < probability ? low : high) = middle;
    }
    return 0.5 * (low + high);
}

/// The quantile of sorted values, linear between them.
double quantile(const std::vector<double>& sorted, double probability) {
    const double place = probability * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
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

Interval exact_interval(index_t hits, index_t rows, double level) {
    if (rows == 0) {
        return {kNaN, kNaN};
    }
    const double tail = 0.5 * (1.0 - level);
    const auto k = static_cast<double>(hits);
    const auto n = static_cast<double>(rows);
    return {hits == 0 ? 0.0 : beta_quantile(k, n - k + 1.0, tail),
            hits == rows ? 1.0 : beta_quantile(k + 1.0, n - k, 1.0 - tail)};
}

std::vector<Interval> bootstrap_intervals(index_t rows, const Measure& measure,
                                          const BootstrapOptions& options) {
    constexpr std::uint64_t kStream = 0x626f6f74;  // of its own
    Random random(options.seed, kStream);
    std::vector<index_t> counts(static_cast<std::size_t>(rows));
    std::vector<std::vector<double>> seen;
    for (index_t sample = 0; sample < options.samples && rows > 0; ++sample) {
        std::fill(counts.begin(), counts.end(), 0);
        for (index_t draw = 0; draw < rows; ++draw) {
            ++counts[static_cast<std::size_t>(random.below(rows))];
        }
        const std::vector<double> values = measure(counts);
        seen.resize(values.size());
        for (std::size_t m = 0; m < values.size(); ++m) {
            if (!std::isnan(values[m])) {
                seen[m].push_back(values[m]);
            }
        }
    }
    const double tail = 0.5 * (1.0 - options.level);
    std::vector<Interval> out;
    for (std::vector<double>& values : seen) {
        std::sort(values.begin(), values.end());
        out.push_back(values.empty()
                          ? Interval{kNaN, kNaN}
                          : Interval{quantile(values, tail), quantile(values, 1.0 - tail)});
    }
    return out;
}

}  // namespace mercer::report
