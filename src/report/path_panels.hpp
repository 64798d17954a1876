// SPDX-License-Identifier: Apache-2.0
//
// src/report/path_panels.hpp - common parts of the figures of both kinds of path.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mercer/report/chart.hpp"
#include "mercer/search/path.hpp"

namespace mercer::report {

/// The axis of the hyperparameter, and the positions of the events on it.
struct PathAcross {
    chart::Axis axis;
    std::vector<double> knots;
};

/// A panel of lines; curves with too many points are thinned.
[[nodiscard]] chart::Panel path_panel(std::string title, std::vector<chart::Series> series,
                                      bool from_zero);

/// The panel of the score along the path, if there is one.
void add_score_panel(const std::optional<PathScore>& score, std::vector<chart::Panel>& panels);

/// The figure with the panels over one axis and events under the first.
[[nodiscard]] chart::Figure path_figure_of(std::vector<chart::Panel> panels,
                                           const PathAcross& across, const std::string& title);

/// Gives lines of the same colour different dashes.
void style_curves(std::vector<chart::Series>& curves);

}  // namespace mercer::report
