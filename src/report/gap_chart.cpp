// SPDX-License-Identifier: Apache-2.0
//
// src/report/gap_chart.cpp - a line per solver and panel.
#include "mercer/report/gap_chart.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "report/page_frame.hpp"

namespace mercer {

namespace {

constexpr double kLeastGap = 1e-16;
constexpr double kLeastSeconds = 1e-5;
constexpr double kPanelHeight = 340.0;
// Descent takes thousands of steps where Newton's method takes six: the panel of steps ends at this
// multiple of the shortest run, so that both are visible.
constexpr double kMostTimesShortest = 20.0;

std::string number_or_dash(double value) {
    return std::isfinite(value) ? fmt::format("{:.3g}", value) : "-";
}

/// Number of steps in the lower panel; 0 if no run has more than one point.
double steps_shown(const std::vector<SolverRun>& runs) {
    double most = 0.0;
    double least = kInfinity;
    for (const SolverRun& run : runs) {
        if (run.trace.size() > 1) {
            const auto steps = static_cast<double>(run.trace.back().iteration);
            most = std::max(most, steps);
            least = std::min(least, std::max(1.0, steps));
        }
    }
    return std::min(most, kMostTimesShortest * least);
}

std::string legend_text(const SolverRun& run) {
    if (!run.problem.empty()) {
        return run.solver + " (did not run)";
    }
    if (!std::isfinite(run.pace.seen)) {
        return run.solver;
    }
    return fmt::format(
        "{}: {} per step{}", run.solver, factor_text(run.pace.seen),
        std::isfinite(run.pace.bound) ? ", at most " + factor_text(run.pace.bound) : "");
}

/// The points of a run that have a gap, over time or over steps up to `most`.
chart::Series line_of(const SolverRun& run, bool by_time, double most) {
    chart::Series line{.name = legend_text(run), .end_dot = true};
    for (const TracePoint& point : run.trace) {
        const double across =
            by_time ? std::max(point.seconds, kLeastSeconds) : static_cast<double>(point.iteration);
        if (std::isfinite(point.relative_gap) && across <= most) {
            line.across.push_back(across);
            line.up.push_back(std::max(point.relative_gap, kLeastGap));
        }
    }
    return line;
}

/// gap = first * factor^steps, a straight line here, down to the lower edge.
chart::Series bound_of(const SolverRun& run, const chart::Series& line, double lowest,
                       double most) {
    const double first = line.up.front();
    const double end = std::min(std::log(lowest / first) / std::log(run.pace.bound), most);
    return {.name = "bound of " + run.solver,
            .across = {0.0, end},
            .up = {first, first * std::pow(run.pace.bound, end)},
            .dash = 1,
            .in_legend = false,
            .hover = false};
}

/// Whole decades that contain all gaps.
chart::Axis gap_axis(const std::vector<chart::Series>& lines) {
    double least = 1.0;
    double most = kLeastGap;
    for (const chart::Series& line : lines) {
        for (const double gap : line.up) {
            least = std::min(least, gap);
            most = std::max(most, gap);
        }
    }
    const double high = std::ceil(std::log10(most));
    const double low = std::min(std::floor(std::log10(least)), high - 1.0);
    return {.label = "certified relative gap",
            .logarithmic = true,
            .low = std::pow(10.0, low),
            .high = std::pow(10.0, high)};
}

}  // namespace

std::string factor_text(double factor) {
    if (!std::isfinite(factor)) {
        return "-";
    }
    const bool close = factor > 0.999 && factor < 1.0;
    return close ? fmt::format("1-{:.2g}", 1.0 - factor) : fmt::format("{:.4g}", factor);
}

chart::Figure gap_figure(const std::vector<SolverRun>& runs, const std::string& title) {
    chart::Figure figure{.id = "gaps",
                         .title = title,
                         .description =
                             "Certified relative gap of each solver against seconds, "
                             "and against its steps."};
    chart::Panel times{.across = {.label = "seconds", .logarithmic = true}, .height = kPanelHeight};
    for (std::size_t r = 0; r < runs.size(); ++r) {
        times.series.push_back(line_of(runs[r], true, kInfinity));
        times.series.back().colour = static_cast<int>(r);
    }
    times.up = gap_axis(times.series);
    const double steps = steps_shown(runs);
    chart::Panel counts{.across = {.label = "steps", .low = 0.0, .high = std::max(1.0, steps)},
                        .up = times.up,
                        .height = kPanelHeight};
    figure.panels.push_back(std::move(times));
    if (!(steps > 0.0)) {
        return figure;
    }
    for (std::size_t r = 0; r < runs.size(); ++r) {
        chart::Series line = line_of(runs[r], false, steps);
        line.in_legend = false;
        line.colour = static_cast<int>(r);
        if (runs[r].trace.size() < 2 || line.up.empty()) {
            continue;
        }
        if (std::isfinite(runs[r].pace.bound)) {
            counts.series.push_back(bound_of(runs[r], line, counts.up.low, steps));
            counts.series.back().colour = static_cast<int>(r);
        }
        counts.series.push_back(std::move(line));
    }
    figure.panels.push_back(std::move(counts));
    return figure;
}

std::string gap_page_html(const std::vector<SolverRun>& runs, const std::string& title) {
    const chart::Figure figure = gap_figure(runs, title);
    std::string body = fmt::format(
        "<h1>{}</h1>\n{}<div class=\"scroll\"><table class=\"sortable\">\n<thead><tr><th>solver"
        "<th>status<th>steps<th>seconds<th>relative gap<th>condition<th>factor per step"
        "<th>theory's bound<th>order</thead>\n<tbody>\n",
        chart::escaped(title), report::figure_html(figure, ""));
    for (const SolverRun& run : runs) {
        body += fmt::format("<tr><td>{}", chart::escaped(run.solver));
        if (!run.problem.empty()) {
            body += fmt::format("<td colspan=\"8\">{}\n", chart::escaped(run.problem));
            continue;
        }
        body += fmt::format("<td>{}<td>{}<td>{:.4g}<td>{:.3g}<td>{}<td>{}<td>{}<td>{}\n",
                            run.status, run.iterations, run.seconds, relative_gap(run.certificate),
                            number_or_dash(run.pace.condition), factor_text(run.pace.seen),
                            factor_text(run.pace.bound), number_or_dash(run.pace.order));
    }
    body +=
        "</tbody></table></div>\n<p>A step multiplies the gap by the factor: gradient descent's is "
        "at most (1 - 1/condition)^2, that of conjugate gradients ((r - 1)/(r + 1))^2 with r the "
        "root of the condition, up to a constant. Newton's method has order 2: each gap is about "
        "the square of the one before. Dashed: the bound.</p>\n";
    return report::page_html(title, body, {figure});
}

}  // namespace mercer
