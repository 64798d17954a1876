// SPDX-License-Identifier: Apache-2.0
//
// src/report/page_frame.hpp - one HTML file around charts and text: style, script and data inside.
#pragma once

#include <string>
#include <vector>

#include "mercer/report/chart.hpp"

namespace mercer::report {

/// A chart with its caption (HTML), to be read point by point with the arrow keys.
[[nodiscard]] std::string figure_html(const chart::Figure& figure, const std::string& caption);

/// The whole page. `body` is HTML; `figures` are those that it shows. Needs nothing from elsewhere.
[[nodiscard]] std::string page_html(const std::string& title, const std::string& body,
                                    const std::vector<chart::Figure>& figures);

/// The rules of the page beside those of the charts, and what it does.
extern const char* const kPageStyle;
extern const char* const kPageScript;

}  // namespace mercer::report
