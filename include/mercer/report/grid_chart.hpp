// SPDX-License-Identifier: Apache-2.0
//
// mercer/report/grid_chart.hpp - the table of a selection as a picture.
#pragma once

#include <string>

#include "mercer/report/chart.hpp"
#include "mercer/search/select.hpp"

namespace mercer {

/// The measure over the values that were tried: a line for one name, a heat map for two, with the
/// choice marked. Throws InvalidArgument for more names.
[[nodiscard]] chart::Figure select_figure(const SelectResult& result);

/// The picture and the table, as a page of its own.
[[nodiscard]] std::string select_page_html(const SelectResult& result);

}  // namespace mercer
