// SPDX-License-Identifier: Apache-2.0
//
// src/theory/bounds.cpp - VC and Rademacher bounds of a classifier with a margin.
//
// Method   Vapnik's bound by the VC dimension; the dimension of canonical hyperplanes (Schoelkopf
//          and Smola 2002, theorem 5.5); margin bounds by the Rademacher complexity of balls in a
//          feature space (Bartlett and Mendelson, JMLR 3, 2002; constants of Mohri, Rostamizadeh
//          and Talwalkar, 2nd edition, theorems 5.8 to 5.10 and 6.12).
// Notation n rows   h VC dimension   R radius   L norm   rho margin   delta 1 - confidence
#include "mercer/theory/bounds.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/compensated_sum.hpp"
#include "mercer/base/error.hpp"
#include "mercer/losses/zero_one.hpp"

namespace mercer {

namespace {

// The bound holds for all rho simultaneously, so the best rho of a grid is valid as well. The grid
// has steps of 3.5 %.
constexpr int kMarginsTried = 400;
constexpr double kMarginRatio = 1e-6;  // the smallest rho tried relative to the largest
constexpr double kMostRows = 9.0e15;   // about 2^53: integers that doubles represent exactly

void require(bool holds, const char* name, double got, const char* must) {
    if (!holds) {
        throw InvalidArgument(fmt::format("{}: got {:.10g}, must be {}", name, got, must));
    }
}

void require_delta(double delta) {
    require(delta > 0.0 && delta < 1.0, "delta", delta, "> 0 and < 1");
}

double complexity_term(double n, double h, double delta) {
    const double growth = h > 0.0 ? h * (std::log(2.0 * n / h) + 1.0) : 0.0;
    return std::sqrt((growth + std::log(4.0 / delta)) / n);
}

/// The least n > h whose bound is below 1, by bisection: the term decreases with n.
index_t informative_rows(index_t h, double delta, double risk) {
    const auto says_something = [&](double n) {
        return risk + complexity_term(n, static_cast<double>(h), delta) < 1.0;
    };
    index_t low = h;  // the bound is 1 or more, or does not exist
    index_t high = h + 1;
    while (!says_something(static_cast<double>(high))) {
        if (static_cast<double>(high) > kMostRows) {
            return 0;
        }
        low = high;
        high *= 2;
    }
    while (high - low > 1) {
        const index_t middle = low + (high - low) / 2;
        (says_something(static_cast<double>(middle)) ? high : low) = middle;
    }
    return high;
}

void require_sample(const MarginSample& sample) {
    if (sample.values.empty() || sample.values.size() != sample.targets.size()) {
        throw InvalidArgument(fmt::format("rows: got {} targets and {} values, must be equal",
                                          sample.targets.size(), sample.values.size()));
    }
    for (std::size_t i = 0; i < sample.values.size(); ++i) {
        if (!std::isfinite(sample.values[i]) || std::abs(sample.targets[i]) != 1.0) {
            throw InvalidArgument(
                fmt::format("row {}: target {} and value {}, must be -1 or +1 and finite", i + 1,
                            sample.targets[i], sample.values[i]));
        }
    }
    const auto positive = [](double value) { return value > 0.0 && std::isfinite(value); };
    constexpr const char* kPositive = "finite and > 0";
    require(positive(sample.squared_norm), "squared_norm", sample.squared_norm, kPositive);
    require(positive(sample.radius), "radius", sample.radius, kPositive);
    require(positive(sample.trace), "trace", sample.trace, kPositive);
    require(positive(sample.margin), "margin", sample.margin, kPositive);
    require(std::isfinite(sample.intercept), "intercept", sample.intercept, "finite");
}

/// The VC bound; the dimension may be n or more, and then there is no bound.
double vc_value(double n, double h, double delta, double risk) {
    return h < n ? risk + complexity_term(n, h, delta) : kInfinity;
}

struct Measured {
    double n;
    double delta;
    double scale;         ///< |w'| R', the largest possible |f|
    double scaled_trace;  ///< |w'| sqrt(trace of phi')
};

Bound vc_row(const MarginSample& sample, const MarginReport& report, const Measured& with) {
    Bound row{.name = "vc",
              .theorem = "Vapnik, Chervonenkis: R_emp + sqrt((h(ln(2n/h)+1)+ln(4/delta))/n)"};
    if (sample.feature_dimension <= 0) {
        row.note = "the feature space has n dimensions or more";
        return row;
    }
    const double h =
        static_cast<double>(sample.feature_dimension) + (sample.has_intercept ? 1.0 : 0.0);
    row.value = vc_value(with.n, h, with.delta, report.risk);
    row.note = fmt::format("h = {:.0f}, all hyperplanes", h);
    return row;
}

Bound vc_margin_row(const MarginReport& report, const Measured& with) {
    Bound row{.name = "vc-margin",
              .theorem = "vc with h <= R^2 L^2 of canonical hyperplanes (Schoelkopf, Smola 5.5)"};
    // R^2 L^2 >= 1 because 1 = min |f| <= R L; rounding must not take it below a whole number.
    const double h = std::max(1.0, std::floor(report.dimension * (1.0 + 1e-9)));
    row.value = vc_value(with.n, h, with.delta, report.risk);
    row.note = h < with.n ? fmt::format("h = {:.0f}, but the rows chose the class", h)
                          : fmt::format("h = {:.4g} is not below n", h);
    return row;
}

Bound rademacher_row(const MarginSample& sample, const Measured& with) {
    const double rho = sample.margin;
    return {.name = "rademacher",
            .value = margin_loss(sample.targets, sample.values, rho) +
                     2.0 * with.scale / (rho * std::sqrt(with.n)) +
                     std::sqrt(std::log(1.0 / with.delta) / (2.0 * with.n)),
            .theorem = "Bartlett, Mendelson: R_rho + 2 R L/(rho sqrt n) + sqrt(ln(1/delta)/(2n))",
            .note = fmt::format("rho = {:.4g}; asks for |w|, rho in advance", rho)};
}

Bound trace_row(const MarginSample& sample, const Measured& with) {
    const double rho = sample.margin;
    return {.name = "rademacher-trace",
            .value = margin_loss(sample.targets, sample.values, rho) +
                     2.0 * with.scaled_trace / (rho * with.n) +
                     3.0 * std::sqrt(std::log(2.0 / with.delta) / (2.0 * with.n)),
            .theorem =
                "the same by the rows' own trace: R_rho + 2 L sqrt(tr K)/(rho n) + "
                "3 sqrt(ln(2/delta)/(2n))",
            .note = fmt::format("rho = {:.4g}; asks for |w|, rho in advance", rho)};
}

/// w' is normalised: the class is the unit ball, and rho runs over all margins in it.
Bound uniform_row(const MarginSample& sample, const Measured& with) {
    Bound row{.name = "rademacher-uniform",
              .value = kInfinity,
              .theorem =
                  "for all rho at once: R_rho + 4 R L/(rho sqrt n) + sqrt(ln log2(2 R L/rho)/n) + "
                  "sqrt(ln(2/delta)/(2n))"};
    double best = with.scale;
    for (int step = 0; step <= kMarginsTried; ++step) {
        const double rho =
            with.scale * std::pow(kMarginRatio, static_cast<double>(step) / kMarginsTried);
        const double value = margin_loss(sample.targets, sample.values, rho) +
                             4.0 * with.scale / (rho * std::sqrt(with.n)) +
                             std::sqrt(std::log(std::log2(2.0 * with.scale / rho)) / with.n) +
                             std::sqrt(std::log(2.0 / with.delta) / (2.0 * with.n));
        if (value < row.value) {
            row.value = value;
            best = rho;
        }
    }
    row.note = fmt::format("rho = {:.4g}; asks for R in advance", best);
    return row;
}

}  // namespace

VcBound vc_bound(index_t rows, index_t dimension, double delta, double risk) {
    if (dimension < 0 || dimension >= rows) {
        throw InvalidArgument(
            fmt::format("dimension: got {}, must be >= 0 and < rows, {}", dimension, rows));
    }
    require_delta(delta);
    require(risk >= 0.0 && risk <= 1.0, "risk", risk, ">= 0 and <= 1");
    const double term =
        complexity_term(static_cast<double>(rows), static_cast<double>(dimension), delta);
    return {term, risk + term, informative_rows(dimension, delta, risk)};
}

double margin_dimension(double radius, double norm) {
    require(radius >= 0.0 && std::isfinite(radius), "radius", radius, "finite and >= 0");
    require(norm >= 0.0 && std::isfinite(norm), "norm", norm, "finite and >= 0");
    return radius * radius * norm * norm;
}

double margin_loss(std::span<const double> targets, std::span<const double> values, double rho) {
    CompensatedSum sum;
    for (std::size_t i = 0; i < values.size(); ++i) {
        sum.add(std::clamp(1.0 - targets[i] * values[i] / rho, 0.0, 1.0));
    }
    return sum.value() / static_cast<double>(values.size());
}

MarginReport margin_bounds(const MarginSample& sample, double delta) {
    require_delta(delta);
    require_sample(sample);
    const auto n = static_cast<double>(sample.values.size());
    MarginReport report;
    double wrong = 0.0;
    report.functional_margin = kInfinity;
    for (std::size_t i = 0; i < sample.values.size(); ++i) {
        wrong += ZeroOneLoss{}.value(sample.targets[i], sample.values[i]);
        report.functional_margin = std::min(report.functional_margin, std::abs(sample.values[i]));
    }
    report.risk = wrong / n;
    report.norm = std::sqrt(sample.squared_norm);
    report.geometric_margin = report.functional_margin / report.norm;
    const double added = sample.has_intercept ? sample.radius : 0.0;  // coordinate of b
    const double weight = sample.has_intercept ? sample.intercept / sample.radius : 0.0;
    report.embedded_radius = std::hypot(sample.radius, added);
    report.embedded_norm = std::hypot(report.norm, weight);
    report.canonical_norm = report.embedded_norm / report.functional_margin;
    report.dimension = report.functional_margin > 0.0
                           ? margin_dimension(report.embedded_radius, report.canonical_norm)
                           : kInfinity;
    const Measured with{n, delta, report.embedded_norm * report.embedded_radius,
                        report.embedded_norm * std::sqrt(sample.trace + n * added * added)};
    report.bounds = {vc_row(sample, report, with), vc_margin_row(report, with),
                     rademacher_row(sample, with), trace_row(sample, with),
                     uniform_row(sample, with)};
    return report;
}

}  // namespace mercer
