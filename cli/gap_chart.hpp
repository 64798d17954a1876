// SPDX-License-Identifier: Apache-2.0
//
// cli/gap_chart.hpp - gap against time of several solvers, as an SVG picture.
#pragma once

#include <string>
#include <vector>

#include "mercer/fit/compare.hpp"

namespace mercer::cli {

/// Both axes logarithmic, one line per solver, a legend. Self-contained.
[[nodiscard]] std::string gap_chart_svg(const std::vector<SolverRun>& runs,
                                        const std::string& title);

}  // namespace mercer::cli
