// SPDX-License-Identifier: Apache-2.0
//
// src/report/l1_path_chart.cpp - a sparse path: coefficients, their number, objective.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "mercer/report/path_chart.hpp"
#include "report/page_frame.hpp"
#include "report/path_panels.hpp"

namespace mercer {

namespace {

constexpr std::size_t kMostNames = 12;  // as many as a legend has room for

/// The lower end of a figure of the path: half the last positive event, at most four decades.
double lowest_shown(const L1Path& path) {
    constexpr double kDecades = 1e-4;
    double low = path.lambda_max;
    for (const L1Knot& knot : path.knots) {
        low = knot.lambda > 0.0 ? std::min(low, knot.lambda) : low;
    }
    return std::max({path.knots.back().lambda, 0.5 * low, kDecades * path.lambda_max});
}

/// The knots and some values between them: linear functions of lambda are curved on a logarithmic
/// axis.
std::vector<double> spread_values(const L1Path& path) {
    constexpr int kBetweenKnots = 6;
    const double low = lowest_shown(path);
    std::vector<double> out;
    for (const L1Knot& knot : path.knots) {
        const double here = std::max(low, knot.lambda);
        const double before = out.empty() ? here : out.back();
        for (int k = 1; k < kBetweenKnots && here > 0.0 && before > 1.01 * here; ++k) {
            out.push_back(before * std::pow(here / before, k / double{kBetweenKnots}));
        }
        out.push_back(here);
    }
    return out;
}

/// The coefficients with the largest absolute values along the path.
std::vector<index_t> largest_coefficients(const L1Path& path) {
    constexpr std::size_t kCurves = 24;
    std::vector<std::pair<double, index_t>> order;
    for (index_t j = 0; j < path.columns; ++j) {
        order.emplace_back(0.0, j);
    }
    for (std::size_t k = 0; k < path.index.size(); ++k) {
        double& largest = order[static_cast<std::size_t>(path.index[k])].first;
        largest = std::min(largest, -std::abs(path.value[k]));
    }
    std::sort(order.begin(), order.end());
    std::vector<index_t> out;
    for (std::size_t k = 0; k < std::min(order.size(), kCurves); ++k) {
        out.push_back(order[k].second);
    }
    return out;
}

/// The curves of some coefficients, and sum |beta| of all of them.
struct Curves {
    std::vector<chart::Series> lines;
    std::vector<double> values;
    std::vector<double> sizes;
};

Curves curves_of(const SparsePath& path, const std::vector<index_t>& columns) {
    Curves out;
    const std::vector<std::string>& names = path.data().column_names;
    const bool named = path.options().features && !names.empty();
    out.values = spread_values(path.solution());
    for (const index_t column : columns) {
        out.lines.push_back(
            {.name = named ? names[static_cast<std::size_t>(column)] : std::to_string(column + 1),
             .across = out.values,
             .in_legend = columns.size() <= kMostNames});
    }
    for (const double lambda : out.values) {
        const L1Point point = path.solution().at(lambda);
        out.sizes.push_back(0.0);
        for (const double beta : point.beta) {
            out.sizes.back() += std::abs(beta);
        }
        for (std::size_t k = 0; k < columns.size(); ++k) {
            out.lines[k].up.push_back(point.beta[static_cast<std::size_t>(columns[k])]);
        }
    }
    report::style_curves(out.lines);
    return out;
}

/// The objective from its first value on: its slope is sum |beta|, linear between two knots.
chart::Series objective_line(double first, const Curves& curves) {
    chart::Series line;
    double value = first;
    for (std::size_t k = 0; k < curves.values.size(); ++k) {
        if (k > 0) {
            value -= 0.5 * (curves.values[k - 1] - curves.values[k]) *
                     (curves.sizes[k - 1] + curves.sizes[k]);
        }
        line.across.push_back(curves.values[k]);
        line.up.push_back(value);
    }
    return line;
}

/// The number of nonzero coefficients.
chart::Series active_line(const L1Path& path) {
    chart::Series line{.mark = chart::Mark::steps};
    const double low = lowest_shown(path);
    for (const L1Knot& knot : path.knots) {
        // Nothing changes at lambda = 0, which is not on the axis.
        const bool shown = knot.lambda >= low || line.up.empty();
        line.across.push_back(std::max(low, knot.lambda));
        line.up.push_back(shown ? static_cast<double>(knot.active) : line.up.back());
    }
    return line;
}

std::string title_of(const SparsePath& path) { return path.options().loss + " over lambda"; }

}  // namespace

chart::Figure path_figure(const SparsePath& path) {
    const L1Path& solution = path.solution();
    const double low = lowest_shown(solution);
    const double high = solution.lambda_max;
    report::PathAcross across{
        {.label = "lambda", .logarithmic = high > low && low > 0.0, .low = low, .high = high}, {}};
    for (const L1Knot& knot : path.knots()) {
        if (knot.lambda >= low) {
            across.knots.push_back(knot.lambda);
        }
    }
    const std::vector<index_t> columns = largest_coefficients(solution);
    const char* const what = path.options().features ? "columns" : "rows";
    Curves curves = curves_of(path, columns);
    const chart::Series objective = objective_line(solution.knots.front().objective, curves);
    std::vector<chart::Panel> panels{
        report::path_panel(fmt::format("coefficients of {} {}, events below", columns.size(), what),
                           std::move(curves.lines), false),
        report::path_panel(fmt::format("{} with a coefficient", what), {active_line(solution)},
                           true),
        report::path_panel("objective", {objective}, true)};
    report::add_score_panel(path.score, panels);
    return report::path_figure_of(std::move(panels), across, title_of(path));
}

std::string path_page_html(const SparsePath& path) {
    const L1Path& solution = path.solution();
    const chart::Figure figure = path_figure(path);
    const std::string body = fmt::format(
        "<h1>{0}</h1>\n<p>{1} rows, {2} events between {3:.6g} and {4:.6g}, {5} restarts. Between "
        "two events every coefficient is linear in lambda; the greatest violation of the "
        "conditions of optimality, at the events and between them, is {6:.3g}.</p>\n{7}",
        title_of(path), path.data().rows(), path.knots().size(), solution.lambda_max,
        path.knots().back().lambda, solution.restarts, solution.max_violation,
        report::figure_html(figure, ""));
    return report::page_html(title_of(path), body, {figure});
}

}  // namespace mercer
