// SPDX-License-Identifier: Apache-2.0
//
// src/report/path_panels.cpp - panels that share the axis of the hyperparameter.
#include "report/path_panels.hpp"

#include <fmt/core.h>

#include <utility>

namespace mercer::report {

namespace {

constexpr double kPanelHeight = 150.0;
constexpr std::size_t kMostPoints = 800;  // of a line
constexpr std::size_t kColours = 7;

void thin(chart::Series& series) {
    const std::size_t stride = series.across.size() / kMostPoints + 1;
    if (stride == 1) {
        return;
    }
    std::vector<double> across;
    std::vector<double> up;
    for (std::size_t k = 0; k < series.across.size(); ++k) {
        if (k % stride == 0 || k + 1 == series.across.size()) {
            across.push_back(series.across[k]);
            up.push_back(series.up[k]);
        }
    }
    series.across = std::move(across);
    series.up = std::move(up);
}

}  // namespace

chart::Panel path_panel(std::string title, std::vector<chart::Series> series, bool from_zero) {
    chart::Panel panel{.title = std::move(title), .height = kPanelHeight};
    panel.up.from_zero = from_zero;
    for (chart::Series& one : series) {
        thin(one);
        panel.series.push_back(std::move(one));
    }
    return panel;
}

void add_score_panel(const std::optional<PathScore>& score, std::vector<chart::Panel>& panels) {
    if (!score) {
        return;
    }
    chart::Series line{.mark = score->measure == "error" ? chart::Mark::steps : chart::Mark::line};
    for (const PathScore::Point& point : score->points) {
        line.across.push_back(point.value);
        line.up.push_back(point.score);
    }
    const chart::Series best{.mark = chart::Mark::rings,
                             .name = "best",
                             .across = {score->best_value},
                             .up = {score->best_score},
                             .colour = 1,
                             .in_legend = false};
    panels.push_back(path_panel(fmt::format("validation {}, best {:.4g} at {:.4g}", score->measure,
                                            score->best_score, score->best_value),
                                {best, std::move(line)}, false));
    panels.back().series.back().colour = 0;
}

chart::Figure path_figure_of(std::vector<chart::Panel> panels, const PathAcross& across,
                             const std::string& title) {
    chart::Figure figure{
        .id = "path",
        .title = fmt::format("{}: {} events", title, across.knots.size()),
        .description =
            "What changes along the path, in panels above one axis: coefficients with "
            "the events as ticks below them, counts of rows, and a score when there is "
            "one."};
    for (std::size_t p = 0; p < panels.size(); ++p) {
        panels[p].across = across.axis;
        panels[p].across.hide_labels = p + 1 < panels.size();
        if (p == 0) {
            panels[p].series.push_back({.mark = chart::Mark::ticks,
                                        .across = across.knots,
                                        .up = std::vector<double>(across.knots.size(), kNaN)});
        }
    }
    figure.panels = std::move(panels);
    return figure;
}

void style_curves(std::vector<chart::Series>& curves) {
    for (std::size_t k = 0; k < curves.size(); ++k) {
        curves[k].colour = static_cast<int>(k % kColours);
        curves[k].dash = static_cast<int>(k / kColours);
    }
}

}  // namespace mercer::report
