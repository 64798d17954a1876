// SPDX-License-Identifier: Apache-2.0
//
// mercer/report/gap_chart.hpp - gap against time and against steps of several solvers, as a picture.
#pragma once

#include <string>
#include <vector>

#include "mercer/report/chart.hpp"
#include "mercer/search/compare.hpp"

namespace mercer {

/// Two panels, one line per solver, a legend. Above: both axes logarithmic, seconds. Below: steps
/// counted, so that a linear rate is a straight line; where theory has a bound it is dashed.
[[nodiscard]] chart::Figure gap_figure(const std::vector<SolverRun>& runs,
                                       const std::string& title);

/// A factor per step; one just below 1 is told by its distance. "-" when it is not known.
[[nodiscard]] std::string factor_text(double factor);

/// The picture and a table of the rates, as a page of its own.
[[nodiscard]] std::string gap_page_html(const std::vector<SolverRun>& runs,
                                        const std::string& title);

}  // namespace mercer
