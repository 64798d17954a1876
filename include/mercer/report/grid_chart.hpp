// SPDX-License-Identifier: Apache-2.0
//
// mercer/report/grid_chart.hpp - the table of a selection as a figure.
#pragma once

#include <string>

#include "mercer/report/chart.hpp"
#include "mercer/search/select.hpp"

namespace mercer {

/// The measure over the tried values: a line for one hyperparameter, a heat map for two, with the
/// selected one marked. Throws InvalidArgument for more.
[[nodiscard]] chart::Figure select_figure(const SelectResult& result);

/// The figure and the table, as a page of its own.
[[nodiscard]] std::string select_page_html(const SelectResult& result);

}  // namespace mercer
