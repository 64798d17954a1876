// SPDX-License-Identifier: Apache-2.0
//
// src/report/figures_model.cpp - charts of the model: columns, plane, refits, selection.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/figures.hpp"

namespace mercer::report {

namespace {

using chart::Figure;
using chart::Mark;
using chart::Panel;
using chart::Reference;
using chart::Series;

/// One series of the plane's points for each class; misclassified ones have a ring.
void add_points(const ReportPlane& plane, Panel& panel) {
    Series wrong{.mark = Mark::rings, .name = "on the wrong side", .colour = 6, .hover = false};
    // Points without a class have another colour than the map behind them.
    const int plain = plane.map.kind == chart::HeatMap::Kind::sequential ? 1 : 0;
    std::vector<Series> classes(std::max<std::size_t>(1, plane.labels.size()));
    for (std::size_t c = 0; c < classes.size(); ++c) {
        const bool named = !plane.classes.empty() && !plane.labels.empty();
        classes[c] = {.mark = Mark::points,
                      .name = named ? "class " + plane.labels[c] : "",
                      .colour = named ? static_cast<int>(c) : plain};
    }
    for (std::size_t i = 0; i < plane.places.size(); ++i) {
        std::size_t c = 0;
        if (!plane.classes.empty()) {
            c = static_cast<std::size_t>(
                std::find(plane.labels.begin(), plane.labels.end(), plane.classes[i]) -
                plane.labels.begin());
        }
        append(classes[c], plane.places[i].first, plane.places[i].second);
        if (!plane.wrong.empty() && plane.wrong[i]) {
            append(wrong, plane.places[i].first, plane.places[i].second);
        }
    }
    for (Series& series : classes) {
        if (!series.across.empty()) {
            panel.series.push_back(std::move(series));
        }
    }
    if (!wrong.across.empty()) {
        panel.series.push_back(std::move(wrong));
    }
}

/// The lines f = 0 and f = -1, 1 of two classes.
void add_contours(const ReportPlane& plane, Panel& panel) {
    if (plane.map.kind != chart::HeatMap::Kind::diverging) {
        return;
    }
    for (const double level : {0.0, -1.0, 1.0}) {
        Series line = chart::contour(plane.map, level, plane.across, plane.up);
        line.name = level == 0.0 ? "f = 0" : "f = ±1";
        line.colour = 6;
        line.dash = level == 0.0 ? 0 : 1;
        line.in_legend = level != -1.0 && !line.across.empty();
        panel.series.push_back(std::move(line));
    }
}

Panel grid_line(const ReportGrid& grid) {
    Series points{.mark = Mark::points};
    Panel panel{.across = {.label = grid.names.front(), .logarithmic = true},
                .up = {.label = grid.measure}};
    for (std::size_t k = 0; k < grid.scores.size(); ++k) {
        append(points, grid.values[k].front(), grid.scores[k]);
        panel.across.logarithmic = panel.across.logarithmic && grid.values[k].front() > 0.0;
    }
    panel.series.push_back(std::move(points));
    panel.references.push_back(
        {.kind = Reference::Kind::up, .at = grid.best.front(), .label = "best"});
    return panel;
}

/// The values of one of the names, ascending.
std::vector<double> values_tried(const ReportGrid& grid, std::size_t name) {
    std::vector<double> out;
    for (const std::vector<double>& combination : grid.values) {
        out.push_back(combination[name]);
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

Panel grid_map(const ReportGrid& grid) {
    constexpr std::size_t kMostTexts = 12;  // on one line
    const std::vector<double> firsts = values_tried(grid, 0);
    const std::vector<double> seconds = values_tried(grid, 1);
    Panel panel{.across = {.label = grid.names[0]}, .up = {.label = grid.names[1]}};
    panel.height = std::clamp(34.0 * static_cast<double>(seconds.size()), 120.0, 420.0);
    panel.heat = {.kind = chart::HeatMap::Kind::sequential,
                  .columns = static_cast<index_t>(firsts.size()),
                  .rows = static_cast<index_t>(seconds.size()),
                  .values = std::vector<double>(firsts.size() * seconds.size(), kNaN),
                  .name = grid.measure};
    for (const double value : firsts) {
        panel.across.categories.push_back(chart::number_text(value));
    }
    for (const double value : seconds) {
        panel.up.categories.push_back(chart::number_text(value));
    }
    const auto place = [](const std::vector<double>& list, double value) {
        return static_cast<std::size_t>(std::lower_bound(list.begin(), list.end(), value) -
                                        list.begin());
    };
    for (std::size_t k = 0; k < grid.scores.size(); ++k) {
        panel.heat.values[place(seconds, grid.values[k][1]) * firsts.size() +
                          place(firsts, grid.values[k][0])] = grid.scores[k];
    }
    const std::size_t best =
        place(seconds, grid.best[1]) * firsts.size() + place(firsts, grid.best[0]);
    for (std::size_t k = 0; k < panel.heat.values.size(); ++k) {
        panel.heat.texts.push_back(
            (k == best ? std::string("★ ") : std::string()) +
            (firsts.size() <= kMostTexts ? chart::number_text(panel.heat.values[k], 3) : ""));
    }
    return panel;
}

}  // namespace

Figure effects_figure(const std::vector<ColumnEffect>& effects, const std::string& id,
                      const std::string& title, const std::string& label) {
    constexpr std::size_t kMost = 20;
    Figure figure{.id = id, .title = title, .description = label + " of each column."};
    const std::size_t shown = std::min(kMost, effects.size());
    if (shown == 0) {
        return figure;
    }
    Panel panel{.across = {.label = label}, .height = 26.0 * static_cast<double>(shown)};
    Series bars{.mark = Mark::bars, .width = 0.66};
    for (std::size_t k = shown; k-- > 0;) {  // the first is at the top
        const ColumnEffect& effect = effects[k];
        panel.up.categories.push_back(effect.column);
        append(bars, effect.value, static_cast<double>(bars.up.size()));
        if (!std::isnan(effect.low)) {
            bars.low.push_back(effect.low);
            bars.high.push_back(effect.high);
        }
    }
    panel.series.push_back(std::move(bars));
    panel.references.push_back({.kind = Reference::Kind::up, .at = 0.0});
    figure.panels.push_back(std::move(panel));
    return figure;
}

Figure plane_figure(const ReportPlane& plane, double tube) {
    Figure figure{.id = "plane",
                  .title = plane.kind == "components" ? "The decision in two kernel components"
                           : plane.kind == "column"   ? "The function"
                                                      : "The decision surface",
                  .description = "Rows over the value of f."};
    Panel panel{.across = plane.across, .up = plane.up, .height = 400.0};
    if (plane.kind == "column") {
        Series line{.name = "f(x)", .colour = 1};
        Series band{.mark = Mark::band, .name = "tube", .colour = 1};
        for (const auto& [x, f] : plane.curve) {
            append(line, x, f);
            append(band, x, f);
            band.low.push_back(f - tube);
            band.high.push_back(f + tube);
        }
        panel.height = 300.0;
        add_points(plane, panel);
        panel.series.push_back(std::move(line));
        if (std::isfinite(tube)) {
            panel.series.push_back(std::move(band));
        }
    } else {
        panel.heat = plane.map;
        panel.side = 560.0;
        add_points(plane, panel);
        add_contours(plane, panel);
    }
    figure.panels.push_back(std::move(panel));
    return figure;
}

Figure leave_one_out_figure(const Report& report) {
    Figure figure{.id = "loo",
                  .title = "Leave-one-out error",
                  .description =
                      "Root mean square error of each row predicted by the others, "
                      "against alpha."};
    if (report.leave_one_out.empty()) {
        return figure;
    }
    Panel panel{.across = {.label = "alpha", .logarithmic = true},
                .up = {.label = "leave-one-out rmse"},
                .height = 220.0};
    Series line{};
    for (const auto& [alpha, error] : report.leave_one_out) {
        append(line, alpha, error);
    }
    panel.series.push_back(std::move(line));
    panel.references.push_back(
        {.kind = Reference::Kind::up, .at = report.alpha, .label = "this model"});
    figure.panels.push_back(std::move(panel));
    return figure;
}

Figure learning_figure(const Report& report) {
    Figure figure{.id = "learning",
                  .title = "Learning curve",
                  .description = fmt::format("{} against the number of training rows.",
                                             report.learning_measure)};
    if (report.learning.empty()) {
        return figure;
    }
    Panel panel{.across = {.label = "training rows", .from_zero = true},
                .up = {.label = report.learning_measure},
                .height = 260.0};
    for (const bool training : {false, true}) {
        Series points{.mark = Mark::points,
                      .name = training ? "training rows" : "held-out rows",
                      .colour = training ? 1 : 0};
        Series line{.colour = points.colour, .in_legend = false, .hover = false};
        for (const LearningPoint& point : report.learning) {
            const MeasuredValue& value = training ? point.training : point.validation;
            append(points, static_cast<double>(point.rows), value.value);
            append(line, static_cast<double>(point.rows), value.value);
            points.low.push_back(value.low);
            points.high.push_back(value.high);
            points.notes.push_back(
                fmt::format("{} s, {}", chart::number_text(point.seconds, 3), point.status));
        }
        panel.series.push_back(std::move(points));
        panel.series.push_back(std::move(line));
    }
    figure.panels.push_back(std::move(panel));
    return figure;
}

Figure convergence_figure(const Report& report) {
    Figure figure{.id = "convergence",
                  .title = "Convergence",
                  .description = "Certified relative gap against seconds of a refit."};
    if (report.convergence.empty()) {
        return figure;
    }
    Panel panel{.across = {.label = "seconds"},
                .up = {.label = "certified relative gap", .logarithmic = true},
                .height = 240.0};
    Series line{.end_dot = true};
    for (const GapPoint& point : report.convergence) {
        append(line, point.seconds, std::max(point.relative_gap, 1e-17));
        line.notes.push_back(fmt::format("step {}", point.iteration));
    }
    panel.series.push_back(std::move(line));
    figure.panels.push_back(std::move(panel));
    return figure;
}

Figure grid_figure(const ReportGrid& grid) {
    Figure figure{
        .id = "grid",
        .title = "What was tried",
        .description = fmt::format("{} of every combination that was tried.", grid.measure)};
    if (grid.names.size() == 1) {
        figure.panels.push_back(grid_line(grid));
    } else if (grid.names.size() == 2) {
        figure.panels.push_back(grid_map(grid));
    }
    return figure;
}

}  // namespace mercer::report
