// SPDX-License-Identifier: Apache-2.0
//
// mercer/report/gap_chart.hpp - the gap of several solvers over time and over steps, as a figure.
#pragma once

#include <string>
#include <vector>

#include "mercer/report/chart.hpp"
#include "mercer/search/compare.hpp"

namespace mercer {

/// Two panels, one line per solver, a legend. Above: both axes logarithmic, in seconds. Below: by
/// steps, so that a linear rate is a straight line; a theoretical bound is dashed.
[[nodiscard]] chart::Figure gap_figure(const std::vector<SolverRun>& runs,
                                       const std::string& title);

/// A factor per step; one just below 1 is shown by its distance from 1. "-" if unknown.
[[nodiscard]] std::string factor_text(double factor);

/// The figure and a table of the rates, as a page of its own.
[[nodiscard]] std::string gap_page_html(const std::vector<SolverRun>& runs,
                                        const std::string& title);

}  // namespace mercer
