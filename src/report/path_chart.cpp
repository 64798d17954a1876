// SPDX-License-Identifier: Apache-2.0
//
// src/report/path_chart.cpp - the exact path of a machine: coefficients, rows, margin, score.
#include "mercer/report/path_chart.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "mercer/fit/machines.hpp"
#include "report/page_frame.hpp"
#include "report/path_panels.hpp"

namespace mercer {

namespace {

/// Values spread over the path: evenly, or by equal factors if the range is wide.
std::vector<double> spread_values(const SolutionPath& solution) {
    constexpr int kValues = 96;
    const double from = solution.from;
    const double to = solution.to;
    const bool even = !(from > 0.0 && to > 0.0 && std::max(from, to) > 10.0 * std::min(from, to));
    std::vector<double> out{from};
    for (int k = 1; k < kValues; ++k) {
        const double part = static_cast<double>(k) / kValues;
        out.push_back(even ? from + part * (to - from) : from * std::pow(to / from, part));
    }
    out.push_back(to);
    return out;
}

/// The rows whose coefficients change, largest change first.
std::vector<index_t> moving_rows(const std::vector<std::vector<double>>& coefficients) {
    std::vector<std::pair<double, index_t>> order;
    for (std::size_t i = 0; i < coefficients.front().size(); ++i) {
        double least = kInfinity;
        double most = -kInfinity;
        for (const std::vector<double>& beta : coefficients) {
            least = std::min(least, beta[i]);
            most = std::max(most, beta[i]);
        }
        order.emplace_back(least - most, static_cast<index_t>(i));
    }
    std::sort(order.begin(), order.end());
    std::vector<index_t> rows;
    for (std::size_t r = 0; r < order.size() && order[r].first < 0.0; ++r) {
        rows.push_back(order[r].second);
    }
    return rows;
}

/// The coefficients that change most, at values spread over the path.
chart::Panel coefficient_panel(const Path& path, Context& context) {
    constexpr std::size_t kRows = 24;
    const bool shares = path.options().over == "C";  // all of them grow with C
    const std::vector<double> values = spread_values(path.solution());
    std::vector<std::vector<double>> all;
    for (const double value : values) {
        all.push_back(path.coefficients(value, context));
        for (double& beta : all.back()) {
            beta /= shares ? value : 1.0;
        }
    }
    std::vector<index_t> rows = moving_rows(all);
    rows.resize(std::min(kRows, rows.size()));
    std::vector<chart::Series> curves;
    for (const index_t row : rows) {
        curves.push_back(
            {.name = fmt::format("row {}", row + 1), .across = values, .in_legend = false});
        for (const std::vector<double>& beta : all) {
            curves.back().up.push_back(beta[static_cast<std::size_t>(row)]);
        }
    }
    report::style_curves(curves);
    return report::path_panel(
        fmt::format("{} of {} rows, events below", shares ? "coefficients over C" : "coefficients",
                    rows.size()),
        std::move(curves), false);
}

/// 2/|f|, with |f| linear between two knots, which is exact where no row is free.
chart::Series margin_line(const std::vector<PathKnot>& knots) {
    constexpr int kBetweenKnots = 8;
    chart::Series line;
    for (std::size_t k = 0; k < knots.size(); ++k) {
        const double norm = std::sqrt(knots[k].squared_norm);
        const double before = k == 0 ? norm : std::sqrt(knots[k - 1].squared_norm);
        const double to = knots[k].t;
        const double from = k == 0 ? to : knots[k - 1].t;
        const bool apart = from > 0.0 && std::abs(norm - before) > 0.05 * norm;
        for (int j = apart ? 1 : kBetweenKnots; j <= kBetweenKnots; ++j) {
            const double t =
                j == kBetweenKnots ? to : from * std::pow(to / from, j / double{kBetweenKnots});
            const double share = to == from ? 1.0 : (t - from) / (to - from);
            if (const double here = before + share * (norm - before); here > 0.0) {
                line.across.push_back(t);
                line.up.push_back(2.0 / here);
            }
        }
    }
    return line;
}

chart::Panel rows_panel(const std::vector<PathKnot>& knots) {
    chart::Series support{.mark = chart::Mark::steps, .name = "support vectors"};
    chart::Series free{.mark = chart::Mark::steps, .name = "free"};
    for (const PathKnot& knot : knots) {
        support.across.push_back(knot.t);
        support.up.push_back(static_cast<double>(knot.support));
        free.across.push_back(knot.t);
        free.up.push_back(static_cast<double>(knot.free));
    }
    return report::path_panel("rows", {std::move(support), std::move(free)}, true);
}

std::string title_of(const Path& path) {
    return fmt::format("{} over {}", path.options().machine.model, path.options().over);
}

}  // namespace

chart::Figure path_figure(const Path& path, Context& context) {
    const SolutionPath& solution = path.solution();
    const std::string& over = path.options().over;
    const double low = std::min(solution.from, solution.to);
    const double high = std::max(solution.from, solution.to);
    report::PathAcross across{{.label = over,
                               .logarithmic = (over == "C" || over == "weight") && high > low,
                               .low = low,
                               .high = high},
                              {}};
    for (const PathKnot& knot : solution.knots) {
        across.knots.push_back(knot.t);
    }
    std::vector<chart::Panel> panels{coefficient_panel(path, context), rows_panel(path.knots())};
    if (chart::Series margin = margin_line(path.knots());
        is_machine(path.options().machine.model, MachineId::svc) && !margin.across.empty()) {
        panels.push_back(report::path_panel("margin 2/|f|", {std::move(margin)}, true));
    }
    report::add_score_panel(path.score, panels);
    return report::path_figure_of(std::move(panels), across, title_of(path));
}

std::string path_page_html(const Path& path, Context& context) {
    const SolutionPath& solution = path.solution();
    const chart::Figure figure = path_figure(path, context);
    const std::string body = fmt::format(
        "<h1>{0}</h1>\n<p>{2} rows, {3} events between {4:.6g} and {5:.6g}, {6} restarts. Between "
        "two events every coefficient is linear in {1}; the greatest violation of the conditions "
        "of optimality at an event is {7:.3g}.</p>\n{8}",
        title_of(path), path.options().over, path.data().rows(), path.knots().size(), solution.from,
        solution.to, solution.restarts, solution.max_violation, report::figure_html(figure, ""));
    return report::page_html(title_of(path), body, {figure});
}

}  // namespace mercer
