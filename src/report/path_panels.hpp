// SPDX-License-Identifier: Apache-2.0
//
// src/report/path_panels.hpp - what the pictures of both kinds of path share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mercer/report/chart.hpp"
#include "mercer/search/path.hpp"

namespace mercer::report {

/// The hyperparameter's axis, and where the events are on it.
struct PathAcross {
    chart::Axis axis;
    std::vector<double> knots;
};

/// A panel of lines; those of curves that have too many points are thinned.
[[nodiscard]] chart::Panel path_panel(std::string title, std::vector<chart::Series> series,
                                      bool from_zero);

/// The panel of a score along the path, when there is one.
void add_score_panel(const std::optional<PathScore>& score, std::vector<chart::Panel>& panels);

/// The figure of the panels above one axis, events under the first.
[[nodiscard]] chart::Figure path_figure_of(std::vector<chart::Panel> panels,
                                           const PathAcross& across, const std::string& title);

/// Lines that share a colour differ in their dashes.
void style_curves(std::vector<chart::Series>& curves);

}  // namespace mercer::report
